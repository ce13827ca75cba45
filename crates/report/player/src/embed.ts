// Players inside of pages that need no server: reports of runs, comparisons, papers.

import { resultPlots } from "./curves";
import { element } from "./dom";
import { FilmRecording } from "./film";
import { installHotkeys } from "./hotkeys";
import { Player } from "./player";
import { Plots } from "./plots";

/** Starts the player of an element that holds films as JSON. */
export async function openEmbedded(host: HTMLElement) {
  const recordings = [...host.querySelectorAll("script.film")].map((s) => {
    const { film, name, method, curves } = JSON.parse(s.textContent ?? "{}");
    const recording = new FilmRecording(film, name, method);
    recording.curves = curves ?? undefined;
    return recording;
  });
  if (recordings.length === 0) return null;
  const main = element("div", { className: "main" }), side = element("div", { className: "side" });
  host.append(main, side);
  const player = new Player(main);
  const plots = new Plots(side, (t) => {
    player.pause();
    player.seek(t);
  });
  player.onTime = (t) => plots.moveTo(t);
  await player.show(recordings);
  const curves = resultPlots(recordings);
  if (curves.length === 0) side.remove();
  else plots.show(curves);
  if (host.dataset.field) await player.setField(host.dataset.field);
  installHotkeys(host, player.hotkeys(), host);
  if (recordings[0].times.length > 1 && !matchMedia("(prefers-reduced-motion: reduce)").matches) player.toggle();
  return { player, plots };
}
