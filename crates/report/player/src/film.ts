// Results inside a page: positions in 16 bits, in base64.

import type { Curves, Field, Frame, Recording, Topology } from "./recording";

function bytes(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
}

const words = (text: string) => new Uint32Array(bytes(text).buffer);

/** Body number of the triangles of obstacles. */
const OBSTACLE_BODY = 255;

/** The animation of a page, as `scene::observe::Film` writes it. */
export class FilmRecording implements Recording {
  curves?: Curves;
  colour?: string;
  readonly times: number[];
  readonly topology: Topology;
  readonly fields: Field[] = [
    { name: "displacement", label: "displacement, m" },
    { name: "speed", label: "speed, m/s" },
  ];
  private readonly frames: Uint16Array;
  /** Vertices of obstacles follow those of the bodies. */
  private readonly first: number;
  private readonly cache = new Map<number, Float32Array>();

  constructor(private readonly film: any, readonly name: string, readonly method: string) {
    this.times = film.times;
    this.frames = new Uint16Array(bytes(film.frames).buffer);
    const triangles = words(film.triangles), bodies = bytes(film.bodies);
    let solid = bodies.indexOf(OBSTACLE_BODY);
    if (solid < 0) solid = bodies.length;
    const rest = triangles.subarray(3 * solid);
    this.first = rest.length > 0 ? rest.reduce((a, b) => Math.min(a, b)) : film.vertices;
    this.topology = {
      vertices: this.first, triangles: triangles.slice(0, 3 * solid), bodies: bodies.slice(0, solid), lines: words(film.lines),
      particles: words(film.particles), obstacles: [],
    };
    if (rest.length > 0) this.addObstacles(rest.map((v) => v - this.first));
  }

  /** Splits the surfaces of obstacles into connected parts, so that the ground is known as such. */
  private addObstacles(triangles: Uint32Array) {
    const all = this.positions(0).slice(3 * this.first), parent = Uint32Array.from({ length: all.length / 3 }, (_, v) => v);
    const root = (v: number) => {
      while (parent[v] !== v) v = parent[v] = parent[parent[v]];
      return v;
    };
    const join = (a: number, b: number) => {
      const [low, high] = [root(a), root(b)].sort((x, y) => x - y);
      parent[high] = low;
    };
    for (let t = 0; t < triangles.length; t += 3) [1, 2].forEach((k) => join(triangles[t], triangles[t + k]));
    // Vertices of a part follow each other: those of an obstacle do. Parts that are mixed are kept together.
    const starts = [...parent.keys()].filter((v) => root(v) === v);
    const end = (k: number) => starts[k + 1] ?? parent.length;
    const whole = parent.every((_, v) => v < end(starts.indexOf(root(v))));
    const parts = whole ? starts.map((from, k) => [from, end(k)]) : [[0, parent.length]];
    for (const [from, to] of parts) {
      const own: number[] = [];
      for (let t = 0; t < triangles.length; t += 3) {
        if (triangles[t] >= from && triangles[t] < to) own.push(...triangles.subarray(t, t + 3).map((v) => v - from));
      }
      const points = all.slice(3 * from, 3 * to), flat = this.isFloor(points);
      this.topology.obstacles.push({ name: "obstacle", floor: flat ? points[1] : null, plane: flat, points, triangles: Uint32Array.from(own) });
    }
  }

  private isFloor(points: Float32Array): boolean {
    for (let i = 1; i < points.length; i += 3) if (Math.abs(points[i] - points[1]) > 1e-4) return false;
    return true;
  }

  private positions(index: number): Float32Array {
    let out = this.cache.get(index);
    if (out) return out;
    const { low, high, vertices } = this.film, at = 3 * vertices * index;
    out = new Float32Array(3 * vertices);
    for (let i = 0; i < out.length; i++) {
      const k = i % 3;
      out[i] = low[k] + ((high[k] - low[k]) * this.frames[at + i]) / 65535;
    }
    this.cache.set(index, out);
    return out;
  }

  private field(index: number, name: string | null): Float32Array | undefined {
    if (name === null) return undefined;
    const speed = name === "speed", last = this.times.length - 1;
    const [a, b] = speed ? [Math.max(0, index - 1), Math.min(last, index + 1)] : [0, index];
    const [p, q] = [this.positions(a), this.positions(b)], scale = speed ? 1 / (this.times[b] - this.times[a] || 1) : 1;
    return Float32Array.from({ length: this.first }, (_, v) => {
      const d = [0, 1, 2].map((k) => q[3 * v + k] - p[3 * v + k]);
      return scale * Math.hypot(d[0], d[1], d[2]);
    });
  }

  peek(index: number, field: string | null): Frame {
    const all = this.positions(index), obstacles = all.length > 3 * this.first ? all.subarray(3 * this.first) : undefined;
    return { t: this.times[index], positions: all.subarray(0, 3 * this.first), field: this.field(index, field), obstacles };
  }

  async frame(index: number, field: string | null): Promise<Frame> {
    return this.peek(index, field);
  }
}
