// What the player shows: a surface that does not change and its positions and fields frame by frame.

/** Triangles, springs and particles of the bodies, and the surfaces of obstacles, by vertex numbers. */
export interface Topology {
  vertices: number;
  triangles: Uint32Array;
  /** Number of the body of each triangle. */
  bodies: Uint8Array;
  lines: Uint32Array;
  particles: Uint32Array;
  obstacles: Obstacle[];
  /** Positions at the start, if the message has them. */
  rest?: Float32Array;
}

export interface Obstacle {
  name: string;
  /** Height (m) if it is the ground: a horizontal plane at rest that faces upwards. */
  floor: number | null;
  plane: boolean;
  points: Float32Array;
  triangles: Uint32Array;
}

/** Positions (m), values of the requested field and positions of the obstacles at one time (s). */
export interface Frame {
  t: number;
  positions: Float32Array;
  field?: Float32Array;
  obstacles?: Float32Array;
}

/** A field by which a surface can be coloured. */
export interface Field {
  name: string;
  label: string;
}

/** A result that can be played. */
export interface Recording {
  name: string;
  method: string;
  /** Times of the frames, s. */
  times: number[];
  fields: Field[];
  topology: Topology;
  curves?: Curves;
  /** Colour of the curves, if the page has given it one. */
  colour?: string;
  /** Address of the page of the run. */
  report?: string;
  frame(index: number, field: string | null): Promise<Frame>;
  /** Returns the frame if it is at hand. */
  peek(index: number, field: string | null): Frame | undefined;
}

/** Columns over time: energies and step lengths of the steps, and the cumulative ledger. */
export interface Curves {
  t: number[];
  energies: Record<string, number[]>;
  h: number[];
  newton: number[];
  ledger: LedgerCurve[];
}

export interface LedgerCurve {
  name: string;
  title: string;
  values: number[];
}

/** Returns the index of the last frame that is not later than `t`. */
export function frameAt(times: number[], t: number): number {
  let low = 0, high = times.length - 1;
  const slack = 1e-9 * Math.max(1, Math.abs(t));
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= t + slack) low = middle; else high = middle - 1;
  }
  return low;
}

/** A message of named arrays: the length of a JSON header, the header, and the arrays it lists, each aligned to 4 bytes. */
export function unpack(buffer: ArrayBuffer): { header: any; arrays: Record<string, any> } {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const arrays: Record<string, any> = {};
  let at = 4 + length;
  for (const { name, type, length } of header.arrays) {
    arrays[name] = type === "f32" ? new Float32Array(buffer, at, length)
      : type === "u32" ? new Uint32Array(buffer, at, length) : new Uint8Array(buffer, at, length);
    at += 4 * Math.ceil(arrays[name].byteLength / 4);
  }
  return { header, arrays };
}

/** Reads the surfaces from a message. */
export function unpackTopology(buffer: ArrayBuffer): Topology {
  const { header, arrays } = unpack(buffer);
  let point = 0, corner = 0;
  const obstacles = header.obstacles.map((o: any) => {
    const points = arrays.obstacle_points.subarray(point, point + 3 * o.points);
    const triangles = arrays.obstacle_triangles.subarray(corner, corner + 3 * o.triangles);
    point += 3 * o.points;
    corner += 3 * o.triangles;
    return { name: o.name, floor: o.floor, plane: o.plane, points, triangles };
  });
  return {
    vertices: header.vertices, triangles: arrays.triangles, bodies: arrays.bodies, lines: arrays.lines,
    particles: arrays.particles, obstacles, rest: arrays.rest,
  };
}
