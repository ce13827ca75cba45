// The player: stage, transport and display options for one to four results with one camera and one clock.

import type { Range } from "./colour";
import { element, fillTrack, iconButton, press, setIcon, toast } from "./dom";
import { type Caption, ClipRecorder, compose, download, saveStill } from "./export";
import { commonFields, fieldRange, momentAt, overview } from "./frames";
import type { Hotkey } from "./hotkeys";
import { Legend } from "./legend";
import { frameAt, type Recording } from "./recording";
import { Bounds, type Rectangle, Stage } from "./stage";
import { clockText, slowdown, speedsFor, speedText } from "./time";

const QUANTILES: Record<string, Range> = { robust: [0.02, 0.98], full: [0, 1] };

export class Player {
  readonly root: HTMLElement;
  readonly stage: Stage;
  readonly transport = element("div", { className: "transport" });
  readonly display = element("div", { className: "display" });
  readonly overlay = element("div", { className: "overlay" });
  /** Called when the time changes. */
  onTime: (t: number) => void = () => {};
  /** Milliseconds that the preparation of the last frame took. */
  prepareMs = 0;
  t = 0;
  playing = false;
  speed = 1;
  field: string | null = null;
  range: Range = [0, 1];
  recordings: Recording[] = [];
  private speeds = [1];
  private quantiles = "robust";
  private shown = "";
  private lastTick = 0;
  private disposed = false;
  private clip: { recorder: ClipRecorder; canvas: HTMLCanvasElement } | null = null;
  private readonly canvas = element("canvas", { tabIndex: 0, "aria-label": "Motion of the bodies" });
  private readonly labels = element("div", { className: "labels" });
  private readonly legend = new Legend();
  private readonly playButton = iconButton("play", "Play or pause (space)", () => this.toggle());
  private readonly slider = element("input", { type: "range", min: "0", max: "1", step: "any", value: "0", "aria-label": "Time" });
  private readonly clock = element("output", { className: "clock", "aria-label": "Time" });
  private readonly length = element("span", { className: "length" });
  private readonly speedSelect = element("select", { title: "Speed ([ and ])", "aria-label": "Speed" });
  private readonly fieldSelect = element("select", { title: "Colour by (C)", "aria-label": "Colour by" });
  private readonly quantileSelect = element("select", { title: "Range of the colours", "aria-label": "Range of the colours" });
  private readonly toggles: Record<string, { button: HTMLButtonElement; on: boolean; apply: (on: boolean) => void }> = {};

  constructor(readonly host: HTMLElement) {
    const view = element("div", { className: "stage" }, this.canvas, this.labels, this.legend.root, this.overlay);
    this.root = element("div", { className: "player-root" }, view, element("div", { className: "timeline" }, this.slider), this.transport, this.display);
    host.append(this.root);
    this.stage = new Stage(this.canvas);
    this.stage.onLayout = (r) => this.placeLabels(r);
    this.buildTransport();
    this.buildDisplay();
    requestAnimationFrame((now) => this.tick(now));
  }

  private buildTransport() {
    this.speedSelect.onchange = () => (this.speed = Number(this.speedSelect.value));
    this.slider.oninput = () => {
      this.pause();
      this.seek(Number(this.slider.value));
    };
    this.transport.append(
      iconButton("back", "One frame back (←)", () => this.stepFrames(-1)), this.playButton,
      iconButton("next", "One frame on (→)", () => this.stepFrames(1)), this.clock, this.length, this.speedSelect,
    );
    this.playButton.classList.add("main");
  }

  private buildDisplay() {
    this.fieldSelect.onchange = () => void this.setField(this.fieldSelect.value || null);
    for (const [value, text] of [["robust", "2–98 %"], ["full", "full range"]]) {
      this.quantileSelect.append(element("option", { value }, text));
    }
    this.quantileSelect.onchange = () => {
      this.quantiles = this.quantileSelect.value;
      void this.setField(this.field);
    };
    const surfaces = () => this.stage.panes.map((p) => p.surface);
    const toggle = (name: string, icon: string, title: string, on: boolean, apply: (on: boolean) => void) => {
      const button = iconButton(icon, title, () => this.toggleOption(name));
      this.toggles[name] = { button, on, apply };
      press(button, on);
      return button;
    };
    const tools = element("div", { className: "tools" },
      toggle("wire", "wire", "Wireframe (W)", false, (on) => surfaces().forEach((s) => s.showEdges(on))),
      toggle("ground", "ground", "Ground (G)", true, (on) => this.stage.panes.forEach((p) => (p.ground.visible = on))),
      toggle("obstacles", "block", "Obstacles (O)", true, (on) => surfaces().forEach((s) => s.showObstacles(on))),
      iconButton("home", "Whole view (R)", () => this.stage.home()),
      iconButton("camera", "Save a still (S)", () => void this.still()),
      iconButton("film", "Save a clip (V)", () => void this.saveClip()),
    );
    this.quantileSelect.hidden = true;
    this.display.append(this.fieldSelect, this.quantileSelect, tools);
  }

  /** Shows results from their first frames on. */
  async show(recordings: Recording[]) {
    this.recordings = recordings;
    const frames = await overview(recordings), bounds = new Bounds();
    frames.flat().forEach((f) => bounds.add(f.positions));
    for (const o of recordings.flatMap((r) => r.topology.obstacles)) if (!o.plane) bounds.add(o.points);
    this.stage.setPanes(recordings.map((r, k) => ({ topology: r.topology, first: frames[k][0].positions })), bounds);
    const fields = commonFields(recordings);
    this.fieldSelect.replaceChildren(element("option", { value: "" }, "colour by body"), ...fields.map((f) =>
      element("option", { value: f.name }, f.label.split(",")[0])));
    const duration = this.end - this.start;
    [this.speeds, this.speed] = [speedsFor(duration), slowdown(duration)];
    this.speedSelect.replaceChildren(...this.speeds.map((s) => element("option", { value: String(s) }, speedText(s))));
    this.speedSelect.value = String(this.speed);
    this.length.textContent = `of ${clockText(this.end, this.end)}`;
    this.slider.min = String(this.start);
    this.slider.max = String(this.end);
    Object.values(this.toggles).forEach(({ on, apply }) => apply(on));
    this.seek(this.start);
  }

  get start(): number { return Math.min(...this.recordings.map((r) => r.times[0])); }
  get end(): number { return Math.max(...this.recordings.map((r) => r.times[r.times.length - 1])); }

  private placeLabels(rectangles: Rectangle[]) {
    this.labels.replaceChildren(...rectangles.map((r, k) => {
      const style = `left:${r.x}px;top:${r.y}px;width:${r.width}px;height:${r.height}px`;
      const name = element("div", { className: "label" }, this.label(k));
      return element("div", { className: "pane", style }, name);
    }));
  }

  /** Name of a pane: what tells its result from the others. */
  label = (k: number): string => {
    const r = this.recordings[k], alike = this.recordings.length > 1 && this.recordings.every((other) => other.name === r?.name);
    if (!r) return "";
    const number = this.recordings.length > 1 ? `${k + 1}  ` : "";
    return number + (alike && r.method ? r.method : [r.name, r.method].filter(Boolean).join(" · "));
  };

  toggleOption(name: string) {
    const option = this.toggles[name];
    option.on = !option.on;
    option.apply(option.on);
    press(option.button, option.on);
    this.stage.invalidate();
  }

  toggle() {
    if (this.playing) this.pause();
    else {
      if (this.t >= this.end - 1e-9) this.seek(this.start);
      this.playing = true;
      this.lastTick = performance.now();
      setIcon(this.playButton, "pause");
    }
  }

  pause() {
    this.playing = false;
    setIcon(this.playButton, "play");
  }

  seek(t: number) {
    this.t = Math.min(this.end, Math.max(this.start, t));
    this.slider.value = String(this.t);
    fillTrack(this.slider);
    this.clock.textContent = clockText(this.t, this.end);
    this.onTime(this.t);
  }

  /** Moves by frames of the result with the most of them. */
  stepFrames(n: number) {
    this.pause();
    const { times } = this.recordings.reduce((a, b) => (b.times.length > a.times.length ? b : a));
    this.seek(times[Math.min(times.length - 1, Math.max(0, frameAt(times, this.t) + n))]);
  }

  setSpeed(direction: number) {
    const k = this.speeds.indexOf(this.speed) + direction;
    this.speed = this.speeds[Math.min(this.speeds.length - 1, Math.max(0, k))];
    this.speedSelect.value = String(this.speed);
  }

  async setField(field: string | null) {
    this.fieldSelect.value = field ?? "";
    if (field) this.range = await fieldRange(this.recordings, field, QUANTILES[this.quantiles]);
    this.field = field;
    this.quantileSelect.hidden = !field;
    const label = commonFields(this.recordings).find((f) => f.name === field)?.label ?? "";
    if (field) this.legend.show(label, this.range, this.quantiles === "robust" ? "2–98 %" : "all");
    else this.legend.hide();
    this.shown = "";
  }

  private nextField() {
    const options = [...this.fieldSelect.options].map((o) => o.value), k = options.indexOf(this.field ?? "");
    void this.setField(options[(k + 1) % options.length] || null);
  }

  /** Ends the player and frees its graphics. */
  dispose() {
    this.disposed = true;
    this.pause();
    this.stage.dispose();
  }

  private tick(now: number) {
    if (this.disposed) return;
    requestAnimationFrame((next) => this.tick(next));
    if (this.recordings.length > 0) this.advance(now);
    const drawn = this.stage.render();
    if (this.clip && drawn) compose(this.canvas, this.clip.canvas, this.caption());
  }

  /** Moves the clock and shows its frame. The clock waits for frames that have not arrived. */
  private advance(now: number) {
    const waiting = momentAt(this.recordings, this.t, this.field) === null;
    if (this.playing && !waiting) {
      const t = this.t + (this.speed * Math.min(100, now - this.lastTick)) / 1000;
      if (t >= this.end) {
        if (this.clip) this.pause();
        this.seek(this.clip ? this.end : this.start);
      } else this.seek(t);
    }
    this.lastTick = now;
    const moment = momentAt(this.recordings, this.t, this.field);
    if (!moment) return;
    const key = [this.field, ...this.range, ...this.recordings.map((r) => frameAt(r.times, this.t))].join(" ");
    if (key === this.shown) return;
    this.shown = key;
    const begun = performance.now();
    this.stage.panes.forEach((pane, k) => pane.surface.update(moment.frames[k], moment.values[k], this.range));
    this.prepareMs = performance.now() - begun;
    this.stage.invalidate();
  }

  caption(): Caption {
    const label = commonFields(this.recordings).find((f) => f.name === this.field)?.label;
    const names = this.stage.panes.map((_, k) => this.label(k));
    return { rectangles: this.stage.rectangles(), names, time: this.clock.textContent ?? "", legend: label ? { label, range: this.range } : null };
  }

  async still() {
    const canvas = element("canvas");
    this.stage.invalidate();
    this.stage.render();
    compose(this.canvas, canvas, this.caption());
    await saveStill(canvas, `supple-${clockText(this.t, this.end).replace(" ", "")}.png`);
  }

  /** Plays from the start to the end and saves it as WebM; a second call ends the clip early. */
  async saveClip() {
    if (this.clip) return this.pause();
    const canvas = element("canvas");
    try {
      compose(this.canvas, canvas, this.caption());
      this.clip = { recorder: new ClipRecorder(canvas), canvas };
    } catch (error) {
      return toast(this.root, String(error), true);
    }
    toast(this.root, "Recording; V ends the clip");
    this.seek(this.start);
    this.playing = false;
    this.toggle();
    while (this.playing) await new Promise((next) => setTimeout(next, 50));
    const blob = await this.clip.recorder.stop();
    this.clip = null;
    download(blob, "supple.webm");
  }

  /** Keys of the player. */
  hotkeys(): Hotkey[] {
    const turn = Math.PI / 24;
    return [
      { key: " ", does: "play or pause", act: () => this.toggle() },
      { key: "ArrowRight", shown: "→", does: "one frame on", act: () => this.stepFrames(1) },
      { key: "ArrowLeft", shown: "←", does: "one frame back", act: () => this.stepFrames(-1) },
      { key: "Shift+ArrowRight", shown: "⇧ →", does: "ten frames on", act: () => this.stepFrames(10) },
      { key: "Shift+ArrowLeft", shown: "⇧ ←", does: "ten frames back", act: () => this.stepFrames(-10) },
      { key: "Home", does: "to the start", act: () => this.seek(this.start) },
      { key: "End", does: "to the end", act: () => this.seek(this.end) },
      { key: "]", does: "faster", act: () => this.setSpeed(1) },
      { key: "[", does: "slower", act: () => this.setSpeed(-1) },
      { key: "c", does: "colour by the next field", act: () => this.nextField() },
      { key: "w", does: "wireframe", act: () => this.toggleOption("wire") },
      { key: "g", does: "ground", act: () => this.toggleOption("ground") },
      { key: "o", does: "obstacles", act: () => this.toggleOption("obstacles") },
      { key: "r", does: "whole view", act: () => this.stage.home() },
      { key: "j", shown: "J L", does: "turn the camera left, right", act: () => this.stage.orbit(-turn, 0) },
      { key: "l", shown: "", does: "", act: () => this.stage.orbit(turn, 0) },
      { key: "i", shown: "I K", does: "tilt the camera up, down", act: () => this.stage.orbit(0, -turn) },
      { key: "k", shown: "", does: "", act: () => this.stage.orbit(0, turn) },
      { key: "+", shown: "+ −", does: "zoom", act: () => this.stage.dolly(0.85) },
      { key: "-", shown: "", does: "", act: () => this.stage.dolly(1 / 0.85) },
      { key: "s", does: "save a still", act: () => void this.still() },
      { key: "v", does: "save a clip", act: () => void this.saveClip() },
    ];
  }
}
