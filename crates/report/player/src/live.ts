// The page of sessions that run: connection, clock, cards of the sessions, and what can be changed.

import { PALETTE, short } from "./colour";
import { element, iconButton, press, setIcon, toast } from "./dom";
import { type Hotkey, installHotkeys } from "./hotkeys";
import { Controls } from "./live_controls";
import { LivePlots } from "./live_plots";
import { LiveView } from "./live_view";
import { buildLayout, toggleTheme } from "./page";
import { unpack, unpackTopology } from "./recording";
import { address, getBuffer, getJson } from "./remote";
import { clockText, speedText } from "./time";

/** Numbers of one session after a step. */
export interface SessionNumbers {
  t: number; method: string; step: number; h: number; steps: number; kinetic: number; elastic: number; gravity: number;
  contact: number; total: number; start: number; ledger: Record<string, number>; newton: number; rejected: number; ms: number;
  error: string | null;
  /** Whether no step could be taken; the other sessions go on without it. */
  failed: boolean;
}

/** State of all sessions, as the server publishes it. */
export interface LiveState {
  frame: number; t: number; running: boolean; speed: number; rate: number | null; step: number; sessions: SessionNumbers[];
  held: number[]; pins: number[];
  /** What was changed in all sessions since the start. */
  set: Record<string, unknown>;
}

/** Speeds that are always offered. */
const SPEEDS = [0.1, 0.25, 0.5, 1];

/** Number of steps that make a time for which the unit of the clock is chosen. */
const SHOWN_STEPS = 300;

export type Send = (message: Record<string, unknown>) => void;

/** The socket of a page. A frame is acknowledged when it is drawn, and only then the server sends the next. */
class Connection {
  private socket?: WebSocket;
  onFrame: (state: LiveState, arrays: Record<string, Float32Array>) => void = () => {};
  onError: (sentence: string) => void = () => {};
  onClose: () => void = () => {};

  open() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}${address("/ws")}`);
    socket.binaryType = "arraybuffer";
    socket.onmessage = ({ data }) => {
      if (typeof data === "string") return this.onError(JSON.parse(data).message);
      const { header, arrays } = unpack(data);
      this.onFrame(header.state, arrays);
    };
    socket.onclose = () => this.onClose();
    this.socket = socket;
  }

  send: Send = (message) => {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  };
}

/** What a card shows of a session, in rows. */
function rows(s: SessionNumbers): [string, string, string][] {
  const scale = Math.max(Math.abs(s.start), Math.abs(s.total), Math.abs(s.ledger.work), 1e-12), share = (100 * s.ledger.numerical) / scale;
  const signed = (x: number) => (x > 0 ? "+" : "") + short(x).replace("-", "−");
  return [
    ["energy", `${short(s.total).replace("-", "−")} J`, "Kinetic, elastic, gravitational and contact energy"],
    ["integrator", `${signed(s.ledger.numerical)} J (${signed(Math.abs(share) < 0.05 ? 0 : Number(share.toFixed(1)))} %)`, "Energy that the integrator lost or added; share of the largest of the energy at the start, the energy now and the work"],
    ["work", `${signed(s.ledger.work)} J`, "Work of hands, loads and changes of the scene"],
    ["damping", `${signed(s.ledger.damping + s.ledger.friction)} J`, "Energy lost by damping and friction"],
    ["Newton", `${s.newton}`, "Newton iterations of the last step"],
    ["step", `${short(1e3 * s.h)} ms in ${short(s.ms)} ms`, "Length of the last step, and the time that it took"],
  ];
}

class Card {
  readonly root = element("section", { className: "card" });
  private readonly cells: HTMLElement[] = [];
  private readonly select: HTMLSelectElement;
  private readonly error = element("p", { className: "error", role: "alert", hidden: true });

  constructor(index: number, methods: string[], first: SessionNumbers, send: Send) {
    const name = `Method of session ${index + 1}`;
    this.select = element("select", { "aria-label": name, title: name });
    const listed = methods.includes(first.method) ? methods : [first.method, ...methods];
    this.select.append(...listed.map((m) => element("option", { value: m }, m)));
    this.select.onchange = () => send({ type: "set", session: index, set: { method: this.select.value } });
    const dot = element("i", { className: "dot", style: `background:${PALETTE[index % PALETTE.length]}` });
    const list = element("dl");
    for (const [label, , title] of rows(first)) {
      const cell = element("dd");
      this.cells.push(cell);
      list.append(element("div", { title }, element("dt", {}, label), cell));
    }
    this.root.append(element("header", {}, dot, element("b", {}, String(index + 1)), this.select), list, this.error);
    this.update(first);
  }

  update(s: SessionNumbers) {
    rows(s).forEach(([, text], k) => {
      if (this.cells[k].textContent !== text) this.cells[k].textContent = text;
    });
    if (document.activeElement !== this.select) this.select.value = s.method;
    this.error.hidden = !s.error;
    this.error.textContent = !s.error ? "" : s.failed ? `Stopped at ${clockText(s.t, Math.max(s.t, SHOWN_STEPS * s.step))}: ${s.error}. A change of the method, the step or the scene lets it go on.` : s.error;
    this.root.classList.toggle("failed", Boolean(s.failed));
  }
}

/** Opens the page of live sessions. */
export async function openLive(host: HTMLElement) {
  const [about, bytes] = await Promise.all([getJson("/api/page"), getBuffer("/api/live/topology")]);
  const topology = unpackTopology(bytes), layout = buildLayout(host), connection = new Connection(), { send } = connection;
  layout.title.textContent = about.name;
  document.title = `${about.name} – Supple`;
  const view = new LiveView(layout.main, topology, about.fields, send);
  const cards = element("div", { className: "cards" }), plotBox = element("div", { className: "plots" });
  const controls = new Controls(about, send);
  layout.side.append(cards, controls.root, plotBox);
  const plots = new LivePlots(plotBox, about.channels);
  const list: Card[] = [];
  let state: LiveState | null = null, arrived = performance.now();

  const play = iconButton("pause", "Run or pause (space)", () => send({ type: state?.running ? "pause" : "run" }));
  play.classList.add("main");
  const step = iconButton("next", "One step (→)", () => send({ type: "step" }));
  const reset = iconButton("reset", "Start again (Backspace)", () => send({ type: "reset" }));
  const clock = element("output", { className: "clock" }), badge = element("output", { className: "badge", "aria-live": "off" });
  const speed = element("select", { "aria-label": "Speed", title: "Simulated time over real time" });
  const offerSpeeds = (now: number) => {
    const list = [...new Set([...SPEEDS, ...(SPEEDS.includes(now) ? [] : [now / 10, now, 10 * now])])].sort((a, b) => a - b);
    speed.replaceChildren(...list.map((s) => element("option", { value: String(s), selected: s === now }, s === 1 ? "real time" : speedText(s))));
  };
  speed.onchange = () => send({ type: "speed", value: Number(speed.value) });
  view.transport.append(play, step, reset, clock, badge);
  view.display.prepend(speed);

  const tell = () => {
    if (!state) return;
    // The server sends the next frame after the last one was acknowledged, not before. A browser that draws slowly is late itself.
    const late = state.running && performance.now() - Math.max(arrived, view.acknowledged) > 900 && view.drawingMs < 300, { rate } = state;
    const slow = rate !== null && rate < 0.93 * state.speed;
    badge.textContent = late ? "computing a long step" : !state.running ? "paused" : rate === null ? "" : slow ? `${short(Number(rate.toPrecision(2)))} × real time`
      : state.speed === 1 ? "real time" : `${speedText(state.speed)} real time`;
    badge.dataset.kind = !state.running ? "rest" : late || slow ? "slow" : "good";
  };
  connection.onFrame = (now, arrays) => {
    if (state && now.t < state.t) plots.clear();
    const first = state === null;
    [state, arrived] = [now, performance.now()];
    if (first) {
      now.sessions.forEach((s, k) => {
        const card = new Card(k, about.methods, s, send);
        list.push(card);
        cards.append(card.root);
      });
      view.start(now, arrays);
      offerSpeeds(now.speed);
      host.dataset.ready = "true";
    }
    view.receive(now, arrays);
    list.forEach((card, k) => card.update(now.sessions[k]));
    controls.update(now.set);
    if (Number(speed.value) !== now.speed && document.activeElement !== speed) offerSpeeds(now.speed);
    plots.add(now);
    view.time = clock.textContent = clockText(now.t, Math.max(now.t, SHOWN_STEPS * now.step));
    setIcon(play, now.running ? "pause" : "play");
    press(play, now.running);
    tell();
  };
  connection.onError = (sentence) => toast(view.root, sentence, true);
  connection.onClose = () => {
    badge.textContent = "the server has stopped";
    badge.dataset.kind = "slow";
    state = null;
  };
  setInterval(tell, 300);
  connection.open();

  const theme = () => {
    toggleTheme();
    plots.refresh();
    view.stage.retheme();
  };
  const side = () => {
    host.classList.toggle("no-side");
    view.stage.resize();
  };
  const keys: Hotkey[] = [
    { key: " ", does: "run or pause", act: () => play.click() },
    { key: "ArrowRight", shown: "→", does: "one step; with a hand closed, pull right", act: () => view.nudge(1, 0) || step.click() },
    { key: "ArrowLeft", shown: "← ↑ ↓", does: "pull left, up, down with a closed hand", act: () => void view.nudge(-1, 0) },
    { key: "ArrowUp", shown: "", does: "", act: () => void view.nudge(0, 1) },
    { key: "ArrowDown", shown: "", does: "", act: () => void view.nudge(0, -1) },
    { key: "Backspace", shown: "⌫", does: "start again", act: () => reset.click() },
    { key: "e", does: "close or open the hand at the marked vertex", act: () => view.toggleHand() },
    { key: "n", does: "mark another vertex", act: () => view.markNext() },
    { key: "x", does: "pin or free the marked vertex", act: () => view.togglePin() },
    { key: "u", does: "free all pins", act: () => send({ type: "unpin-all" }) },
    ...view.hotkeys(),
    { key: "p", does: "numbers and plots", act: side }, { key: "d", does: "dark or light", act: theme },
  ];
  const help = installHotkeys(host, keys, document, "drag a body to pull it, double click pins it; drag beside it turns, right drag moves, wheel zooms");
  layout.actions.append(iconButton("chart", "Numbers and plots (P)", side), iconButton("theme", "Dark or light (D)", theme), iconButton("help", "Keys (?)", help));
  return { view, plots, send, get state() { return state; } };
}
