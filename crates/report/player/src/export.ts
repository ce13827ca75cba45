// Stills and clips: what the canvas shows, with names and colour scale, on the background of the theme.

import { GRADIENT_STOPS, short, type Range } from "./colour";
import { element } from "./dom";
import type { Rectangle } from "./stage";

export interface Caption {
  rectangles: Rectangle[];
  names: string[];
  time: string;
  legend: { label: string; range: Range } | null;
}

/** Draws the panes with captions into a two-dimensional canvas of the same number of pixels. */
export function compose(source: HTMLCanvasElement, target: HTMLCanvasElement, caption: Caption) {
  if (target.width !== source.width || target.height !== source.height) {
    target.width = source.width;
    target.height = source.height;
  }
  const pen = target.getContext("2d");
  if (!pen) return;
  const scale = source.width / Math.max(1, source.clientWidth), style = getComputedStyle(document.documentElement);
  const sky = pen.createLinearGradient(0, 0, 0, target.height);
  sky.addColorStop(0, style.getPropertyValue("--sky-top") || "#f4f6f9");
  sky.addColorStop(1, style.getPropertyValue("--sky-bottom") || "#d9dfe7");
  pen.fillStyle = sky;
  pen.fillRect(0, 0, target.width, target.height);
  pen.drawImage(source, 0, 0);
  pen.scale(scale, scale);
  const ink = style.getPropertyValue("--ink") || "#222";
  pen.fillStyle = ink;
  pen.font = "600 14px system-ui, sans-serif";
  caption.rectangles.forEach((r, k) => pen.fillText(caption.names[k] ?? "", r.x + 14, r.y + 26));
  pen.textAlign = "right";
  pen.fillText(caption.time, source.clientWidth - 14, 26);
  pen.textAlign = "left";
  if (caption.legend) drawLegend(pen, caption.legend, source.clientHeight, ink);
  pen.resetTransform();
}

function drawLegend(pen: CanvasRenderingContext2D, { label, range }: NonNullable<Caption["legend"]>, height: number, ink: string) {
  const width = 180, x = 14, y = height - 34;
  const bar = pen.createLinearGradient(x, 0, x + width, 0);
  GRADIENT_STOPS.forEach((c, k) => bar.addColorStop(k / (GRADIENT_STOPS.length - 1), c));
  pen.fillStyle = bar;
  pen.fillRect(x, y, width, 10);
  pen.fillStyle = ink;
  pen.font = "12px system-ui, sans-serif";
  pen.fillText(label, x, y - 6);
  pen.fillText(short(range[0]), x, y + 24);
  pen.textAlign = "right";
  pen.fillText(short(range[1]), x + width, y + 24);
  pen.textAlign = "left";
}

/** Offers a file to the user. */
export function download(blob: Blob, name: string) {
  const url = URL.createObjectURL(blob);
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Saves the composed picture as PNG. */
export function saveStill(canvas: HTMLCanvasElement, name: string): Promise<void> {
  return new Promise((done) => canvas.toBlob((blob) => {
    if (blob) download(blob, name);
    done();
  }, "image/png"));
}

/** Records a canvas as WebM until it is stopped. */
export class ClipRecorder {
  private readonly recorder: MediaRecorder;
  private readonly parts: Blob[] = [];

  constructor(canvas: HTMLCanvasElement) {
    const types = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];
    const mimeType = types.find((t) => MediaRecorder.isTypeSupported(t));
    if (!mimeType) throw new Error("this browser cannot record WebM; `supple render OUT --video FILE.gif` can write a clip");
    this.recorder = new MediaRecorder(canvas.captureStream(60), { mimeType, videoBitsPerSecond: 12_000_000 });
    this.recorder.ondataavailable = (e) => this.parts.push(e.data);
    this.recorder.start(250);
  }

  /** Ends the clip and returns it. */
  stop(): Promise<Blob> {
    return new Promise((done) => {
      this.recorder.onstop = () => done(new Blob(this.parts, { type: "video/webm" }));
      this.recorder.stop();
    });
  }
}
