// Entry: starts what the page asks for.

import { drawFigures } from "./charts";
import { element } from "./dom";
import { openPlayers } from "./embed";
import { openLive } from "./live";
import { openResults, restoreTheme } from "./page";

async function start() {
  if (document.getElementById("app")) restoreTheme();
  openPlayers((opened) => ((window as any).supple = opened));
  drawFigures();
  const host = document.getElementById("app");
  if (!host) return;
  try {
    if (host.dataset.mode === "live") (window as any).supple = await openLive(host);
    else {
      (window as any).supple = await openResults(host);
      host.dataset.ready = "true";
    }
  } catch (error) {
    console.error(error);
    host.append(element("p", { className: "failure", role: "alert" }, String(error)));
  }
}

void start();
