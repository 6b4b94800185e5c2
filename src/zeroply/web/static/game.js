// The game on the board: its tree of moves, the players, and the position on display. Survives a reload of the page;
// a game that another one replaces goes to the recent games.

import * as api from "./api.js";
import { say } from "./dom.js";
import { lettersFor } from "./notation.js";
import { Opponents, YOU } from "./opponents.js";
import { keep, load, save, setting } from "./store.js";
import { GameTree, forward } from "./tree.js";

const KEY = "zeroply-game";
export { YOU };
const still = matchMedia("(prefers-reduced-motion: reduce)");
const BOTH_YOU = { 1: YOU, "-1": YOU };

class Game extends EventTarget {
  constructor() {
    super();
    this.spec = ""; // the server's first game, once it is known
    this.infos = []; // the server's games
    this.setup = null;
    this.tree = new GameTree();
    this.seats = { 1: YOU, "-1": "" };
    this.players = new Opponents();
    this.wanted = null; // the player to show next on the Look inside page
    this.paused = false;
    this.pace = 300;
    this.thinking = 0;
    this.removed = []; // variations that can be restored
    this.turnNumber = 0;
    this.#begin();
    this.#restore();
  }

  get current() {
    return this.tree.current;
  }

  get ply() {
    return this.tree.path().length;
  }

  /** The cells of the line on display, also those after the current position. */
  get moves() {
    return this.tree.line().map((node) => node.cell);
  }

  get where() {
    return { game: this.spec, setup: this.setup, moves: this.tree.path().map((node) => node.cell) };
  }

  get position() {
    return this.current.position;
  }

  /** Whether no move of the line comes after the position on display. */
  get atEnd() {
    return !forward(this.current);
  }

  /** Who gave the game up, and how, in the position on display. */
  get ended() {
    return this.current.ended;
  }

  get over() {
    return Boolean(this.ended || this.position?.over);
  }

  get kind() {
    return this.spec.split("(")[0];
  }

  get info() {
    return this.infos.find((one) => one.name === this.kind);
  }

  isAt(where) {
    return JSON.stringify(where) === JSON.stringify(this.where);
  }

  /** The players in the server's list, and others that were used in this game. */
  get opponents() {
    return this.players.list;
  }

  get others() {
    return this.players.others(this.kind);
  }

  titleOf(player) {
    return this.players.titleOf(player);
  }

  get hasPerson() {
    return Object.values(this.seats).includes(YOU);
  }

  /** Whether a person may move now. */
  get yours() {
    return Boolean(this.position) && !this.over && this.seats[this.position.to_move] === YOU;
  }

  /** Starts another game; what is not given stays. The previous one goes to the recent games. */
  async start({ spec = this.spec, setup = null, tree = new GameTree(), seats = null, paused = false, id = null } = {}) {
    this.keepRecent();
    this.#stop();
    Object.assign(this, { spec, setup, tree, seats: { ...(seats ?? this.seats) }, paused, removed: [] });
    if (seats) this.players.wish(this.kind, seats);
    this.#begin(id);
    if (this.players.met !== spec && !(await this.#meet())) return;
    await this.#settle();
    await this.#colourVariations();
  }

  /** A person's move in the position on display. Where a game continues differently, this begins a variation. */
  async play(cell) {
    const mover = this.position.to_move;
    this.tree.play(cell).colour = mover;
    this.paused = false;
    this.#stop();
    const reply = forward(this.current);
    if (reply && this.seats[reply.colour] !== YOU && this.hasPerson) this.tree.visit(reply);
    await this.#settle();
  }

  /** Shows the position after that many moves of the line. */
  async go(ply) {
    const line = this.tree.line();
    await this.goTo(ply <= 0 ? this.tree.root : line[Math.min(ply, line.length) - 1] ?? this.tree.root);
  }

  /** Shows the position after a move of the tree. */
  async goTo(node) {
    this.tree.visit(node);
    this.#stop();
    await this.#settle();
  }

  /** Goes back to the last position in which a person was to move; the moves stay, as the line ahead. */
  async undo() {
    if (this.ended) this.current.ended = null;
    else {
      let node = this.current;
      while (node.parent) {
        const { colour } = node;
        node = node.parent;
        if (!this.hasPerson || this.seats[colour] === YOU) break;
      }
      this.tree.visit(node);
      if (!this.hasPerson) this.paused = true;
    }
    this.#stop();
    await this.#settle();
  }

  /** Deletes a move and all after it; `restore` brings it back. */
  async remove(node) {
    this.removed.push(this.tree.remove(node));
    this.#stop();
    this.paused = true;
    await this.#settle();
  }

  async restore() {
    const last = this.removed.pop();
    if (!last) return;
    this.tree.restore(last);
    await this.#settle();
  }

  async promote(node) {
    this.tree.promote(node);
    this.#changed();
  }

  /** Adds a line after a position and shows its first move. */
  async addLine(node, cells) {
    let at = node;
    for (const cell of cells) at = this.tree.add(at, cell);
    this.tree.visit(at);
    this.paused = true;
    if (!(await this.#look())) return;
    await this.goTo(this.tree.path(at)[this.tree.path(node).length]);
  }

  annotate(note) {
    this.current.note = note;
    this.#changed();
  }

  async swap() {
    this.seats = { 1: this.seats[-1], "-1": this.seats[1] };
    this.players.wish(this.kind, this.seats);
    this.#stop();
    await this.#settle();
  }

  async sit(colour, player) {
    this.remember(player, this.titleOf(player));
    this.seats = { ...this.seats, [colour]: player };
    this.players.wish(this.kind, this.seats);
    this.#stop();
    await this.#settle();
  }

  resign() {
    if (!this.position) return;
    const colour = this.position.to_move;
    this.#end(this.seats[colour] === YOU || this.seats[-colour] !== YOU ? colour : -colour, "resigns");
  }

  /** The time of a colour has run out. */
  flag(colour) {
    this.#end(colour, "time");
  }

  #end(loser, how) {
    this.current.ended = { loser, how };
    this.#stop();
    this.#changed();
  }

  /** Stops the players, or lets them continue from the position on display. */
  pause(paused) {
    this.paused = paused;
    this.#stop();
    this.#changed();
    if (!paused) this.#next(true);
  }

  /** Adds a player that is not in the server's list to the choices, for this game or the one it plays. */
  remember(player, title, kind = this.kind) {
    this.players.remember(player, title, kind);
  }

  /** Makes the page ready. */
  async open() {
    try {
      this.infos = await api.games();
    } catch (problem) {
      say(problem.message);
      return;
    }
    this.spec ||= this.infos[0].name;
    if (await this.#meet()) await this.#settle();
    await this.#colourVariations();
  }

  /** Loads the players of the game; false if the game has changed by the time of the reply. */
  async #meet() {
    const { spec } = this;
    try {
      const take = await this.players.load(spec);
      if (spec !== this.spec) return false;
      take();
    } catch (problem) {
      if (spec !== this.spec) return false;
      say(problem.message);
    }
    this.seats = this.players.seated(this.kind, this.seats);
    return true;
  }

  #begin(id = null) {
    this.id = id ?? Math.floor(Math.random() * 2 ** 40);
    this.seed = this.id;
  }

  /** Replies to earlier questions are dropped. */
  #stop() {
    this.turnNumber += 1;
    this.thinking = 0;
  }

  /** Loads the position on display; false if it fails, or if another position is on display by the time of the reply. */
  async #look() {
    if (this.position) return true;
    const { where, current, tree } = this;
    try {
      this.#know(tree, current, await api.position(where));
      return this.tree === tree && this.current === current;
    } catch (problem) {
      if (this.tree !== tree || this.current !== current) return false;
      say(problem.message);
      return this.#retreat();
    }
  }

  /** Leaves a position that the server refuses: to the one before it, or to the standard start of the first game. */
  async #retreat() {
    if (this.current.parent) {
      this.tree.remove(this.current);
      return this.#look();
    }
    if (this.setup === null && this.spec === this.infos[0]?.name) return false;
    Object.assign(this, { spec: this.infos[0].name, setup: null, tree: new GameTree() });
    return (await this.#meet()) && this.#look();
  }

  /** Stores a position in its node, and who made the moves before it. */
  #know(tree, node, position) {
    position.letters = lettersFor(position.letters, this.info?.column_i);
    node.position = position;
    tree.path(node).forEach((one, at) => (one.colour = position.turns[at].colour));
  }

  /** Finds out who made the moves of lines that were read from text, by their last positions. */
  async #colourVariations() {
    const { tree, spec, setup } = this;
    for (const leaf of tree.leaves()) {
      if (this.tree !== tree) return;
      if (!leaf.parent || leaf.colour) continue;
      const moves = tree.path(leaf).map((node) => node.cell);
      try {
        this.#know(tree, leaf, await api.position({ game: spec, setup, moves }));
      } catch (problem) {
        say(`A variation was left out: ${problem.message}`);
        tree.remove(leaf);
      }
    }
    if (this.tree === tree && this.position) this.#changed();
  }

  async #settle() {
    if (!(await this.#look())) return;
    this.#changed();
    this.#next();
  }

  /** Lets the player whose turn it is move, if it is not a person's; where moves follow already, only if `again`. */
  async #next(again = false) {
    const { position, tree } = this;
    if (!position || this.over || this.paused || !(this.atEnd || again)) return;
    const player = this.seats[position.to_move];
    if (player === YOU) return;
    this.turnNumber += 1;
    const turn = this.turnNumber;
    this.thinking = position.to_move;
    this.#changed();
    try {
      const [moved] = await Promise.all([
        api.move(this.where, player, this.seed, setting("varied")),
        new Promise((done) => setTimeout(done, this.hasPerson ? (still.matches ? 0 : 150) : this.pace)),
      ]);
      if (turn !== this.turnNumber) return;
      this.#know(tree, tree.play(moved.cell), moved.position);
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

  /** The game as the browser stores it. */
  get written() {
    const { id, spec, setup, seats } = this;
    return { id, spec, setup, seats, tree: this.tree.write() };
  }

  /** Adds the game to the recent ones if it has moves. */
  keepRecent() {
    if (!this.tree.root.children.length) return;
    const names = { 1: this.titleOf(this.seats[1]), "-1": this.titleOf(this.seats[-1]) };
    keep({ ...this.written, names, moves: this.moves.length, when: Date.now() });
  }

  #changed() {
    save(KEY, { ...this.written, players: this.players.written, pace: this.pace });
    this.dispatchEvent(new Event("change"));
  }

  #restore() {
    const saved = load(KEY, null);
    if (typeof saved?.spec !== "string" || typeof saved.tree !== "string") return;
    try {
      const tree = GameTree.read(saved.tree);
      const { spec, setup, pace } = saved;
      Object.assign(this, { spec, setup, pace, tree, seats: saved.seats ?? BOTH_YOU });
      this.players.restore(saved.players);
      this.#begin(saved.id);
      this.paused = !this.hasPerson;
    } catch {
      // Nothing usable was saved.
    }
  }
}

export const game = new Game();
