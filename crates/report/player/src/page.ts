// The page of `supple view` for results: player, plots, header.

import { resultPlots } from "./curves";
import { element, iconButton } from "./dom";
import { installHotkeys } from "./hotkeys";
import { Player } from "./player";
import { Plots } from "./plots";
import { getJson, RemoteRecording } from "./remote";

/** Switches between light and dark, and keeps the choice. */
export function toggleTheme() {
  const root = document.documentElement, dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const next = (root.dataset.theme ?? (dark ? "dark" : "light")) === "dark" ? "light" : "dark";
  root.dataset.theme = next;
  try {
    localStorage.setItem("supple-theme", next);
  } catch { /* Pages without storage forget the choice. */ }
}

export function restoreTheme() {
  try {
    const theme = localStorage.getItem("supple-theme");
    if (theme) document.documentElement.dataset.theme = theme;
  } catch { /* The choice of the system. */ }
}

/** The parts of a full page. */
export interface Layout {
  header: HTMLElement;
  actions: HTMLElement;
  main: HTMLElement;
  side: HTMLElement;
  title: HTMLElement;
}

export function buildLayout(host: HTMLElement): Layout {
  const title = element("h1", {}, "Supple"), actions = element("div", { className: "actions" });
  const header = element("header", {}, element("span", { className: "brand" }, "supple"), title, actions);
  const main = element("main"), side = element("aside");
  host.classList.add("app");
  host.append(header, main, side);
  return { header, actions, main, side, title };
}

/** Opens the page of one to four results. */
export async function openResults(host: HTMLElement) {
  const { results } = await getJson("/api/page");
  const recordings = await Promise.all(results.map((_: string, k: number) => RemoteRecording.open(k)));
  const layout = buildLayout(host), player = new Player(layout.main);
  const names = [...new Set(recordings.map((r: RemoteRecording) => r.name))];
  layout.title.textContent = names.join(" | ");
  document.title = `${names.join(" | ")} – Supple`;
  const plots = new Plots(layout.side, (t) => {
    player.pause();
    player.seek(t);
  });
  player.onTime = (t) => plots.moveTo(t);
  await player.show(recordings);
  plots.show(resultPlots(recordings));
  if (resultPlots(recordings).length === 0) layout.side.append(element("p", { className: "empty" }, "These results have no curves."));
  const theme = () => {
    toggleTheme();
    plots.show(resultPlots(recordings));
    player.stage.retheme();
  };
  const side = () => {
    host.classList.toggle("no-side");
    player.stage.resize();
  };
  const help = installHotkeys(host, [...player.hotkeys(), { key: "p", does: "plots", act: side }, { key: "d", does: "dark or light", act: theme }], document);
  for (const r of recordings) {
    if (r.report) layout.actions.append(element("a", { href: r.report, target: "_blank", rel: "noreferrer" }, "Report"));
    if (recordings.length > 1) break;
  }
  layout.actions.append(iconButton("chart", "Plots (P)", side), iconButton("theme", "Dark or light (D)", theme), iconButton("help", "Keys (?)", help));
  return { player, plots };
}
