// What can be changed while sessions run: step, gravity, stiffness, damping, friction. Each change is an event of all sessions.

import { short } from "./colour";
import { element, fillTrack } from "./dom";
import type { Send } from "./live";

interface Control {
  label: string;
  title: string;
  min: number; max: number; value: number; step: number;
  shown: (x: number) => string;
  /** The change that sets a value. */
  change: (x: number) => Record<string, unknown>;
  /** Returns the value that changes have set, if they have. */
  read: (set: any) => number | undefined;
}

const STANDARD_GRAVITY = 9.81;

function controls(about: any): Control[] {
  const [gx, gy, gz] = about.gravity as number[], size = Math.hypot(gx, gy, gz);
  const direction = size > 0 ? [gx / size, gy / size, gz / size] : [0, -1, 0];
  const damping = { mass: 0, stiffness: 0, drag: 0, "rigid-free": 0, ...(about.damping ?? {}) };
  const list: Control[] = [
    {
      label: "stiffness", title: "Factor of all moduli", min: -1, max: 1, value: 0, step: 0.05, shown: (x) => `${short(10 ** x)} ×`,
      change: (x) => ({ stiffness: Number((10 ** x).toPrecision(4)) }), read: (set) => (set.stiffness > 0 ? Math.log10(set.stiffness) : undefined),
    },
    {
      label: "damping", title: "Rayleigh damping of the stiffness", min: 0, max: Math.max(0.05, 2 * damping.stiffness), value: damping.stiffness,
      step: 0.001, shown: (x) => `${short(1e3 * x)} ms`, change: (x) => ({ damping: { ...damping, stiffness: (damping.stiffness = x) } }),
      read: (set) => set.damping && (damping.stiffness = set.damping.stiffness ?? 0),
    },
    {
      label: "drag", title: "Rate at which all velocities decay", min: 0, max: Math.max(5, 2 * damping.drag), value: damping.drag, step: 0.05,
      shown: (x) => `${short(x)} /s`, change: (x) => ({ damping: { ...damping, drag: (damping.drag = x) } }),
      read: (set) => set.damping && (damping.drag = set.damping.drag ?? 0),
    },
    {
      label: "gravity", title: "Acceleration of gravity", min: 0, max: Math.max(20, 2 * size), value: size, step: STANDARD_GRAVITY / 100,
      shown: (x) => `${short(x)} m/s²`, change: (x) => ({ gravity: direction.map((d) => d * x + 0) }),
      read: (set) => set.gravity && Math.hypot(...(set.gravity as number[])),
    },
  ];
  if (about.friction !== null) {
    list.push({
      label: "friction", title: "Coefficient of friction", min: 0, max: Math.max(1.5, about.friction), value: about.friction, step: 0.05, shown: short,
      change: (x) => ({ friction: x }), read: (set) => set.friction,
    });
  }
  if (!about.chooses_steps) {
    const now = Math.log10(about.step);
    list.push({
      label: "step", title: "Time step", min: Math.min(-3.3, now), max: Math.max(-1, now), value: now, step: 0.01, shown: (x) => `${short(1e3 * 10 ** x)} ms`,
      change: (x) => ({ step: Number((10 ** x).toPrecision(3)) }), read: (set) => (set.step > 0 ? Math.log10(set.step) : undefined),
    });
  }
  return list.filter((c) => about.bodies.length > 0 || !["stiffness", "damping", "drag"].includes(c.label));
}

/** Sliders of what can be changed. */
export class Controls {
  readonly root: HTMLElement;
  private readonly rows: { control: Control; input: HTMLInputElement; output: HTMLOutputElement }[];
  private known = "";

  constructor(about: any, send: Send) {
    this.rows = controls(about).map((control) => {
      const { min, max, step, label } = control;
      const input = element("input", { type: "range", min: String(min), max: String(max), step: String(step), "aria-label": label }), output = element("output");
      input.oninput = () => {
        output.textContent = control.shown(Number(input.value));
        fillTrack(input);
      };
      input.onchange = () => send({ type: "set", set: control.change(Number(input.value)) });
      return { control, input, output };
    });
    const labels = this.rows.map(({ control: c, input, output }) => element("label", { title: c.title }, element("span", {}, c.label), input, output));
    this.root = element("details", { className: "controls", open: true }, element("summary", {}, "Scene"), ...labels);
    this.update({});
  }

  /** Shows what was changed since the start, on this page or another; what was not changed is as the scene has it. */
  update(set: any) {
    const now = JSON.stringify(set ?? {});
    if (now === this.known) return;
    this.known = now;
    for (const { control, input, output } of this.rows) {
      const value = control.read(set ?? {}) ?? control.value;
      input.value = String(value);
      // The browser rounds to steps of the slider; the value of the scene is shown as it is.
      output.textContent = control.shown(value);
      fillTrack(input);
    }
  }
}
