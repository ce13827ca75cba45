// The plots of results: energies, where the energy went, and step lengths.

import uPlot from "uplot";
import { PALETTE } from "./colour";
import type { Plot, Series } from "./plots";
import type { Recording } from "./recording";

const ENERGIES: [string, string][] = [
  ["kinetic", PALETTE[0]], ["elastic", PALETTE[1]], ["gravity", PALETTE[2]], ["contact", PALETTE[3]], ["total", "var"],
];
const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3]];

const some = (values: number[]) => values.some((x) => x !== 0 && Number.isFinite(x));
const ink = () => getComputedStyle(document.documentElement).getPropertyValue("--ink").trim() || "#222";

/** Returns the plots of one result, or of several with a colour for each. */
export function resultPlots(recordings: Recording[]): Plot[] {
  const known = recordings.filter((r) => r.curves && r.curves.t.length > 1);
  if (known.length === 0) return [];
  return known.length === 1 ? plotsOfOne(known[0]) : plotsOfMany(known);
}

function plotsOfOne({ curves }: Recording): Plot[] {
  const { t, energies, h, ledger, newton } = curves!;
  const shown = ENERGIES.filter(([name]) => energies[name] && some(energies[name]));
  const energy = shown.map(([label, colour]): Series => {
    const total = label === "total";
    return { label, values: energies[label], colour: total ? ink() : colour, width: total ? 2.2 : 1.6 };
  });
  const booked = ledger.filter(({ values }) => some(values));
  const went = booked.map(({ title, values }, k): Series => ({ label: title, values, colour: PALETTE[k % PALETTE.length] }));
  return [
    { title: "Energy, J", t, series: energy },
    { title: "Where the energy went since the start, J", t, series: went },
    stepPlot(t, h, newton),
  ];
}

function stepPlot(t: number[], h: number[], newton: number[]): Plot {
  const lengths = h.map((x, k) => (k === 0 ? null : x)), real = lengths.filter((x) => x !== null) as number[];
  const varies = Math.max(...real) > 1.000001 * Math.min(...real);
  if (varies) return { title: "Step, s", t, series: [{ label: "h", values: lengths, colour: PALETTE[0] }], log: true };
  const counts = newton.map((x, k) => (k === 0 ? null : x));
  return { title: "Newton iterations of a step", t, series: [{ label: "Newton", values: counts, colour: PALETTE[4] }] };
}

function plotsOfMany(list: Recording[]): Plot[] {
  const joined = (values: (r: Recording) => number[]): [number[], (number | null)[][]] => {
    const tables = list.map((r) => [r.curves!.t, values(r)] as uPlot.AlignedData);
    const [t, ...columns] = uPlot.join(tables) as [number[], ...(number | null)[][]];
    return [t, columns];
  };
  const series = (columns: (number | null)[][]): Series[] => list.map((r, k) => ({
    label: `${k + 1} ${r.method || r.name}`, values: columns[k], colour: PALETTE[k % PALETTE.length], dash: DASHES[k % DASHES.length],
    width: 2,
  }));
  const numerical = (r: Recording) => r.curves!.ledger.find((c) => c.name === "numerical")?.values ?? r.curves!.t.map(() => 0);
  const [t, total] = joined((r) => r.curves!.energies.total);
  const [u, lost] = joined(numerical);
  const [v, h] = joined((r) => r.curves!.h.map((x, k) => (k === 0 && r.curves!.h.length > 1 ? r.curves!.h[1] : x)));
  return [
    { title: "Total energy, J", t, series: series(total) },
    { title: "Energy added or lost by the integrator, J", t: u, series: series(lost) },
    { title: "Step, s", t: v, series: series(h), log: true },
  ];
}
