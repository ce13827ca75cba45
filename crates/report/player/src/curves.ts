// The plots of results: energies, where the energy went, and step lengths.

import uPlot from "uplot";
import { onPage } from "./charts";
import { DASHES, PALETTE } from "./colour";
import { inkColour as ink, type Plot, type Series } from "./plots";
import type { Curves, Recording } from "./recording";

const ENERGIES: [string, string][] = [
  ["kinetic", PALETTE[0]], ["elastic", PALETTE[1]], ["gravity", PALETTE[2]], ["contact", PALETTE[3]], ["total", "var"],
];

const some = (values: number[]) => values.some((x) => x !== 0 && Number.isFinite(x));

/** Returns the plots of one result, or of several with a colour for each. */
export function resultPlots(recordings: Recording[]): Plot[] {
  const known = recordings.map((recording, index) => ({ recording, index })).filter(({ recording: r }) => r.curves && r.curves.t.length > 1);
  if (known.length === 0) return [];
  return recordings.length === 1 ? plotsOfOne(recordings[0]) : plotsOfMany(known);
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
    { title: "Where the energy went, J", t, series: went },
    stepPlot(t, h, newton),
  ];
}

/** Returns values of steps without the first row, which is the start. */
const ofSteps = (values: number[]) => values.map((x, k) => (k === 0 ? null : x));

/** Returns whether steps differ by more than rounding. */
function varies(h: number[]): boolean {
  const real = h.slice(1);
  return real.length > 0 && Math.max(...real) > 1.000001 * Math.min(...real);
}

function stepPlot(t: number[], h: number[], newton: number[]): Plot {
  if (varies(h)) return { title: "Step, s", t, series: [{ label: "h", values: ofSteps(h), colour: PALETTE[0] }], log: true };
  return { title: "Newton iterations of a step", t, whole: true, series: [{ label: "Newton", values: ofSteps(newton), colour: PALETTE[4] }] };
}

/** A result with its number on the page. */
interface Numbered { recording: Recording; index: number }

function plotsOfMany(list: Numbered[]): Plot[] {
  const plot = (title: string, values: (curves: Curves) => (number | null)[], more: Partial<Plot> = {}): Plot => {
    const tables = list.map(({ recording: { curves } }) => [curves!.t, values(curves!)] as uPlot.AlignedData);
    const [t, ...columns] = uPlot.join(tables) as [number[], ...(number | null)[][]];
    const series = list.map(({ recording: r, index }, k): Series => ({
      label: `${index + 1} ${r.method || r.name}`, values: columns[k], colour: r.colour ? onPage(r.colour) : PALETTE[index % PALETTE.length],
      dash: DASHES[index % DASHES.length], width: 2,
    }));
    return { title, t, series, ...more };
  };
  const numerical = (c: Curves) => c.ledger.find((part) => part.name === "numerical")?.values ?? c.t.map(() => 0);
  const steps = list.some(({ recording }) => varies(recording.curves!.h));
  const withEnergy = plot("Total energy, J", (c) => c.energies.total), exact = list.find(({ recording: r }) => r.curves!.h.length === 0);
  if (exact) list = list.filter((r) => r !== exact);
  return [
    withEnergy, plot("Energy from the integrator, J", numerical),
    steps ? plot("Step, s", (c) => ofSteps(c.h), { log: true }) : plot("Newton iterations of a step", (c) => ofSteps(c.newton), { whole: true }),
  ];
}
