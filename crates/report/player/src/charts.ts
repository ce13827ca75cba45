// Figures of pages: the script draws their charts again so that they can be zoomed and follow the players. Without the script,
// and on paper, the image stays.

import uPlot from "uplot";
import { DASHES } from "./colour";
import { linkOf, type Link } from "./embed";
import { Chart, inkColour, type Axis, type Plot, type Series } from "./plots";

interface FigureSeries { name: string; colour: string; dash: number; style?: "markers" | "both"; x?: (number | null)[]; y: (number | null)[] }
interface FigureData { title: string; x: Axis; y: Axis; series: FigureSeries[] }

/** Colour of the series that stand for what is exact or total. */
const BLACK = "#222222";
/** Colours of charts on a dark page. */
const LIGHTER: Record<string, string> = { "#0072b2": "#4f9bd9", "#d55e00": "#f08a4b", "#009e73": "#35c29a", "#cc79a7": "#e08fbf", "#8a8a8a": "#a9b4c0" };
const HEIGHT = 300;
const SYNC = "supple-figures";

/** Returns the points of a series with increasing abscissae, or `null` if they are not a function of them. */
function increasing(x: (number | null)[], y: (number | null)[], { x: axis, y: other }: FigureData): [number[], (number | null)[]] | null {
  const shown = (v: number | null, log?: boolean) => v !== null && (!log || v > 0);
  const kept = x.flatMap((v, k) => (shown(v, axis.log) ? [k] : []));
  if (kept.length > 1 && x[kept[0]]! > x[kept[1]]!) kept.reverse();
  for (let i = 1; i < kept.length; i++) if (x[kept[i]]! <= x[kept[i - 1]]!) return null;
  return [kept.map((k) => x[k]!), kept.map((k) => (shown(y[k], other.log) ? y[k] : null))];
}

/** Returns a colour that is seen well on the page. */
export function onPage(colour: string): string {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  return colour === BLACK ? inkColour() : dark ? LIGHTER[colour] ?? colour : colour;
}

/** Returns the plot of a figure, or `null` if it is not one of functions. */
function plotOf(data: FigureData): Plot | null {
  const tables: [number[], (number | null)[]][] = [];
  let x: (number | null)[] = [];
  for (const s of data.series) {
    x = s.x ?? x;
    const table = increasing(x, s.y, data);
    if (!table) return null;
    tables.push(table);
  }
  if (tables.every(([t]) => t.length === 0)) return null;
  const same = tables.every(([t]) => t.length === tables[0][0].length && t.every((v, k) => v === tables[0][0][k]));
  const [t, ...values] = same ? [tables[0][0], ...tables.map((p) => p[1])] : (uPlot.join(tables as uPlot.AlignedData[]) as (number | null | undefined)[][]);
  const series = data.series.map((s, k): Series => ({
    label: s.name, values: values[k], colour: onPage(s.colour), dash: DASHES[s.dash], style: s.style,
  }));
  return { title: data.title, t: t as number[], series, x: data.x, y: data.y };
}

class Figure {
  private chart: Chart | null = null;
  private readonly box = document.createElement("div");
  private link: Link | null = null;

  constructor(private readonly host: HTMLElement, private readonly data: FigureData) {
    this.box.className = "plot";
  }

  draw() {
    if (this.chart) return;
    const plot = plotOf(this.data);
    if (!plot) return;
    const overTime = this.data.x.label.startsWith("time"), end = plot.t[plot.t.length - 1];
    const link = overTime ? linkOf(this.host) : null;
    this.host.prepend(this.box);
    this.host.classList.add("drawn");
    // A motion that ends long before the curves has little to do with them.
    this.link = link && link.end >= 0.8 * end ? link : null;
    const seek = this.link && ((t: number) => this.link?.seek(t));
    this.chart = new Chart(this.box, plot, { width: this.host.clientWidth, height: HEIGHT, sync: overTime ? SYNC : undefined, seek });
    this.link?.listeners.add(this.follow);
    if (this.link) this.follow(this.link.t);
  }

  private readonly follow = (t: number) => this.chart?.moveTo(t);

  resize() { this.chart?.setWidth(this.host.clientWidth); }

  /** Draws in the colours of the theme. */
  refresh() {
    if (!this.chart) return;
    this.chart.destroy();
    this.link?.listeners.delete(this.follow);
    this.chart = null;
    this.box.replaceChildren();
    this.draw();
  }
}

/** Draws the charts of all figures when they come into view. */
export function drawFigures() {
  const figures = new Map<Element, Figure>();
  for (const host of document.querySelectorAll<HTMLElement>("figure.chart")) {
    const data = host.querySelector("script.chart")?.textContent;
    if (data) figures.set(host, new Figure(host, JSON.parse(data)));
  }
  const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) if (isIntersecting) figures.get(target)?.draw();
  }, { rootMargin: "300px" });
  const sized = new ResizeObserver((entries) => entries.forEach(({ target }) => figures.get(target)?.resize()));
  for (const host of figures.keys()) {
    seen.observe(host);
    sized.observe(host);
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => figures.forEach((f) => f.refresh()));
}
