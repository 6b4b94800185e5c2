// Clocks for both sides, an option that is off by default. They run while a game is open and its last position is on
// display; who runs out of time loses.

import { h, put } from "./dom.js";
import { game } from "./game.js";
import { NAMES } from "./notation.js";
import { setting } from "./store.js";

export const MINUTES = [0, 1, 3, 5, 10, 15, 30];
const TICK = 200;

class Clocks {
  constructor() {
    this.elements = { 1: h("span", { class: "clock", role: "timer" }), "-1": h("span", { class: "clock", role: "timer" }) };
    this.game = null;
    this.left = { 1: 0, "-1": 0 };
    this.since = null;
    game.addEventListener("change", () => this.#turn());
    setInterval(() => this.#tick(), TICK);
  }

  /** Sets both clocks to the chosen time. */
  reset() {
    this.game = game.id;
    this.since = null;
    this.left = { 1: 60_000 * setting("clock"), "-1": 60_000 * setting("clock") };
    this.#turn();
  }

  #turn() {
    if (this.game !== game.id) return this.reset();
    this.#spend();
    const runs = setting("clock") > 0 && game.position && game.atEnd && !game.over && !game.paused && game.ply > 0;
    if (runs && this.left[game.position.to_move] === 0) return this.reset(); // the end by time was taken back
    this.since = runs ? { colour: game.position.to_move, at: performance.now() } : null;
    this.#show();
  }

  #spend() {
    if (!this.since) return;
    const now = performance.now();
    this.left[this.since.colour] = Math.max(0, this.left[this.since.colour] - (now - this.since.at));
    this.since.at = now;
  }

  #tick() {
    if (!this.since) return;
    this.#spend();
    const { colour } = this.since;
    if (this.left[colour] === 0) {
      this.since = null;
      game.flag(colour);
    }
    this.#show();
  }

  #show() {
    for (const colour of [1, -1]) {
      const element = this.elements[colour];
      element.hidden = !setting("clock");
      const seconds = Math.ceil(this.left[colour] / 1000);
      put(element, `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`);
      element.setAttribute("aria-label", `Clock of ${NAMES[colour]}`);
      element.classList.toggle("running", this.since?.colour === colour);
    }
  }
}

export const clocks = new Clocks();
