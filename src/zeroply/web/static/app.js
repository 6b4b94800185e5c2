// The page: four views, chosen by the part of the address after #.

import { mark, put, say } from "./dom.js";
import { game } from "./game.js";
import { insideView } from "./inside.js";
import { playView } from "./play.js";
import { runsView } from "./runs.js";
import { studiesView } from "./studies.js";
import { setUpTheme } from "./theme.js";

const VIEWS = {
  play: ["Play", playView],
  inside: ["Look inside", insideView],
  runs: ["Runs", runsView],
  studies: ["Studies", studiesView],
};
const main = document.getElementById("main");
const built = {};
let shown = null;

function route() {
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
  if (moved) main.focus({ preventScroll: true });
}

setUpTheme(document.getElementById("theme"));
window.addEventListener("hashchange", route);
window.addEventListener("unhandledrejection", (event) => say(event.reason?.message ?? "Something went wrong."));
route();
game.open();
