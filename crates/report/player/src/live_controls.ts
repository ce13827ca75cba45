// What can be changed while sessions run: step, gravity, stiffness, damping, friction. Each change is an event of all sessions.

import { short } from "./colour";
import { element } from "./dom";
import type { Send } from "./live";

interface Control {
  label: string;
  title: string;
  min: number; max: number; value: number; step: number;
  shown: (x: number) => string;
  change: (x: number) => Record<string, unknown>;
}

const STANDARD_GRAVITY = 9.81;

function controls(about: any): Control[] {
  const [gx, gy, gz] = about.gravity as number[], size = Math.hypot(gx, gy, gz);
  const direction = size > 0 ? [gx / size, gy / size, gz / size] : [0, -1, 0];
  const damping = { mass: 0, stiffness: 0, drag: 0, "rigid-free": 0, ...(about.damping ?? {}) };
  const list: Control[] = [
    {
      label: "stiffness", title: "Factor of all moduli", min: -1, max: 1, value: 0, step: 0.05, shown: (x) => `${short(10 ** x)} ×`,
      change: (x) => ({ stiffness: Number((10 ** x).toPrecision(4)) }),
    },
    {
      label: "damping", title: "Rayleigh damping of the stiffness", min: 0, max: Math.max(0.05, 2 * damping.stiffness), value: damping.stiffness,
      step: 0.001, shown: (x) => `${short(1e3 * x)} ms`, change: (x) => ({ damping: { ...damping, stiffness: (damping.stiffness = x) } }),
    },
    {
      label: "drag", title: "Rate at which all velocities decay", min: 0, max: Math.max(5, 2 * damping.drag), value: damping.drag, step: 0.05,
      shown: (x) => `${short(x)} /s`, change: (x) => ({ damping: { ...damping, drag: (damping.drag = x) } }),
    },
    {
      label: "gravity", title: "Acceleration of gravity", min: 0, max: Math.max(20, 2 * size), value: size, step: STANDARD_GRAVITY / 100,
      shown: (x) => `${short(x)} m/s²`, change: (x) => ({ gravity: direction.map((d) => d * x + 0) }),
    },
  ];
  if (about.friction !== null) {
    list.push({
      label: "friction", title: "Coefficient of friction", min: 0, max: Math.max(1.5, about.friction), value: about.friction, step: 0.05, shown: short,
      change: (x) => ({ friction: x }),
    });
  }
  if (!about.chooses_steps) {
    const now = Math.log10(about.step);
    list.push({
      label: "step", title: "Time step", min: Math.min(-3.3, now), max: Math.max(-1, now), value: now, step: 0.01, shown: (x) => `${short(1e3 * 10 ** x)} ms`,
      change: (x) => ({ step: Number((10 ** x).toPrecision(3)) }),
    });
  }
  return list.filter((c) => about.bodies.length > 0 || !["stiffness", "damping", "drag"].includes(c.label));
}

/** Builds the sliders. */
export function buildControls(about: any, send: Send) {
  const inputs = controls(about).map((c) => {
    const input = element("input", { type: "range", min: String(c.min), max: String(c.max), step: String(c.step), value: String(c.value), "aria-label": c.label });
    // The browser rounds to steps of the slider; the value of the scene is shown as it is.
    const output = element("output", {}, c.shown(c.value));
    input.oninput = () => (output.textContent = c.shown(Number(input.value)));
    input.onchange = () => send({ type: "set", set: c.change(Number(input.value)) });
    return element("label", { title: c.title }, element("span", {}, c.label), input, output);
  });
  const root = element("details", { className: "controls", open: true }, element("summary", {}, "Scene"), ...inputs);
  return { root };
}
