// Curves over time, linked to the clock of the player and to each other.

import uPlot from "uplot";
import { PALETTE, short } from "./colour";

export interface Series {
  label: string;
  values: (number | null)[];
  colour: string;
  dash?: number[];
  width?: number;
}

export interface Plot {
  title: string;
  t: number[];
  series: Series[];
  /** Logarithmic ordinate. */
  log?: boolean;
  xLabel?: string;
}

const css = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Plots that share a time cursor. */
export class Plots {
  private plots: { chart: uPlot; box: HTMLElement; plot: Plot }[] = [];
  private t: number | null = 0;
  private readonly sync = uPlot.sync(`supple-${Math.random()}`);

  constructor(private readonly container: HTMLElement, private readonly seek: ((t: number) => void) | null) {
    new ResizeObserver(() => this.resize()).observe(container);
  }

  /** Replaces all plots. */
  show(plots: Plot[]) {
    this.plots.forEach(({ chart }) => chart.destroy());
    this.container.replaceChildren();
    this.plots = plots.filter((p) => p.series.length > 0).map((plot) => this.make(plot));
  }

  /** Draws again in the colours of the current theme. */
  refresh() {
    this.show(this.plots.map(({ plot }) => plot));
  }

  private width(): number {
    const columns = this.container.clientWidth >= 900 ? Math.min(3, Math.max(1, this.plots.length || 3)) : 1;
    return Math.max(220, this.container.clientWidth / columns - 14);
  }

  private make(plot: Plot) {
    const box = document.createElement("div");
    box.className = "plot";
    this.container.append(box);
    const line = css("--line"), soft = css("--soft");
    const axis = { stroke: soft, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 }, font: "11px system-ui, sans-serif" };
    const options: uPlot.Options = {
      width: Math.floor(this.width()),
      height: 190,
      title: plot.title,
      cursor: { sync: { key: this.sync.key, scales: ["x", null] }, drag: { x: true, y: false }, points: { size: 5 } },
      scales: { x: { time: false }, y: plot.log ? { distr: 3 } : {} },
      axes: [
        { ...axis, size: 28 },
        { ...axis, size: 58, values: (_, ticks) => ticks.map((x) => (x === null ? "" : short(x))) },
      ],
      legend: { live: true },
      series: [
        { label: plot.xLabel ?? "t", value: (_, x) => (x === null ? "–" : `${short(x)} s`) },
        ...plot.series.map((s) => ({
          label: s.label, stroke: s.colour, width: s.width ?? 1.6, dash: s.dash, spanGaps: true, points: { show: false },
          value: (_: uPlot, x: number | null) => (x === null ? "–" : short(x)),
        })),
      ],
      hooks: { draw: [(u) => this.drawCursor(u)] },
    };
    const chart = new uPlot(options, [plot.t, ...plot.series.map((s) => s.values)] as uPlot.AlignedData, box);
    if (this.seek) this.scrub(chart);
    return { chart, box, plot };
  }

  /** A click moves the clock; dragging zooms; a double click shows everything. */
  private scrub(chart: uPlot) {
    let down = 0;
    chart.over.addEventListener("pointerdown", (e) => (down = e.clientX));
    chart.over.addEventListener("click", (e) => {
      if (Math.abs(e.clientX - down) > 3 || !this.seek) return;
      const t = chart.posToVal(e.clientX - chart.over.getBoundingClientRect().left, "x");
      this.seek(t);
    });
  }

  private drawCursor(u: uPlot) {
    if (this.t === null) return;
    const x = Math.round(u.valToPos(this.t, "x", true));
    if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) return;
    u.ctx.save();
    u.ctx.strokeStyle = css("--accent") || PALETTE[0];
    u.ctx.lineWidth = 1.5 * devicePixelRatio;
    u.ctx.beginPath();
    u.ctx.moveTo(x, u.bbox.top);
    u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
    u.ctx.stroke();
    u.ctx.restore();
  }

  /** Moves the line of the current time. */
  moveTo(t: number | null) {
    if (t === this.t) return;
    this.t = t;
    this.plots.forEach(({ chart }) => chart.redraw(false, false));
  }

  /** Replaces the data of a plot by its number. */
  update(index: number, t: number[], values: (number | null)[][]) {
    const entry = this.plots[index];
    if (!entry) return;
    entry.plot.t = t;
    entry.plot.series.forEach((s, k) => (s.values = values[k]));
    entry.chart.setData([t, ...values] as uPlot.AlignedData);
  }

  resize() {
    const width = Math.floor(this.width());
    this.plots.forEach(({ chart }) => {
      if (chart.width !== width) chart.setSize({ width, height: chart.height });
    });
  }
}
