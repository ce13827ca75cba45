// Curves of sessions that run: the last part of the motion, thinned as it grows.

import { DASHES, PALETTE } from "./colour";
import type { LiveState, SessionNumbers } from "./live";
import { inkColour as ink, type Plot, Plots } from "./plots";

/** Number of points from which every second one is dropped. */
const MAX_POINTS = 1500;
/** Milliseconds between two drawings. */
const PERIOD = 250;

interface Curve { label: string; session: number; colour: () => string; value: (s: SessionNumbers) => number }
interface Chart { title: string; curves: Curve[] }

function charts(count: number, channels: { name: string; title: string }[]): Chart[] {
  const each = (value: Curve["value"], methods: string[]): Curve[] => methods.map((label, session) =>
    ({ label: `${session + 1} ${label}`, session, colour: () => PALETTE[session], value }));
  const names = Array.from({ length: count }, () => "");
  if (count === 1) {
    const energy = (label: string, colour: () => string, value: Curve["value"]): Curve => ({ label, session: 0, colour, value });
    return [
      {
        title: "Energy, J", curves: [
          energy("kinetic", () => PALETTE[0], (s) => s.kinetic), energy("elastic", () => PALETTE[1], (s) => s.elastic),
          energy("gravity", () => PALETTE[2], (s) => s.gravity), energy("contact", () => PALETTE[3], (s) => s.contact),
          energy("total", ink, (s) => s.total),
        ],
      },
      {
        title: "Where the energy went, J",
        curves: channels.map(({ name, title }, k) => energy(title, () => PALETTE[k % PALETTE.length], (s) => s.ledger[name] ?? 0)),
      },
      { title: "Milliseconds a step", curves: [energy("ms", () => PALETTE[4], (s) => s.ms)] },
    ];
  }
  return [
    { title: "Total energy, J", curves: each((s) => s.total, names) },
    { title: "Energy from the integrator, J", curves: each((s) => s.ledger.numerical, names) },
    { title: "Milliseconds a step", curves: each((s) => s.ms, names) },
  ];
}

/** Plots of all sessions over the simulated time. */
export class LivePlots {
  private readonly plots: Plots;
  private times: number[] = [];
  private values: number[][][] = [];
  private charts: Chart[] = [];
  private methods = "";
  private stride = 1;
  private count = 0;
  private drawn = 0;

  constructor(container: HTMLElement, private readonly channels: { name: string; title: string }[]) {
    this.plots = new Plots(container, null);
  }

  /** Drops all points. */
  clear() {
    this.times = [];
    this.values = this.charts.map((c) => c.curves.map(() => []));
    [this.stride, this.count] = [1, 0];
  }

  /** Adds the state after a step. */
  add({ t, sessions }: LiveState) {
    if (this.charts.length === 0) {
      this.charts = charts(sessions.length, this.channels);
      this.clear();
    }
    if (t <= (this.times.at(-1) ?? -1) || this.count++ % this.stride !== 0) return;
    this.times.push(t);
    this.charts.forEach((chart, i) => chart.curves.forEach((c, k) => this.values[i][k].push(c.value(sessions[c.session]))));
    if (this.times.length > MAX_POINTS) {
      const half = <T>(list: T[]) => list.filter((_, k) => k % 2 === 0);
      this.times = half(this.times);
      this.values = this.values.map((chart) => chart.map(half));
      this.stride *= 2;
    }
    const now = performance.now(), methods = sessions.map((s) => s.method).join(" ");
    if (methods !== this.methods) {
      this.methods = methods;
      if (sessions.length > 1) this.charts.forEach((c) => c.curves.forEach((curve) => (curve.label = `${curve.session + 1} ${sessions[curve.session].method}`)));
      this.refresh();
    } else if (now - this.drawn > PERIOD) this.draw(now);
  }

  private draw(now: number) {
    this.drawn = now;
    this.charts.forEach((_, i) => this.plots.update(i, this.times, this.values[i]));
    this.plots.moveTo(this.times.at(-1) ?? null);
  }

  /** Builds all plots again, in the colours of the theme. */
  refresh() {
    this.plots.show(this.charts.map((chart, i): Plot => ({
      title: chart.title, t: this.times, series: chart.curves.map((c, k) => ({
        label: c.label, values: this.values[i][k], colour: c.colour(), width: c.label === "total" ? 2.2 : 1.7,
        dash: this.charts[0].curves.length > 1 && c.label.match(/^\d/) ? DASHES[c.session] : [],
      })),
    })));
  }
}
