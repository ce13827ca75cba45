// The frames of several results at one time, and the values that colour them.

import { quantileRange, type Range } from "./colour";
import { type Field, type Frame, frameAt, type Recording } from "./recording";

/** Distance of each vertex to the same vertex of the first result. */
export const DISTANCE: Field = { name: "distance", label: "distance to 1, m" };
/** Number of frames of each result from which the range of colours is taken. */
const SAMPLES = 9;
/** Number of frames that are fetched ahead. */
const AHEAD = 6;

/** Returns the fields that all results have, and the distance between them if their surfaces are the same. */
export function commonFields(recordings: Recording[]): Field[] {
  const [first, ...others] = recordings;
  if (!first) return [];
  const common = first.fields.filter((f) => others.every((r) => r.fields.some((g) => g.name === f.name)));
  const same = others.length > 0 && others.every((r) => r.topology.vertices === first.topology.vertices);
  return same ? [...common, DISTANCE] : common;
}

const stored = (field: string | null) => (field === DISTANCE.name ? null : field);

/** The frames of several results at one time, with values for their colours. */
export interface Moment {
  frames: Frame[];
  values: (Float32Array | null)[];
}

/** Returns the positions of a result at a time, interpolated between its frames. `null` if they are not at hand. */
function positionsAt(r: Recording, t: number): Float32Array | null {
  const i = frameAt(r.times, t), j = Math.min(i + 1, r.times.length - 1);
  const a = r.peek(i, null), share = j > i ? (t - r.times[i]) / (r.times[j] - r.times[i]) : 0;
  if (!a || share < 1e-6) return a?.positions ?? null;
  const b = r.peek(j, null);
  if (!b) return null;
  const s = Math.min(1, share);
  return a.positions.map((x, k) => x + s * (b.positions[k] - x));
}

function distances(frame: Frame, reference: Float32Array): Float32Array {
  const p = frame.positions, out = new Float32Array(p.length / 3);
  for (let v = 0, k = 0; v < out.length; v++, k += 3) {
    out[v] = Math.hypot(p[k] - reference[k], p[k + 1] - reference[k + 1], p[k + 2] - reference[k + 2]);
  }
  return out;
}

/** Returns everything at a time if it is at hand, and starts to fetch what is missing and what comes next. */
export function momentAt(recordings: Recording[], t: number, field: string | null): Moment | null {
  const kind = stored(field), frames: Frame[] = [];
  let missing = false;
  for (const r of recordings) {
    const i = frameAt(r.times, t), frame = r.peek(i, kind);
    if (frame) frames.push(frame);
    else {
      missing = true;
      r.frame(i, kind).catch(() => {});
    }
  }
  if (missing) return null;
  if (field !== DISTANCE.name) {
    recordings.forEach((r) => fetchAhead(r, t, kind));
    return { frames, values: frames.map((f) => (field ? f.field ?? null : null)) };
  }
  const values: Float32Array[] = [];
  for (const frame of frames) {
    const reference = positionsAt(recordings[0], frame.t);
    if (!reference) {
      const i = frameAt(recordings[0].times, frame.t);
      [i, Math.min(i + 1, recordings[0].times.length - 1)].forEach((k) => recordings[0].frame(k, null).catch(() => {}));
      return null;
    }
    values.push(distances(frame, reference));
  }
  recordings.forEach((r) => fetchAhead(r, t, null));
  return { frames, values };
}

/** Fetches the first of the next frames that is missing, so that at most one request of a result waits ahead. */
function fetchAhead(r: Recording, t: number, kind: string | null) {
  const now = frameAt(r.times, t);
  for (let i = now + 1; i <= Math.min(now + AHEAD, r.times.length - 1); i++) {
    if (r.peek(i, kind)) continue;
    r.frame(i, kind).catch(() => {});
    return;
  }
}

const sampleFrames = (count: number) => {
  const n = Math.min(count, SAMPLES);
  return [...new Set(Array.from({ length: n }, (_, k) => (n > 1 ? Math.round((k * (count - 1)) / (n - 1)) : 0)))];
};

/** Returns the range of a field over all results, between two quantiles. */
export async function fieldRange(recordings: Recording[], field: string, quantiles: Range): Promise<Range> {
  const jobs = recordings.flatMap((r) => sampleFrames(r.times.length).map(async (i) => {
    const frame = await r.frame(i, stored(field));
    if (field !== DISTANCE.name) return frame.field ?? new Float32Array();
    if (r === recordings[0]) return new Float32Array();
    const k = frameAt(recordings[0].times, frame.t), last = recordings[0].times.length - 1;
    await Promise.all([recordings[0].frame(k, null), recordings[0].frame(Math.min(k + 1, last), null)]);
    const reference = positionsAt(recordings[0], frame.t);
    return reference ? distances(frame, reference) : new Float32Array();
  }));
  const range = quantileRange(await Promise.all(jobs), quantiles);
  // Magnitudes are compared with zero.
  return range[0] > 0 && range[0] < 0.3 * range[1] ? [0, range[1]] : range;
}

/** Returns the first frame and a few later ones of each result, for the camera. */
export async function overview(recordings: Recording[]): Promise<Frame[][]> {
  return Promise.all(recordings.map((r) =>
    Promise.all(sampleFrames(r.times.length).map((i) => r.frame(i, null)))));
}
