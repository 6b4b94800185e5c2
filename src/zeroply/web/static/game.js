// The game on the board: its moves, the players, and the position on display. Survives a reload of the page.

import * as api from "./api.js";
import { say } from "./dom.js";

const KEY = "zeroply-game";
const still = matchMedia("(prefers-reduced-motion: reduce)");
export const YOU = "you";

class Game extends EventTarget {
  constructor() {
    super();
    this.spec = ""; // the server's first game, once it is known
    this.first = "";
    this.setup = null;
    this.moves = [];
    this.ply = 0;
    this.seats = { 1: YOU, "-1": "" };
    this.titles = { [YOU]: "You" };
    this.remembered = []; // players that are not in the server's list, newest first
    this.wanted = null; // the player to show next on the Look inside page
    this.resigned = 0;
    this.paused = false;
    this.pace = 300;
    this.thinking = 0;
    this.seed = Math.floor(Math.random() * 2 ** 40);
    this.positions = new Map();
    this.turnNumber = 0;
    this.opponents = [];
    this.met = null; // the game that `opponents` belongs to
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

  /** Whether this position of this game is still on display. */
  isAt(where) {
    return JSON.stringify(where) === JSON.stringify(this.where);
  }

  /** Players of this game that are not in the server's list: nets of runs, and players entered as specs. */
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

  /** Starts another game; what is not given stays. */
  async start({ spec = this.spec, setup = null, moves = [], seats = this.seats, paused = false } = {}) {
    this.turnNumber += 1; // replies for the previous game are dropped
    this.thinking = 0;
    Object.assign(this, { spec, setup, moves: [...moves], ply: moves.length, seats: { ...seats }, paused, resigned: 0 });
    this.seed = Math.floor(Math.random() * 2 ** 40);
    this.positions.clear();
    if (this.met !== spec && !(await this.#meet())) return;
    await this.#settle();
  }

  /** A person's move in the position on display; later moves are deleted. */
  async play(cell) {
    this.#cut(this.ply);
    this.moves.push(cell);
    this.ply += 1;
    this.paused = false;
    await this.#settle();
  }

  /** Shows another position of the game. */
  async go(ply) {
    this.ply = Math.max(0, Math.min(ply, this.moves.length));
    if (!this.atEnd) this.turnNumber += 1;
    if (!(await this.#look())) return;
    this.#changed();
    if (this.atEnd && !this.paused) this.#next();
  }

  /** Goes back to the last position in which a person was to move. */
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

  /** Adds a player that is not in the server's list to the choices, for this game or the one it plays. */
  remember(player, title, kind = this.kind) {
    if (this.opponents.some((one) => one.player === player)) return;
    this.titles[player] = title;
    this.remembered = [{ player, title, kind }, ...this.remembered.filter((one) => one.player !== player)].slice(0, 8);
  }

  async open() {
    try {
      this.first = (await api.games())[0].name;
    } catch (problem) {
      say(problem.message);
      return;
    }
    this.spec ||= this.first;
    if (await this.#meet()) await this.#settle();
  }

  /** Loads the players of the game; false if the game has changed by the time of the reply. */
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

  /** The default opponent: a net if there is one, otherwise the first player that searches. */
  usual() {
    const sought = ["Nets, no search", "Players that search"];
    for (const group of sought) {
      const found = this.opponents.find((one) => one.group === group);
      if (found) return found.player;
    }
    return this.opponents[0]?.player ?? YOU;
  }

  /** The strongest player, for hints. */
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

  /** Loads the position on display; false if it fails, or if another position is on display by the time of the reply. */
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
      if (this.setup !== null || this.spec !== this.first) {
        Object.assign(this, { spec: this.first, setup: null });
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
    const saved = { spec: this.spec, setup: this.setup, moves: this.moves, seats: this.seats, resigned: this.resigned, seed: this.seed, titles: this.titles };
    try {
      localStorage.setItem(KEY, JSON.stringify({ ...saved, remembered: this.remembered, pace: this.pace }));
    } catch {
      // Without local storage the game is lost with the page.
    }
    this.dispatchEvent(new Event("change"));
  }

  #restore() {
    try {
      const saved = JSON.parse(localStorage.getItem(KEY));
      if (saved?.spec && Array.isArray(saved.moves)) {
        Object.assign(this, saved);
        this.ply = this.moves.length;
        this.paused = !Object.values(this.seats).includes(YOU);
      }
    } catch {
      // Nothing usable was saved.
    }
  }
}

export const game = new Game();
