// The game on the board: its moves, who plays, and which of its positions is looked at. Kept over a reload of the page.

import * as api from "./api.js";
import { say } from "./dom.js";

const KEY = "zeroply-game";
const still = matchMedia("(prefers-reduced-motion: reduce)");
export const YOU = "you";

class Game extends EventTarget {
  constructor() {
    super();
    this.spec = "othello";
    this.setup = null;
    this.moves = [];
    this.ply = 0;
    this.seats = { 1: YOU, "-1": "net(othello)" };
    this.titles = { [YOU]: "You" };
    this.fromRuns = [];
    this.wanted = null; // the player that is to be looked into next
    this.resigned = 0;
    this.paused = false;
    this.pace = 300;
    this.thinking = 0;
    this.seed = Math.floor(Math.random() * 2 ** 40);
    this.positions = new Map();
    this.turnNumber = 0;
    this.opponents = [];
    this.#restore();
  }

  get where() {
    return { game: this.spec, setup: this.setup, moves: this.moves.slice(0, this.ply) };
  }

  get position() {
    return this.positions.get(this.ply);
  }

  get atEnd() {
    return this.ply === this.moves.length;
  }

  get over() {
    return this.atEnd && (this.resigned !== 0 || Boolean(this.position?.over));
  }

  get kind() {
    return this.spec.split("(")[0];
  }

  titleOf(player) {
    return this.titles[player] ?? player;
  }

  /** Whether a person may move now. */
  get yours() {
    return Boolean(this.position) && !this.over && !this.position.over && this.seats[this.position.to_move] === YOU;
  }

  /** Begins another game; what is not given stays. */
  async start({ spec = this.spec, setup = null, moves = [], seats = this.seats, paused = false } = {}) {
    const before = this.spec;
    Object.assign(this, { spec, setup, moves: [...moves], ply: moves.length, seats: { ...seats }, paused, resigned: 0 });
    this.seed = Math.floor(Math.random() * 2 ** 40);
    this.positions.clear();
    if (spec !== before || !this.opponents.length) await this.#meet();
    await this.#settle();
  }

  /** A person's move in the position that is shown; what came after it is forgotten. */
  async play(cell) {
    this.#cut(this.ply);
    this.moves.push(cell);
    this.ply += 1;
    this.paused = false;
    await this.#settle();
  }

  /** Looks at another position of the game. */
  async go(ply) {
    this.ply = Math.max(0, Math.min(ply, this.moves.length));
    if (!this.atEnd) this.turnNumber += 1;
    await this.#look();
    this.#changed();
    if (this.atEnd && !this.paused) this.#next();
  }

  /** Takes back to where a person was last to move. */
  async undo() {
    const turns = this.positions.get(this.moves.length)?.turns ?? [];
    let to = this.moves.length - 1;
    const person = Object.values(this.seats).includes(YOU);
    while (person && to > 0 && this.seats[turns[to]?.colour] !== YOU) to -= 1;
    if (to < 0) return;
    if (this.resigned) to = this.moves.length;
    this.resigned = 0;
    this.#cut(to);
    this.ply = to;
    this.paused = !person;
    await this.#settle();
  }

  async swap() {
    this.seats = { 1: this.seats[-1], "-1": this.seats[1] };
    this.turnNumber += 1;
    await this.#settle();
  }

  async sit(colour, player) {
    this.seats = { ...this.seats, [colour]: player };
    this.turnNumber += 1;
    await this.#settle();
  }

  resign() {
    const colour = this.position.to_move;
    this.resigned = this.seats[colour] === YOU || this.seats[-colour] !== YOU ? colour : -colour;
    this.turnNumber += 1;
    this.thinking = 0;
    this.#changed();
  }

  pause(paused) {
    this.paused = paused;
    this.turnNumber += 1;
    this.thinking = 0;
    if (!paused) this.#cut(this.ply);
    this.#changed();
    if (!paused) this.#next();
  }

  /** A net of a run can be chosen from now on. */
  remember(player, title) {
    this.titles[player] = title;
    if (!this.fromRuns.some((known) => known.player === player)) this.fromRuns.unshift({ player, title });
    this.fromRuns.length = Math.min(this.fromRuns.length, 8);
  }

  async open() {
    await this.#meet();
    await this.#settle();
  }

  async #meet() {
    try {
      this.opponents = await api.players(this.spec);
    } catch (problem) {
      this.opponents = [];
      say(problem.message);
    }
    for (const one of this.opponents) this.titles[one.player] = one.title;
    const known = new Set([YOU, ...this.opponents.map((one) => one.player), ...this.fromRuns.map((one) => one.player)]);
    for (const colour of [1, -1]) if (!known.has(this.seats[colour])) this.seats[colour] = this.usual();
  }

  /** An opponent to begin with: a net if there is one, else the first that thinks. */
  usual() {
    const sought = ["Nets, no look-ahead", "Players that look ahead"];
    for (const group of sought) {
      const found = this.opponents.find((one) => one.group === group);
      if (found) return found.player;
    }
    return this.opponents[0]?.player ?? YOU;
  }

  /** The strongest there is, for hints. */
  strongest() {
    const rated = this.opponents.filter((one) => one.rating !== null).sort((a, b) => b.rating - a.rating);
    return (rated[0] ?? this.opponents.at(-1))?.player;
  }

  #cut(length) {
    if (length < this.moves.length) this.resigned = 0;
    this.moves.length = Math.min(this.moves.length, length);
    for (const ply of [...this.positions.keys()]) if (ply > length) this.positions.delete(ply);
    this.turnNumber += 1;
    this.thinking = 0;
  }

  async #look() {
    if (this.positions.has(this.ply)) return true;
    const { ply } = this;
    try {
      this.positions.set(ply, await api.position(this.where));
      return true;
    } catch (problem) {
      say(problem.message);
      if (this.moves.length) {
        this.#cut(ply - 1);
        this.ply = this.moves.length;
        return this.#look();
      }
      if (this.setup !== null || this.spec !== "othello") {
        Object.assign(this, { spec: "othello", setup: null });
        await this.#meet();
        return this.#look();
      }
      return false;
    }
  }

  async #settle() {
    this.thinking = 0;
    if (!(await this.#look())) return;
    this.#changed();
    this.#next();
  }

  /** Lets the player whose turn it is move, if it is not a person's. */
  async #next() {
    const position = this.position;
    if (!position || !this.atEnd || position.over || this.resigned || this.paused) return;
    const player = this.seats[position.to_move];
    if (player === YOU) return;
    const turn = (this.turnNumber += 1);
    this.thinking = position.to_move;
    this.#changed();
    try {
      const both = !Object.values(this.seats).includes(YOU);
      const [moved] = await Promise.all([
        api.move(this.where, player, this.seed),
        new Promise((done) => setTimeout(done, both ? this.pace : still.matches ? 0 : 150)),
      ]);
      if (turn !== this.turnNumber) return;
      this.moves.push(moved.cell);
      this.ply = this.moves.length;
      this.positions.set(this.ply, moved.position);
      this.thinking = 0;
      this.#changed();
      this.#next();
    } catch (problem) {
      if (turn !== this.turnNumber) return;
      this.thinking = 0;
      this.paused = true;
      say(problem.message);
      this.#changed();
    }
  }

  #changed() {
    const kept = { spec: this.spec, setup: this.setup, moves: this.moves, seats: this.seats, resigned: this.resigned, seed: this.seed, titles: this.titles };
    try {
      localStorage.setItem(KEY, JSON.stringify({ ...kept, fromRuns: this.fromRuns, pace: this.pace }));
    } catch {
      // A browser that keeps nothing forgets the game with the page.
    }
    this.dispatchEvent(new Event("change"));
  }

  #restore() {
    try {
      const kept = JSON.parse(localStorage.getItem(KEY));
      if (kept?.spec && Array.isArray(kept.moves)) {
        Object.assign(this, kept);
        this.ply = this.moves.length;
        this.paused = !Object.values(this.seats).includes(YOU);
      }
    } catch {
      // Nothing was kept, or nothing that can be used.
    }
  }
}

export const game = new Game();
