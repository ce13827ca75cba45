// Players inside of pages that need no server: reports of runs, comparisons, papers.

import { resultPlots } from "./curves";
import { element, iconButton } from "./dom";
import { FilmRecording } from "./film";
import { installHotkeys } from "./hotkeys";
import { Player } from "./player";
import { Plots } from "./plots";

/** The clock of a player, for charts elsewhere on the page. */
export interface Link {
  t: number;
  /** Time at which the motion ends, s. */
  end: number;
  seek(t: number): void;
  listeners: Set<(t: number) => void>;
}

/** Number of players that may draw at a time; browsers limit the contexts of their graphics. */
const MAX_ACTIVE = 6;

const links = new Map<HTMLElement, Link>();
const active: { host: HTMLElement; player: Player }[] = [];

/** Returns the clock that belongs to an element: that of the player in its section, or else of the only one on the page. */
export function linkOf(place: HTMLElement): Link | null {
  const own = place.closest("section")?.querySelector<HTMLElement>(".supple-player");
  const all = document.querySelectorAll<HTMLElement>(".supple-player");
  const host = own ?? (all.length === 1 && !place.closest("section") ? all[0] : null);
  return (host && links.get(host)) ?? null;
}

function readRecordings(host: HTMLElement): FilmRecording[] {
  return [...host.querySelectorAll("script.film")].map((s) => {
    const { film, name, method, curves, colour } = JSON.parse(s.textContent ?? "{}");
    const recording = new FilmRecording(film, name, method);
    recording.curves = curves ?? undefined;
    recording.colour = colour ?? undefined;
    return recording;
  });
}

/** Starts the player of an element that holds films as JSON. */
async function open(host: HTMLElement) {
  const recordings = readRecordings(host);
  if (recordings.length === 0) return null;
  while (active.length >= MAX_ACTIVE) close(active.shift()!);
  const main = element("div", { className: "main" }), side = element("div", { className: "side" });
  host.append(main, side);
  const player = new Player(main);
  active.push({ host, player });
  const seek = (t: number) => {
    player.pause();
    player.seek(t);
  };
  const link = links.get(host);
  if (link) link.seek = seek;
  const plots = new Plots(side, seek);
  player.onTime = (t) => {
    plots.moveTo(t);
    if (link) link.t = t;
    link?.listeners.forEach((tell) => tell(t));
  };
  await player.show(recordings);
  const draw = () => plots.show(resultPlots(recordings));
  if (resultPlots(recordings).length === 0) side.remove();
  else draw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  if (host.dataset.field) await player.setField(host.dataset.field);
  const help = installHotkeys(host, player.hotkeys(), host);
  (player.display.querySelector(".tools") ?? player.display).append(iconButton("help", "Keys (?)", help));
  return { player, plots };
}

/** Leaves the data of a player and drops everything else. */
function close({ host, player }: { host: HTMLElement; player: Player }) {
  player.dispose();
  host.querySelectorAll(":scope > :not(script)").forEach((part) => part.remove());
  delete host.dataset.ready;
}

/** Starts players when they come into view, lets them play there, and stops those out of view. */
export function openPlayers(opened: (player: unknown) => void) {
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches, begun = new WeakSet<HTMLElement>();
  const find = (host: HTMLElement) => active.find((a) => a.host === host)?.player;
  const enter = async (host: HTMLElement) => {
    if (find(host) || begun.has(host)) return;
    begun.add(host);
    try {
      const made = await open(host);
      if (!made) return;
      if (made.player.recordings[0].times.length > 1 && !still) made.player.toggle();
      opened(made);
      host.dataset.ready = "true";
    } catch (error) {
      console.error(error);
      host.append(element("p", { className: "failure", role: "alert" }, String(error)));
    } finally {
      begun.delete(host);
    }
  };
  const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) void enter(target as HTMLElement);
      else find(target as HTMLElement)?.pause();
    }
  });
  document.querySelectorAll<HTMLElement>(".supple-player").forEach((host) => {
    // Charts know the clock before the player has started.
    const end = readEnd(host);
    links.set(host, { t: 0, end, seek: () => {}, listeners: new Set() });
    seen.observe(host);
  });
}

/** Returns when the motions of an element end, without unpacking them. */
function readEnd(host: HTMLElement): number {
  const ends = [...host.querySelectorAll("script.film")].map((s) => {
    const times = /"times":\[([^\]]*)\]/.exec(s.textContent ?? "")?.[1].split(",") ?? ["0"];
    return Number(times[times.length - 1]);
  });
  return Math.max(0, ...ends);
}
