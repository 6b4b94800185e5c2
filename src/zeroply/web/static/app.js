// The page: five views, chosen by the part of the address after #.

import { mark, put, say } from "./dom.js";
import { game } from "./game.js";
import { insideView } from "./inside.js";
import { playView } from "./play.js";
import { runsView } from "./runs.js";
import { fromLink } from "./share.js";
import { studiesView } from "./studies.js";
import { setUpTheme } from "./theme.js";
import { tournamentView } from "./tournament.js";

const VIEWS = {
  play: ["Play", playView],
  inside: ["Look inside", insideView],
  tournament: ["Tournament", tournamentView],
  runs: ["Runs", runsView],
  studies: ["Studies", studiesView],
};
const main = document.getElementById("main");
const built = {};
let shown = null;

function route() {
  if (location.hash.startsWith("#game/")) {
    openLink(location.hash.slice("#game/".length));
    return;
  }
  const [name, ...rest] = decodeURIComponent(location.hash.slice(1)).split("/");
  if (name === "main") return;
  const view = VIEWS[name] ? name : "play";
  const moved = shown !== null && shown !== view;
  if (shown !== view) built[shown]?.leave?.();
  built[view] ??= VIEWS[view][1]();
  if (shown !== view) put(main, built[view].element);
  shown = view;
  mark(document.querySelectorAll("#pages a"), `#${view}`, "page");
  document.title = `${VIEWS[view][0]} · zeroply`;
  built[view].enter?.(rest.join("/"));
  if (moved) {
    window.scrollTo(0, 0);
    main.focus({ preventScroll: true });
  }
}

/** Shows the game that an address holds, on the Play page. */
async function openLink(text) {
  location.replace("#play");
  try {
    const linked = fromLink(text);
    await opened;
    await game.start(linked);
  } catch (problem) {
    say(problem.message);
  }
}

setUpTheme(document.getElementById("theme"));
window.addEventListener("hashchange", route);
window.addEventListener("unhandledrejection", (event) => say(event.reason?.message ?? "Something went wrong."));
const bar = document.querySelector(".top");
new ResizeObserver(() => document.documentElement.style.setProperty("--top", `${bar.offsetHeight}px`)).observe(bar);
const opened = game.open();
route();
