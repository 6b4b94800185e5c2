// Who can play the game on the board: the server's list, players entered by hand, and what a person chose before.

import * as api from "./api.js";

export const YOU = "you";
const MOST_REMEMBERED = 8;
const SOUGHT = ["Nets, no search", "Players that search"];

export class Opponents {
  constructor() {
    this.list = []; // the server's, for the game `met`
    this.met = null;
    this.remembered = []; // others, newest first
    this.titles = { [YOU]: "You" };
    this.wishes = {}; // the players a person chose, by game and colour
  }

  titleOf(player) {
    return this.titles[player] ?? player;
  }

  /** Players of a game that are not in the server's list: nets of runs, and players entered as specs. */
  others(kind) {
    return this.remembered.filter((one) => one.kind === kind);
  }

  async load(spec) {
    const found = await api.players(spec);
    return () => {
      this.list = found;
      this.met = spec;
      for (const one of found) this.titles[one.player] = one.title;
    };
  }

  /** Adds a player that is not in the server's list to the choices for a game. */
  remember(player, title, kind) {
    if (player === YOU || this.list.some((one) => one.player === player)) return;
    this.titles[player] = title;
    this.remembered = [{ player, title, kind }, ...this.remembered.filter((one) => one.player !== player)].slice(0, MOST_REMEMBERED);
  }

  /** What a person chose for a game stays chosen, also if another board size lacks the player for a while. */
  wish(kind, seats) {
    this.wishes[kind] = { ...seats };
  }

  /** The seats with players that the game has: those chosen for it, those who sit there, or else the default. */
  seated(kind, seats) {
    const known = new Set([YOU, ...[...this.list, ...this.others(kind)].map((one) => one.player)]);
    const choose = (colour) => [this.wishes[kind]?.[colour], seats[colour]].find((player) => known.has(player)) ?? this.usual();
    return { 1: choose(1), "-1": choose(-1) };
  }

  /** The default opponent: the server lists a game's best net first; without nets its weakest player that searches. */
  usual() {
    for (const group of SOUGHT) {
      const found = this.list.find((one) => one.group === group);
      if (found) return found.player;
    }
    return this.list[0]?.player ?? YOU;
  }

  /** The strongest player. */
  strongest() {
    const rated = this.list.filter((one) => one.rating !== null).sort((a, b) => b.rating - a.rating);
    return (rated[0] ?? this.list.at(-1))?.player;
  }

  /** What the browser stores of all this, and back. */
  get written() {
    const { remembered, titles, wishes } = this;
    return { remembered, titles, wishes };
  }

  restore({ remembered, titles, wishes }) {
    if (Array.isArray(remembered)) this.remembered = remembered;
    Object.assign(this.titles, titles);
    Object.assign(this.wishes, wishes);
  }
}
