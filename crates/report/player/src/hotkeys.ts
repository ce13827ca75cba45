// Keys and the overlay that lists them.

import { element } from "./dom";

export interface Hotkey {
  /** Value of `KeyboardEvent.key`, with `Shift+` in front for arrows. */
  key: string;
  /** What the overlay prints for the key. */
  shown?: string;
  does: string;
  act: () => void;
}

const typing = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.matches("input:not([type=range]):not([type=checkbox]), select, textarea");

/** Listens to keys. `?` opens the list of keys in `host`. */
export function installHotkeys(host: HTMLElement, keys: Hotkey[], scope: HTMLElement | Document,
  mouse = "drag turns, right drag moves, wheel zooms"): () => void {
  const rows = keys.map(({ key, shown, does }) =>
    element("div", {}, element("kbd", {}, shown ?? (key === " " ? "space" : key.length === 1 ? key.toUpperCase() : key)), element("span", {}, does)));
  const list = element("div", { className: "keys" }, ...rows, element("div", {}, element("kbd", {}, "?"), element("span", {}, "this list")),
    element("div", {}, element("kbd", {}, "mouse"), element("span", {}, mouse)));
  const close = element("button", { type: "button", className: "text", onclick: () => toggle(false) }, "Close");
  const overlay = element("div", { className: "help", hidden: true, role: "dialog", "aria-label": "Keys" },
    element("div", { className: "card" }, element("h2", {}, "Keys"), list, close));
  host.append(overlay);
  const toggle = (on = overlay.hidden) => {
    overlay.hidden = !on;
    if (on) close.focus();
  };
  overlay.addEventListener("click", (e) => {
    if (e.target === overlay) toggle(false);
  });
  scope.addEventListener("keydown", (event) => {
    const e = event as KeyboardEvent;
    if (e.ctrlKey || e.metaKey || e.altKey || typing(e.target)) return;
    if (e.key === "Escape" && !overlay.hidden) return toggle(false);
    if (e.key === "?") return toggle();
    // Space and Enter press a focused button.
    if (e.key === " " && e.target instanceof HTMLElement && e.target.matches("button, summary, a")) return;
    const name = e.shiftKey && e.key.startsWith("Arrow") ? `Shift+${e.key}` : e.key.length === 1 ? e.key.toLowerCase() : e.key;
    const found = keys.find((k) => k.key === name);
    if (!found) return;
    e.preventDefault();
    found.act();
  });
  return toggle;
}
