// Curves that can be zoomed, with a legend of values, linked to the clock of the player and to each other.

import uPlot from "uplot";
import { short } from "./colour";
import { timeUnit } from "./time";

export interface Series {
  label: string;
  values: (number | null | undefined)[];
  colour: string;
  dash?: number[];
  width?: number;
  /** What is drawn: a line if left out. */
  style?: "markers" | "both";
}

export interface Axis {
  label: string;
  log?: boolean;
  /** Interval at first; a part that is zoomed into chooses its own. */
  range?: [number, number] | null;
}

export interface Plot {
  title: string;
  /** Abscissae, increasing. */
  t: number[];
  series: Series[];
  /** Logarithmic ordinate. */
  log?: boolean;
  /** Whether the values are whole numbers. */
  whole?: boolean;
  /** Time in seconds if left out. */
  x?: Axis;
  y?: Axis;
}

const css = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
export const inkColour = () => css("--ink") || "#222";

/** Formats a mark of an axis. */
function mark(x: number | null): string {
  if (x === null || x === undefined) return "";
  const size = Math.abs(x);
  if (size !== 0 && (size >= 1e5 || size < 1e-3)) return Number(x.toPrecision(3)).toExponential().replace("e+", "e").replace("-", "−");
  return String(Number(x.toPrecision(6))).replace("-", "−");
}

/** Returns 1, 2, … 9 times each power of ten in a range. */
function logSplits(_: uPlot, __: number, low: number, high: number): number[] {
  const splits: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++) {
    for (let digit = 1; digit < 10; digit++) {
      const x = Number(`${digit}e${power}`);
      if (x >= low && x <= high) splits.push(x);
    }
  }
  return splits;
}

/** Keeps the marks of a logarithmic axis that have room: powers of ten, and 1, 2, 5 or all if there are few powers. */
function logMarks(u: uPlot, marks: number[], axis: number): (number | null)[] {
  const { min = 1, max = 10 } = u.scales[axis === 0 ? "x" : "y"], decades = Math.log10(max / min);
  const leading = (x: number) => Math.round(x / 10 ** Math.floor(Math.log10(x) + 1e-9));
  const kept = decades > 2 ? [1] : decades > 0.9 ? [1, 2, 5] : [1, 2, 3, 4, 5, 6, 8];
  const every = decades > 8 ? Math.ceil(decades / 8) : 1;
  return marks.map((x) => (kept.includes(leading(x)) && Math.round(Math.log10(x)) % every === 0 ? x : null));
}

/** Returns the index of the known value that is nearest to an index; curves that were joined lack some. */
function nearest(values: ArrayLike<number | null | undefined>, index: number): number {
  const known = (k: number) => values[k] !== null && values[k] !== undefined;
  for (let d = 0; d < 40; d++) {
    if (known(index - d)) return index - d;
    if (known(index + d)) return index + d;
  }
  return index;
}

/** Distances of marks of whole numbers. */
const WHOLE_STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000];

/** Factor by which a logarithmic axis is longer than its data, on each side. */
const MARGIN = 1.12;

/** Milliseconds between two legends of values. */
const TOLD_EVERY = 90;

export interface ChartOptions {
  width: number;
  height: number;
  /** Charts with the same key share their cursor. */
  sync?: string;
  /** Moves the clock; without it the chart has no clock. */
  seek?: ((t: number) => void) | null;
}

/** One chart with a line at the current time. */
export class Chart {
  readonly plot: uPlot;
  private t: number | null = null;
  private told = 0;
  private telling = 0;
  private readonly line = document.createElement("i");

  constructor(box: HTMLElement, private readonly data: Plot, private readonly options: ChartOptions) {
    this.line.className = "now";
    this.line.hidden = true;
    this.plot = new uPlot(this.configuration(), [data.t, ...data.series.map((s) => s.values)] as uPlot.AlignedData, box);
    this.plot.over.append(this.line);
    if (options.seek) this.scrub(options.seek);
  }

  private configuration(): uPlot.Options {
    const { data, options } = this, line = css("--line"), soft = css("--soft");
    const axis = { stroke: soft, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1, size: 4 }, font: "11px system-ui, sans-serif", gap: 4 };
    const label = (a?: Axis) => (a?.label ? { label: a.label, labelSize: 18, labelGap: 0, labelFont: "11px system-ui, sans-serif" } : {});
    const values = (_: uPlot, marks: (number | null)[]) => marks.map(mark);
    const times = (_: uPlot, marks: (number | null)[]) => this.timeMarks(marks);
    const log = data.log || data.y?.log;
    // Values that are nothing but rounding beside the others of the chart are zero.
    const most = data.series.reduce((m, s) => s.values.reduce((n: number, x) => Math.max(n, Math.abs(x ?? 0)), m), 0);
    const told = (x: number) => short(!log && Math.abs(x) < 1e-9 * most ? 0 : x).replace("-", "−");
    return {
      width: Math.floor(options.width), height: options.height, title: data.title,
      cursor: {
        sync: options.sync ? { key: options.sync, scales: ["x", null] } : undefined, drag: { x: true, y: false, dist: 4 }, points: { size: 6 },
        dataIdx: (u, series, index) => nearest(u.data[series], index),
      },
      scales: {
        x: { time: false, distr: data.x?.log ? 3 : 1, range: (u, low, high) => this.rangeOfX(u, low, high) },
        y: { distr: log ? 3 : 1, range: (u: uPlot, low: number | null, high: number | null) => this.rangeOfY(u, low, high) },
      },
      axes: [
        { ...axis, size: 26, ...label(data.x), values: data.x ? values : times, ...(data.x?.log ? { filter: logMarks, splits: logSplits } : {}) },
        { ...axis, size: (_, texts) => this.axisSize(texts), ...label(data.y), values, ...(data.whole ? { incrs: WHOLE_STEPS } : {}), ...(log ? { filter: logMarks, splits: logSplits } : {}) },
      ],
      legend: {
        live: true, markers: { width: 3, stroke: (_, k) => data.series[k - 1]?.colour ?? "transparent", dash: (_, k) => (data.series[k - 1]?.dash?.length ? "dashed" : "solid") },
      },
      series: [
        { label: data.x?.label.split(",")[0] ?? "t", value: (_, x) => (x === null || x === undefined ? "" : data.x ? short(x) : this.timeText(x)) },
        ...data.series.map((s) => ({
          label: s.label, stroke: s.colour, width: s.width ?? 1.7, dash: s.dash,
          paths: s.style === "markers" ? () => null : undefined,
          points: { show: s.style !== undefined, size: 6.5, width: 1, fill: s.colour, stroke: s.colour },
          value: (_: uPlot, x: number | null) => (x === null || x === undefined ? "" : told(x)),
        })),
      ],
      hooks: {
        setScale: [() => this.place()], setSize: [() => this.place()],
        // A pointer that leaves this chart, or one that shares its cursor, leaves an empty legend.
        setCursor: [(u) => (u.cursor.left ?? -1) < 0 && setTimeout(() => this.tellValues(true))],
      },
    };
  }

  /** Unit of the times of the chart, and its number in a second. */
  private unit(): [number, string] {
    return timeUnit(this.data.t[this.data.t.length - 1] ?? 1);
  }

  private timeText(x: number): string {
    const [factor, unit] = this.unit();
    return `${short(factor * x)} ${unit}`;
  }

  /** Marks of the time; the last one has the unit. */
  private timeMarks(marks: (number | null)[]): string[] {
    const [factor, unit] = this.unit(), last = marks.findLastIndex((x) => x !== null);
    return marks.map((x, k) => (x === null ? "" : mark(factor * x) + (k === last ? ` ${unit}` : "")));
  }

  private axisSize(texts: (string | null)[] | null): number {
    const longest = (texts ?? []).reduce((n, s) => Math.max(n, s?.length ?? 0), 3);
    return Math.max(34, 14 + 6.6 * longest);
  }

  private isWhole(low?: number | null, high?: number | null): boolean {
    const { t } = this.data;
    return low === null || low === undefined || high === null || high === undefined || (low <= t[0] && high >= t[t.length - 1]);
  }

  private rangeOfX(_: uPlot, low: number | null, high: number | null): [number, number] {
    const { t, x } = this.data, first = t[0] ?? 0, last = t[t.length - 1] ?? 1;
    const ends: [number, number] = x?.range ?? (x?.log ? [first / MARGIN, last * MARGIN] : [first, last]);
    const [a, b] = this.isWhole(low, high) ? ends : [low!, high!];
    if (b > a) return [a, b];
    return x?.log ? [a / 2, a * 2] : [a - 0.5, a + 0.5];
  }

  private rangeOfY(u: uPlot, low: number | null, high: number | null): [number, number] {
    const { y, log } = this.data;
    if (y?.range && this.isWhole(u.scales.x.min, u.scales.x.max)) return y.range;
    const [a, b] = [low ?? 0, high ?? 1];
    if (y?.log || log) return a > 0 && b > 0 ? [a / MARGIN ** 2, b * MARGIN ** 2] : [0.1, 10];
    return uPlot.rangeNum(a, b, 0.1, true) as [number, number];
  }

  /** A click moves the clock; dragging zooms; a double click shows everything. */
  private scrub(seek: (t: number) => void) {
    const over = this.plot.over;
    let down = 0;
    over.addEventListener("pointerdown", (e) => (down = e.clientX));
    over.addEventListener("click", (e) => {
      if (Math.abs(e.clientX - down) <= 3) seek(this.plot.posToVal(e.clientX - over.getBoundingClientRect().left, "x"));
    });
  }

  /** Moves the line of the current time. */
  moveTo(t: number | null) {
    this.t = t;
    this.place();
    this.tellValues();
  }

  private place() {
    const { t, plot } = this;
    if (!plot || !this.line.isConnected) return;
    const x = t === null ? -1 : plot.valToPos(t, "x");
    this.line.hidden = !(x >= -0.5 && x <= plot.over.clientWidth + 0.5);
    this.line.style.transform = `translateX(${x.toFixed(1)}px)`;
  }

  /** Shows the values at the current time in the legend while no pointer is on the chart. */
  private tellValues(now = false) {
    const time = performance.now(), { t, plot } = this;
    if (t === null || (plot.cursor.left ?? -1) >= 0) return;
    if (!now && time - this.told < TOLD_EVERY) {
      // The values of the last of many moves are told too.
      this.telling ||= window.setTimeout(() => this.tellValues(true), TOLD_EVERY);
      return;
    }
    window.clearTimeout(this.telling);
    [this.told, this.telling] = [time, 0];
    const index = plot.valToIdx(t);
    plot.setLegend({ idxs: plot.data.map((values) => nearest(values, index)) }, false);
  }

  setData(t: number[], values: (number | null | undefined)[][]) {
    this.data.t = t;
    this.plot.setData([t, ...values] as uPlot.AlignedData);
  }

  setWidth(width: number) {
    if (this.plot.width !== Math.floor(width)) this.plot.setSize({ width: Math.floor(width), height: this.plot.height });
  }

  destroy() {
    window.clearTimeout(this.telling);
    this.plot.destroy();
  }
}

/** Plots in one container that share a time cursor. */
export class Plots {
  private charts: { chart: Chart; plot: Plot }[] = [];
  private t: number | null = null;
  private readonly sync = `supple-${Math.random()}`;

  constructor(private readonly container: HTMLElement, private readonly seek: ((t: number) => void) | null) {
    new ResizeObserver(() => this.charts.forEach(({ chart }) => chart.setWidth(this.width()))).observe(container);
    uPlot.sync(this.sync);
  }

  /** Replaces all plots. */
  show(plots: Plot[]) {
    this.charts.forEach(({ chart }) => chart.destroy());
    this.container.replaceChildren();
    this.charts = plots.filter((p) => p.series.length > 0).map((plot) => {
      const box = document.createElement("div");
      box.className = "plot";
      this.container.append(box);
      const chart = new Chart(box, plot, { width: this.width(), height: 176, sync: this.sync, seek: this.seek });
      chart.moveTo(this.t);
      return { chart, plot };
    });
  }

  private width(): number {
    const columns = this.container.clientWidth >= 900 ? Math.min(3, Math.max(1, this.charts.length || 3)) : 1;
    return Math.max(220, this.container.clientWidth / columns - 14);
  }

  /** Moves the line of the current time. */
  moveTo(t: number | null) {
    if (t === this.t) return;
    this.t = t;
    this.charts.forEach(({ chart }) => chart.moveTo(t));
  }

  /** Replaces the data of a plot by its number. */
  update(index: number, t: number[], values: (number | null)[][]) {
    this.charts[index]?.chart.setData(t, values);
  }
}
