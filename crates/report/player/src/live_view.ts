// The stage of sessions that run: newest frames, colours, and a hand that pulls the vertex under the pointer.

import * as THREE from "three";
import { PALETTE, quantileRange, type Range } from "./colour";
import { element, iconButton, press } from "./dom";
import { compose, saveStill } from "./export";
import type { Hotkey } from "./hotkeys";
import { Legend } from "./legend";
import type { LiveState, Send } from "./live";
import type { Field, Topology } from "./recording";
import { Bounds, type Rectangle, Stage } from "./stage";

/** Fields that follow from the positions. */
const OWN_FIELDS: Field[] = [
  { name: "displacement", label: "displacement, m" }, { name: "speed", label: "speed, m/s" }, { name: "distance", label: "distance to 1, m" },
];
const HAND = "#d55e00", PIN = "#e69f00", MARK = "#0b6bb8";

/** What marks hands and pins in a pane. */
class Marks {
  readonly ball: THREE.Mesh;
  readonly mark: THREE.Mesh;
  readonly line: THREE.Mesh;
  readonly pins: THREE.Mesh[] = [];

  constructor(private readonly group: THREE.Group, private readonly size: number) {
    const shape = (geometry: THREE.BufferGeometry, colour: string, solid = true) => {
      const material = new THREE.MeshStandardMaterial({ color: colour, roughness: 0.4, depthTest: solid, transparent: !solid, opacity: solid ? 1 : 0.9 });
      const mesh = new THREE.Mesh(geometry, material);
      mesh.visible = false;
      mesh.renderOrder = solid ? 0 : 5;
      group.add(mesh);
      return mesh;
    };
    this.ball = shape(new THREE.SphereGeometry(0.016 * size, 24, 16), HAND, false);
    this.mark = shape(new THREE.TorusGeometry(0.018 * size, 0.004 * size, 12, 32), MARK, false);
    this.line = shape(new THREE.CylinderGeometry(0.0045 * size, 0.0045 * size, 1, 10), HAND, false);
    this.makePin = () => shape(new THREE.SphereGeometry(0.014 * size, 20, 14), PIN);
  }

  private readonly makePin: () => THREE.Mesh;

  hand(from: THREE.Vector3 | null, to: THREE.Vector3 | null) {
    this.ball.visible = to !== null;
    this.line.visible = from !== null && to !== null;
    if (to) this.ball.position.copy(to);
    if (!from || !to) return;
    const along = to.clone().sub(from), length = along.length() || 1e-9;
    this.line.position.copy(from).add(to).multiplyScalar(0.5);
    this.line.scale.set(1, length, 1);
    this.line.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), along.divideScalar(length));
  }

  showMark(at: THREE.Vector3 | null, camera: THREE.Camera) {
    this.mark.visible = at !== null;
    if (!at) return;
    this.mark.position.copy(at);
    this.mark.quaternion.copy(camera.quaternion);
  }

  showPins(list: THREE.Vector3[]) {
    while (this.pins.length < list.length) this.pins.push(this.makePin());
    this.pins.forEach((pin, k) => {
      pin.visible = k < list.length;
      if (pin.visible) pin.position.copy(list[k]);
    });
  }
}

/** A vertex that the hand holds, and where it pulls it to. */
interface Hand { vertex: number; pane: number; target: THREE.Vector3; plane: THREE.Plane }

export class LiveView {
  readonly root: HTMLElement;
  readonly stage: Stage;
  readonly transport = element("div", { className: "transport" });
  readonly display = element("div", { className: "display" });
  private readonly canvas = element("canvas", { tabIndex: 0, "aria-label": "Motion of the bodies" });
  private readonly labels = element("div", { className: "labels" });
  private readonly legend = new Legend();
  private readonly fieldSelect = element("select", { title: "Colour by (C)", "aria-label": "Colour by" });
  private marks: Marks[] = [];
  private hand: Hand | null = null;
  private marked = 0;
  private hovered = false;
  private state: LiveState | null = null;
  private arrays: Record<string, Float32Array> = {};
  private previous: { t: number; positions: Float32Array[] } | null = null;
  private fresh = false;
  /** Whether the last frame is not acknowledged yet. */
  private owed = false;
  private moved = false;
  private field = "";
  private fields: Field[] = [];
  private range: Range = [0, 1];
  private bounds = new Bounds();
  private wire = false;
  /** The time as the clock of the page shows it. */
  time = "";
  /** Milliseconds that the preparation of the last frame took, and bytes of the last frame. */
  prepareMs = 0;
  frameBytes = 0;
  /** When the last frame was acknowledged, in milliseconds of the page. */
  acknowledged = 0;
  /** Milliseconds between the last two drawings of the page. */
  drawingMs = 0;
  private drawnAt = 0;

  /** `computed` are the fields that the sessions compute if they are shown. */
  constructor(host: HTMLElement, private readonly topology: Topology, private readonly computed: Field[], private readonly send: Send) {
    const view = element("div", { className: "stage live" }, this.canvas, this.labels, this.legend.root);
    this.root = element("div", { className: "player-root" }, view, this.transport, this.display);
    host.append(this.root);
    this.stage = new Stage(this.canvas);
    // Bodies that are pulled need room.
    this.stage.filled = 0.66;
    this.stage.onLayout = (r) => this.placeLabels(r);
    this.buildDisplay();
    this.listen();
    requestAnimationFrame(() => this.tick());
  }

  private buildDisplay() {
    this.fieldSelect.onchange = () => this.setField(this.fieldSelect.value);
    const wire = iconButton("wire", "Wireframe (W)", () => this.toggleWire());
    press(wire, false);
    this.display.append(this.fieldSelect, element("div", { className: "tools" }, wire, iconButton("home", "Whole view (R)", () => this.home()),
      iconButton("camera", "Save a still (S)", () => void this.still())));
    this.wireButton = wire;
  }

  private wireButton!: HTMLButtonElement;

  /** Builds the panes from the first frame. */
  start(state: LiveState, arrays: Record<string, Float32Array>) {
    const rest = this.topology.rest ?? arrays.positions0;
    this.bounds.add(rest);
    state.sessions.forEach((_, k) => this.bounds.add(arrays[`positions${k}`]));
    for (const o of this.topology.obstacles) if (!o.plane) this.bounds.add(o.points);
    // One body has the colour of its session, several have colours of their own.
    const single = state.sessions.length > 1 && this.topology.bodies.every((b) => b === 0);
    const colour = (k: number) => (single ? PALETTE[k % PALETTE.length] : undefined);
    this.stage.setPanes(state.sessions.map((_, k) => ({ topology: this.topology, first: rest, colour: colour(k) })), this.bounds);
    this.marks = this.stage.panes.map((pane) => new Marks(pane.extras, this.bounds.size));
    const distance = state.sessions.length > 1, own = OWN_FIELDS.filter((f) => f.name !== "distance" || distance);
    this.fields = [...own, ...this.computed];
    this.fieldSelect.replaceChildren(element("option", { value: "" }, "colour by body"), ...this.fields.map((f) =>
      element("option", { value: f.name }, f.label.split(",")[0])));
    this.markNext(0);
  }

  receive(state: LiveState, arrays: Record<string, Float32Array>) {
    if (this.state && state.t !== this.state.t) {
      this.previous = { t: this.state.t, positions: this.state.sessions.map((_, k) => this.arrays[`positions${k}`]) };
    }
    const methods = (s: LiveState | null) => s?.sessions.map((x) => `${x.method} ${x.failed}`).join();
    const renamed = methods(state) !== methods(this.state);
    [this.state, this.arrays, this.fresh, this.owed] = [state, arrays, true, true];
    this.frameBytes = arrays.positions0.buffer.byteLength;
    if (renamed) this.placeLabels(this.stage.rectangles());
  }

  private placeLabels(rectangles: Rectangle[]) {
    this.labels.replaceChildren(...rectangles.map((r, k) => {
      const style = `left:${r.x}px;top:${r.y}px;width:${r.width}px;height:${r.height}px`;
      const { method = "", failed: stopped = false } = this.state?.sessions[k] ?? {};
      const dot = element("i", { className: "dot", style: `background:${PALETTE[k % PALETTE.length]}` });
      return element("div", { className: "pane", style }, element("div", { className: "label" }, dot, `${k + 1}  ${method}`, ...(stopped ? [element("em", {}, "stopped")] : [])));
    }));
  }

  /** Shows the newest frame, sends the hand, and acknowledges. */
  private tick() {
    requestAnimationFrame(() => this.tick());
    const now = performance.now();
    [this.drawingMs, this.drawnAt] = [now - this.drawnAt, now];
    if (this.moved && this.hand) {
      this.moved = false;
      this.send({ type: "drag", to: this.hand.target.toArray() });
    }
    if (this.fresh && this.state) {
      this.fresh = false;
      const begun = performance.now();
      this.update(this.state);
      this.prepareMs = performance.now() - begun;
      this.stage.invalidate();
    }
    if (this.marks.length > 0) this.updateMarks();
    this.stage.render();
    if (this.owed && !this.fresh && this.state) {
      this.owed = false;
      this.acknowledged = performance.now();
      this.send({ type: "ack", frame: this.state.frame });
    }
  }

  private update(state: LiveState) {
    const values = state.sessions.map((_, k) => this.values(state, k));
    const found = values.filter((v) => v !== null);
    if (found.length > 0) this.spread(found);
    this.stage.panes.forEach((pane, k) => {
      const frame = { t: state.t, positions: this.arrays[`positions${k}`], obstacles: this.arrays[`obstacles${k}`] };
      pane.surface.update(frame, values[k], this.range);
    });
    this.stage.follow(this.centre(state), this.hand !== null);
  }

  /** Centre of the bodies of all sessions. */
  private centre(state: LiveState): THREE.Vector3 {
    const sum = new THREE.Vector3(), n = state.sessions.length * this.topology.vertices;
    state.sessions.forEach((_, k) => {
      const p = this.arrays[`positions${k}`];
      for (let i = 0; i + 2 < p.length; i += 3) sum.add({ x: p[i], y: p[i + 1], z: p[i + 2] });
    });
    return sum.divideScalar(Math.max(1, n));
  }

  /** Looks at the bodies where they are, and at obstacles. */
  home() {
    const bounds = new Bounds();
    this.state?.sessions.forEach((_, k) => bounds.add(this.arrays[`positions${k}`]));
    for (const o of this.topology.obstacles) if (!o.plane) bounds.add(o.points);
    this.stage.lookAt(bounds);
  }

  private values(state: LiveState, k: number): Float32Array | null {
    if (!this.field) return null;
    if (this.computed.some((f) => f.name === this.field)) return this.arrays[`${this.field}${k}`] ?? null;
    const p = this.arrays[`positions${k}`], out = new Float32Array(p.length / 3);
    let from = this.topology.rest ?? p, scale = 1;
    if (this.field === "distance") from = this.arrays.positions0;
    if (this.field === "speed") {
      from = this.previous?.positions[k] ?? p;
      scale = this.previous ? 1 / Math.max(1e-9, state.t - this.previous.t) : 0;
    }
    for (let v = 0, i = 0; v < out.length; v++, i += 3) out[v] = scale * Math.hypot(p[i] - from[i], p[i + 1] - from[i + 1], p[i + 2] - from[i + 2]);
    return out;
  }

  /** Widens the range of colours at once and narrows it slowly. */
  private spread(values: Float32Array[]) {
    const [, high] = quantileRange(values, [0, 0.98]);
    this.range = [0, Math.max(high, 0.97 * this.range[1], 1e-9)];
    this.legend.show(this.label, this.range);
  }

  private get label(): string {
    return this.fields.find((f) => f.name === this.field)?.label ?? "";
  }

  setField(field: string) {
    [this.field, this.range, this.fresh] = [field, [0, 0], true];
    this.fieldSelect.value = field;
    this.send(this.computed.some((f) => f.name === field) ? { type: "show", field } : { type: "show" });
    if (!field) this.legend.hide();
  }

  private updateMarks() {
    const hand = this.hand, pins = this.state?.pins ?? [];
    this.stage.panes.forEach((pane, k) => {
      const mark = this.marks[k], at = (v: number) => pane.surface.position(v);
      mark.hand(hand && at(hand.vertex), hand && hand.target);
      mark.showMark(!hand && (this.hovered || document.activeElement === this.canvas) ? at(this.marked) : null, this.stage.camera);
      mark.showPins(pins.map(at));
    });
  }

  private listen() {
    const canvas = this.canvas, capture = { capture: true };
    canvas.addEventListener("pointerdown", (e) => this.press(e), capture);
    canvas.addEventListener("pointermove", (e) => this.move(e), capture);
    for (const name of ["pointerup", "pointercancel"] as const) canvas.addEventListener(name, (e) => this.hand && this.letGo(e), capture);
    canvas.addEventListener("dblclick", () => this.hovered && this.togglePin());
    canvas.addEventListener("pointerleave", () => {
      this.hovered = false;
      this.stage.invalidate();
    });
  }

  private under(e: PointerEvent): { vertex: number; pane: number; point: THREE.Vector3 } | null {
    const at = this.stage.rayAt(e.clientX, e.clientY), pane = at && this.stage.panes[at.pane];
    const hit = pane?.surface.pick(at!.ray);
    return hit ? { ...hit, pane: at!.pane } : null;
  }

  private press(e: PointerEvent) {
    if (e.button !== 0 || !this.state || this.hand) return;
    const hit = this.under(e);
    if (!hit) return;
    this.marked = hit.vertex;
    this.close(hit.vertex, hit.pane);
    this.stage.controls.enabled = false;
    this.canvas.setPointerCapture(e.pointerId);
  }

  private close(vertex: number, pane: number) {
    const at = this.stage.panes[pane].surface.position(vertex), facing = this.stage.camera.getWorldDirection(new THREE.Vector3());
    this.hand = { vertex, pane, target: at, plane: new THREE.Plane().setFromNormalAndCoplanarPoint(facing, at) };
    this.send({ type: "grab", vertex });
    this.stage.invalidate();
  }

  private move(e: PointerEvent) {
    if (this.hand && !this.stage.controls.enabled) {
      const ray = this.stage.rayIn(this.hand.pane, e.clientX, e.clientY), to = ray.ray.intersectPlane(this.hand.plane, new THREE.Vector3());
      if (to) this.pull(to);
      return;
    }
    if (e.buttons !== 0 || e.pointerType === "touch") return;
    const hit = this.under(e);
    this.hovered = hit !== null;
    if (hit) this.marked = hit.vertex;
    this.canvas.style.cursor = hit ? "pointer" : "";
    this.stage.invalidate();
  }

  private pull(to: THREE.Vector3) {
    if (!this.hand) return;
    this.hand.target.copy(to);
    this.moved = true;
    this.stage.invalidate();
  }

  private letGo(e?: PointerEvent) {
    if (this.moved && this.hand) this.send({ type: "drag", to: this.hand.target.toArray() });
    this.hand = null;
    this.moved = false;
    this.stage.controls.enabled = true;
    this.send({ type: "release" });
    this.stage.invalidate();
    if (e && this.canvas.hasPointerCapture(e.pointerId)) this.canvas.releasePointerCapture(e.pointerId);
  }

  /** Closes the hand at the marked vertex, or opens it. */
  toggleHand() {
    if (this.hand) this.letGo();
    else this.close(this.marked, 0);
  }

  /** Moves a closed hand across the screen by a twentieth of the scene. Returns whether there is one. */
  nudge(right: number, up: number): boolean {
    if (!this.hand) return false;
    const size = this.bounds.size / 20, axis = (k: number) => new THREE.Vector3().setFromMatrixColumn(this.stage.camera.matrixWorld, k);
    this.pull(this.hand.target.clone().addScaledVector(axis(0), right * size).addScaledVector(axis(1), up * size));
    return true;
  }

  /** Marks a vertex some way on, or the one nearest to the centre of the view. */
  markNext(by = 1) {
    const n = this.topology.vertices;
    this.marked = by === 0 ? 0 : (this.marked + by * Math.max(1, Math.floor(n / 37))) % n;
    this.hovered = by !== 0;
    this.stage.invalidate();
  }

  togglePin() {
    const pinned = this.state?.pins.includes(this.marked);
    this.send({ type: pinned ? "unpin" : "pin", vertex: this.marked });
  }

  private toggleWire() {
    this.wire = !this.wire;
    this.stage.panes.forEach((p) => p.surface.showEdges(this.wire));
    press(this.wireButton, this.wire);
    this.stage.invalidate();
  }

  async still() {
    const canvas = element("canvas");
    this.stage.invalidate();
    this.stage.render();
    const names = this.state?.sessions.map((s, k) => `${k + 1}  ${s.method}`) ?? [], { label } = this;
    compose(this.canvas, canvas, {
      rectangles: this.stage.rectangles(), names, time: this.time, legend: label ? { label, range: this.range } : null,
    });
    await saveStill(canvas, `supple-${this.time.replace(" ", "")}.png`);
  }

  hotkeys(): Hotkey[] {
    const turn = Math.PI / 24, fields = () => [...this.fieldSelect.options].map((o) => o.value);
    return [
      { key: "c", does: "colour by the next field", act: () => this.setField(fields()[(fields().indexOf(this.field) + 1) % fields().length]) },
      { key: "w", does: "wireframe", act: () => this.toggleWire() },
      { key: "r", does: "whole view", act: () => this.home() },
      { key: "j", shown: "J L", does: "turn the camera left, right", act: () => this.stage.orbit(-turn, 0) },
      { key: "l", shown: "", does: "", act: () => this.stage.orbit(turn, 0) },
      { key: "i", shown: "I K", does: "tilt the camera up, down", act: () => this.stage.orbit(0, -turn) },
      { key: "k", shown: "", does: "", act: () => this.stage.orbit(0, turn) },
      { key: "+", shown: "+ −", does: "zoom", act: () => this.stage.dolly(0.85) },
      { key: "-", shown: "", does: "", act: () => this.stage.dolly(1 / 0.85) },
      { key: "s", does: "save a still", act: () => void this.still() },
    ];
  }
}
