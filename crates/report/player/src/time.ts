// How times and speeds are written and chosen: results last from microseconds to minutes.

const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4];
/** Seconds that a short result takes on the screen at its middle speed, at least half of this and at most five times it. */
const SHOWN = 2;

/** Power of ten by which results that last less than half a second are slowed down. */
export function slowdown(duration: number): number {
  return duration > 0 && duration < 0.5 ? 10 ** Math.ceil(Math.log10(duration / (5 * SHOWN))) : 1;
}

/** Speeds for a result: simulated seconds in a second. */
export function speedsFor(duration: number): number[] {
  const base = slowdown(duration);
  return SPEEDS.map((s) => Number((s * base).toPrecision(6)));
}

/** Formats a speed: 0.5 ×, or 1/2000 × below a hundredth. */
export const speedText = (s: number): string => (s >= 0.01 ? `${s} ×` : `1/${String(Math.round(1 / s)).replace(/\B(?=(\d{3})+$)/g, "\u202f")} ×`);

/** Returns the unit in which times up to `end`, s, are written, and its number in a second. */
export function timeUnit(end: number): [number, string] {
  return end >= 0.1 || end <= 0 ? [1, "s"] : end >= 1e-4 ? [1e3, "ms"] : [1e6, "µs"];
}

/** Formats a time, s, of a result that ends at `end`: in s, ms or µs. */
export function clockText(t: number, end: number): string {
  const [factor, unit] = timeUnit(end);
  return `${(factor * t).toFixed(unit === "µs" ? 2 : 3)} ${unit}`;
}
