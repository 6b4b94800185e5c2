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
    this.remembered = []; // players that are not in the server's list, the newest first
    this.wanted = null; // the player that is to be looked into next
    this.resigned = 0;
    this.paused = false;
    this.pace = 300;
    this.thinking = 0;
    this.seed = Math.floor(Math.random() * 2 ** 40);
    this.positions = new Map();
    this.turnNumber = 0;
    this.opponents = [];
    this.met = null; // the game whose opponents they are
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

  /** Whether this position, of this game, is still the one that is looked at. */
  isAt(where) {
    return JSON.stringify(where) === JSON.stringify(this.where);
  }

  /** Players that are not in the server's list but play this game: nets of runs, and players named by their specs. */
  get others() {
    return this.remembered.filter((one) => one.kind === this.kind);
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
    this.turnNumber += 1; // whoever still thinks does so about another game
    this.thinking = 0;
    Object.assign(this, { spec, setup, moves: [...moves], ply: moves.length, seats: { ...seats }, paused, resigned: 0 });
    this.seed = Math.floor(Math.random() * 2 ** 40);
    this.positions.clear();
    if (this.met !== spec && !(await this.#meet())) return;
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
    if (!(await this.#look())) return;
    this.#changed();
    if (this.atEnd && !this.paused) this.#next();
  }

  /** Takes back to where a person was last to move. */
  async undo() {
    const turns = this.positions.get(this.moves.length)?.turns ?? [];
    let to = this.moves.length - 1;
    const person = Object.values(this.seats).includes(YOU);
    while (person && to > 0 && this.seats[turns[to]?.colour] !== YOU) to -= 1;
    if (this.resigned) to = this.moves.length;
    if (to < 0) return;
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
    if (player !== YOU) this.remember(player, this.titleOf(player));
    this.seats = { ...this.seats, [colour]: player };
    this.turnNumber += 1;
    await this.#settle();
  }

  resign() {
    if (!this.position) return;
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

  /** A player that is not in the server's list can be chosen from now on, at this game or the one it plays. */
  remember(player, title, kind = this.kind) {
    if (this.opponents.some((one) => one.player === player)) return;
    this.titles[player] = title;
    this.remembered = [{ player, title, kind }, ...this.remembered.filter((one) => one.player !== player)].slice(0, 8);
  }

  async open() {
    if (await this.#meet()) await this.#settle();
  }

  /** Asks who plays the game; false if it is another game by the time of the answer. */
  async #meet() {
    const { spec } = this;
    let [found, met] = [[], null];
    try {
      [found, met] = [await api.players(spec), spec];
    } catch (problem) {
      if (spec === this.spec) say(problem.message);
    }
    if (spec !== this.spec) return false;
    Object.assign(this, { opponents: found, met });
    for (const one of this.opponents) this.titles[one.player] = one.title;
    const known = new Set([YOU, ...[...this.opponents, ...this.others].map((one) => one.player)]);
    for (const colour of [1, -1]) if (!known.has(this.seats[colour])) this.seats[colour] = this.usual();
    return true;
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

  /** Asks for the position that is looked at; false if there is none, or it is another one by the time of the answer. */
  async #look() {
    if (this.positions.has(this.ply)) return true;
    const { ply, where } = this;
    try {
      const found = await api.position(where);
      if (!this.isAt(where)) return false;
      this.positions.set(ply, found);
      return true;
    } catch (problem) {
      if (!this.isAt(where)) return false;
      say(problem.message);
      if (this.moves.length) {
        this.#cut(ply - 1);
        this.ply = this.moves.length;
        return this.#look();
      }
      if (this.setup !== null || this.spec !== "othello") {
        Object.assign(this, { spec: "othello", setup: null });
        return (await this.#meet()) && this.#look();
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
      localStorage.setItem(KEY, JSON.stringify({ ...kept, remembered: this.remembered, pace: this.pace }));
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
