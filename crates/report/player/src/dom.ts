// Small helpers for elements.

type Child = Node | string;

/** Creates an element with properties and children. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K, properties: Record<string, any> = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("aria-") || name.startsWith("data-") || name === "role") made.setAttribute(name, value);
    else (made as any)[name] = value;
  }
  made.append(...children);
  return made;
}

const ICONS: Record<string, string> = {
  play: "M7 5v14l12-7z",
  pause: "M7 5h4v14H7zM13 5h4v14h-4z",
  back: "M15 5v14L7 12zM5 5h2v14H5z",
  next: "M9 5v14l8-7zM17 5h2v14h-2z",
  home: "M12 3 3 11h3v9h5v-6h2v6h5v-9h3z",
  wire: "M12 3 3 8v8l9 5 9-5V8zm0 2.2L18.2 8.6 12 12 5.800 8.600zM5 10.200l6 3.300v5.300l-6-3.400zm14 0v5.200l-6 3.400v-5.300z",
  ground: "M2 17 8 9h8l6 8zm7-6-3.500 4.500h4.200L11 11zm4 0 1.300 4.500h4.200L15 11z",
  block: "M4 8l8-4 8 4v8l-8 4-8-4z",
  camera: "M9 5 7.500 7H4v12h16V7h-3.500L15 5zm3 4a4 4 0 1 1 0 8 4 4 0 0 1 0-8z",
  film: "M3 6h13v4l5-3v10l-5-3v4H3z",
  theme: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm0 2v14a7 7 0 0 0 0-14z",
  help: "M11 17h2v2h-2zM12 4a5 5 0 0 1 5 5c0 3-4 3.500-4 6.500h-2C11 11.500 15 11 15 9a3 3 0 0 0-6 0H7a5 5 0 0 1 5-5z",
  reset: "M12 5V2L7 6l5 4V7a5 5 0 1 1-5 5H5a7 7 0 1 0 7-7z",
  chart: "M4 4h2v14h14v2H4zM8 16V10h3v6zM13 16V6h3v10z",
};

/** Creates a button with an icon; its title tells the key too. */
export function iconButton(icon: string, title: string, press: () => void): HTMLButtonElement {
  const button = element("button", { type: "button", className: "icon", title, "aria-label": title, onclick: press });
  setIcon(button, icon);
  return button;
}

export function setIcon(button: HTMLButtonElement, icon: string) {
  button.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${ICONS[icon]}"/></svg>`;
}

/** Shows on the track of a slider how far it is. */
export function fillTrack(slider: HTMLInputElement) {
  const [low, high, x] = [slider.min, slider.max, slider.value].map(Number);
  slider.style.setProperty("--done", `${high > low ? (100 * (x - low)) / (high - low) : 0}%`);
}

/** Marks a button as pressed or not. */
export function press(button: HTMLButtonElement, on: boolean) {
  button.setAttribute("aria-pressed", String(on));
}

/** Shows a message for a few seconds. */
export function toast(host: HTMLElement, text: string, bad = false) {
  const note = element("div", { className: bad ? "toast bad" : "toast", role: "status" }, text);
  host.append(note);
  setTimeout(() => note.remove(), 4500);
}
