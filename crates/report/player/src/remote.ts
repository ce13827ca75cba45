// Results that a server reads from their folders.

import { type Curves, type Field, type Frame, type Recording, type Topology, unpack, unpackTopology } from "./recording";

/** Bytes of frames that a page keeps for each result. */
const CACHE_BYTES = 256 << 20;

/** Address of a resource of the server, with the token of the page. */
export function address(path: string): string {
  const token = new URLSearchParams(location.search).get("token") ?? "";
  return `${path}${path.includes("?") ? "&" : "?"}token=${encodeURIComponent(token)}`;
}

async function get(path: string): Promise<Response> {
  const response = await fetch(address(path));
  if (!response.ok) throw new Error(`${path}: ${(await response.text()) || response.status}`);
  return response;
}

export const getBuffer = async (path: string): Promise<ArrayBuffer> => (await get(path)).arrayBuffer();
export const getJson = async (path: string): Promise<any> => (await get(path)).json();

/** A result in a folder of the server. */
export class RemoteRecording implements Recording {
  readonly name: string;
  readonly method: string;
  readonly times: number[];
  readonly fields: Field[];
  readonly report: string;
  readonly curves: Curves;
  private readonly cache = new Map<string, Frame>();
  private readonly pending = new Map<string, Promise<Frame>>();
  private bytes = 0;

  private constructor(private readonly path: string, about: any, readonly topology: Topology) {
    this.name = about.name;
    this.method = about.method;
    this.times = about.times;
    this.fields = about.fields;
    this.curves = about.curves;
    this.report = about.report ? address(`${path}/files/report.html`) : "";
  }

  static async open(index: number): Promise<RemoteRecording> {
    const path = `/api/result/${index}`;
    const [about, topology] = await Promise.all([getJson(path), get(`${path}/topology`).then((r) => r.arrayBuffer())]);
    return new RemoteRecording(path, about, unpackTopology(topology));
  }

  peek(index: number, field: string | null): Frame | undefined {
    return this.cache.get(`${index} ${field ?? ""}`);
  }

  frame(index: number, field: string | null): Promise<Frame> {
    const key = `${index} ${field ?? ""}`, known = this.cache.get(key);
    if (known) return Promise.resolve(known);
    let coming = this.pending.get(key);
    if (!coming) {
      coming = this.load(index, field, key).finally(() => this.pending.delete(key));
      this.pending.set(key, coming);
    }
    return coming;
  }

  private async load(index: number, field: string | null, key: string): Promise<Frame> {
    const query = field ? `?field=${encodeURIComponent(field)}` : "";
    const { header, arrays } = unpack(await (await get(`${this.path}/frame/${index}${query}`)).arrayBuffer());
    const frame = { t: header.t, positions: arrays.positions, field: arrays.field, obstacles: arrays.obstacles };
    this.cache.set(key, frame);
    this.bytes += frame.positions.buffer.byteLength;
    // The oldest frames go first.
    for (const [old, { positions }] of this.cache) {
      if (this.bytes <= CACHE_BYTES || old === key) break;
      this.cache.delete(old);
      this.bytes -= positions.buffer.byteLength;
    }
    return frame;
  }
}
