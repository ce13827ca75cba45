// Colours that people with colour-blindness can tell apart: Okabe and Ito's palette for bodies and curves, the viridis map for
// fields.

import { Color } from "three";

/** Okabe and Ito's palette, without black. */
export const PALETTE = ["#4f9bd9", "#e69f00", "#2fb28a", "#cc79a7", "#d55e00", "#f0e442", "#8a97a6"];
/** Dash patterns that tell curves of the same kind apart without colours, solid first. */
export const DASHES = [[], [7, 4], [2, 3], [8, 3, 2, 3]];
/** Obstacles on light and on dark pages. */
export const OBSTACLE = { light: "#a7adb5", dark: "#59626d" };
const NOT_A_NUMBER = "#d6006c";

const VIRIDIS = [
  "#440154", "#48186a", "#472d7b", "#424086", "#3b528b", "#33638d", "#2c728e", "#26828e", "#21918c", "#1fa088", "#28ae80",
  "#3fbc73", "#5ec962", "#84d44b", "#addc30", "#d8e219", "#fde725",
];
const STEPS = 256;

function interpolate(stops: string[], x: number): Color {
  const at = x * (stops.length - 1), k = Math.min(Math.floor(at), stops.length - 2);
  // Interpolated between the numbers of the display, as the map is defined there.
  const [a, b] = [stops[k], stops[k + 1]].map((s) => [1, 3, 5].map((i) => parseInt(s.slice(i, i + 2), 16)));
  const mixed = a.map((v, i) => (v + (at - k) * (b[i] - v)) / 255);
  return new Color().setRGB(mixed[0], mixed[1], mixed[2], "srgb");
}

/** Linear-light colours of the map, three numbers each; the last entry marks values that are not numbers. */
const TABLE = (() => {
  const table = new Float32Array(3 * (STEPS + 1));
  for (let k = 0; k < STEPS; k++) interpolate(VIRIDIS, k / (STEPS - 1)).toArray(table, 3 * k);
  new Color(NOT_A_NUMBER).toArray(table, 3 * STEPS);
  return table;
})();

/** CSS gradient of the colour map. */
export const GRADIENT = `linear-gradient(90deg, ${VIRIDIS.join(", ")})`;
/** Stops of the colour map for canvas gradients. */
export const GRADIENT_STOPS = VIRIDIS;

/** Interval of values that the colour map spans. */
export type Range = [number, number];

/** Writes the colour of each value; values outside the range take the colours of its ends. */
export function colourValues(values: ArrayLike<number>, [low, high]: Range, map: Uint32Array, out: Float32Array) {
  const scale = high > low ? STEPS / (high - low) : 0;
  for (let i = 0; i < map.length; i++) {
    const x = values[map[i]], k = x === x ? Math.min(STEPS - 1, Math.max(0, ((x - low) * scale) | 0)) : STEPS;
    out[3 * i] = TABLE[3 * k];
    out[3 * i + 1] = TABLE[3 * k + 1];
    out[3 * i + 2] = TABLE[3 * k + 2];
  }
}

/** Returns the given quantiles (0 to 1) of the finite values, widened to their extremes if both are the same. */
export function quantileRange(samples: ArrayLike<number>[], [low, high]: Range): Range {
  const most = 200_000, total = samples.reduce((n, s) => n + s.length, 0), stride = Math.max(1, Math.floor(total / most));
  const values: number[] = [];
  for (const sample of samples) {
    for (let i = 0; i < sample.length; i += stride) if (Number.isFinite(sample[i])) values.push(sample[i]);
  }
  if (values.length === 0) return [0, 1];
  const sorted = Float64Array.from(values).sort(), last = sorted.length - 1;
  const range: Range = [sorted[Math.floor(low * last)], sorted[Math.ceil(high * last)]];
  if (range[1] > range[0]) return range;
  return sorted[last] > sorted[0] ? [sorted[0], sorted[last]] : [sorted[0], sorted[0] + (Math.abs(sorted[0]) || 1)];
}

/** Formats a number with three digits. */
export function short(x: number): string {
  if (!Number.isFinite(x)) return "–";
  const size = Math.abs(x);
  if (x === 0) return "0";
  return size >= 1e5 || size < 1e-3 ? x.toExponential(2).replace("e+", "e") : String(Number(x.toPrecision(3)));
}
