// The Tournament page: chosen players meet each other, every opening with both colours, and a crosstable grows.

import * as api from "./api.js";
import { Board } from "./board.js";
import { h, put, say } from "./dom.js";
import { game } from "./game.js";
import { lettersFor } from "./notation.js";
import { GameTree } from "./tree.js";

const ROUNDS = [1, 2, 5, 10, 25];
const PRESELECTED = 4;

/** Pairs in the order of a round-robin: everybody has played about as often at any time. */
export function roundRobin(players) {
  const ring = players.length % 2 ? [...players, null] : [...players];
  const pairs = [];
  for (let round = 1; round < ring.length; round += 1) {
    for (let at = 0; at < ring.length / 2; at += 1) {
      const [one, other] = [ring[at], ring[ring.length - 1 - at]];
      if (one !== null && other !== null) pairs.push([one, other]);
    }
    ring.splice(1, 0, ring.pop());
  }
  return pairs;
}

export function tournamentView() {
  const board = new Board({ label: "Current game" });
  const list = h("fieldset", { class: "entrants" });
  const rounds = h("select", {}, ROUNDS.map((one) => h("option", { value: one }, `${2 * one}`)));
  const opening = h("select", {}, [2, 4, 6, 8].map((one) => h("option", { value: one, selected: one === 4 }, String(one))));
  const start = h("button", { type: "button", class: "main", "data-tool": "play-tournament", onclick: () => (running ? stop() : play()) }, "Start");
  const status = h("p", { class: "status", role: "status" });
  const table = h("div", { class: "table" });
  let running = null;
  let results = null; // { spec, players, won: Map of "a b" to points of a, games, last }
  let listed = null;

  function fill() {
    const { spec, opponents, others, info } = game;
    if (!info || running) return;
    put(about, `${info.title}, as chosen on the Play page: ${spec}. Every opening is played twice, with colours swapped.`);
    const all = [...opponents, ...others];
    const key = JSON.stringify([spec, all.map((one) => one.player)]);
    if (key === listed) return;
    listed = key;
    put(list, h("legend", {}, "Players"), all.map((one, at) => h("label", { class: "chip" },
      h("input", { type: "checkbox", value: one.player, checked: at < PRESELECTED }), one.title, one.rating === null || one.rating === undefined ? null : h("span", { class: "muted small" }, `Elo ${one.rating}`))));
  }

  function stop() {
    running = null;
    start.textContent = "Start";
    fill();
    show();
  }

  async function play() {
    const players = [...list.querySelectorAll("input:checked")].map((input) => input.value);
    if (players.length < 2) {
      say("Choose at least two players.");
      return;
    }
    const token = {};
    running = token;
    start.textContent = "Stop";
    results = { spec: game.spec, players, won: new Map(), games: 0, last: new Map() };
    const total = Number(rounds.value) * players.length * (players.length - 1);
    try {
      for (let round = 0; round < Number(rounds.value); round += 1) {
        for (const [one, other] of roundRobin(players)) {
          const first = await randomOpening(Number(opening.value));
          for (const [black, white] of [[one, other], [other, one]]) {
            const seed = Math.floor(Math.random() * 2 ** 40);
            const ended = await playGame(first, { 1: black, "-1": white }, seed, token, total);
            if (running !== token) return;
            count(black, white, ended);
          }
        }
      }
    } catch (problem) {
      say(problem.message);
    }
    if (running === token) stop();
  }

  async function randomOpening(length) {
    const moves = [];
    for (let position = await api.position({ game: results.spec, setup: null, moves }); moves.length < length && !position.over;) {
      moves.push(position.legal[Math.floor(Math.random() * position.legal.length)]);
      position = await api.position({ game: results.spec, setup: null, moves });
    }
    return moves;
  }

  async function playGame(first, seats, seed, token, total) {
    const moves = [...first];
    let position = await api.position({ game: results.spec, setup: null, moves });
    while (!position.over && running === token) {
      const moved = await api.move({ game: results.spec, setup: null, moves }, seats[position.to_move], seed, false);
      moves.push(moved.cell);
      position = moved.position;
      position.letters = lettersFor(position.letters, game.info?.column_i);
      if (running !== token) break;
      board.show(position);
      put(status, `Game ${results.games + 1} of ${total}: ${game.titleOf(seats[1])} (Black) – ${game.titleOf(seats[-1])} (White), move ${moves.length}.`);
    }
    return { moves, winner: position.winner };
  }

  function count(black, white, { moves, winner }) {
    const add = (one, other, points) => results.won.set(`${one} ${other}`, [...(results.won.get(`${one} ${other}`) ?? []), points]);
    add(black, white, (1 + winner) / 2);
    add(white, black, (1 - winner) / 2);
    results.last.set(`${black} ${white}`, { moves, seats: { 1: black, "-1": white } });
    results.last.set(`${white} ${black}`, { moves, seats: { 1: black, "-1": white } });
    results.games += 1;
    show();
  }

  function show() {
    if (!results) return;
    const points = (one, other) => results.won.get(`${one} ${other}`) ?? [];
    const sum = (all) => all.reduce((before, now) => before + now, 0);
    const total = (one) => results.players.flatMap((other) => points(one, other));
    const share = (one) => (total(one).length ? sum(total(one)) / total(one).length : 0);
    const order = [...results.players].sort((a, b) => share(b) - share(a));
    put(
      table,
      h(
        "table",
        { class: "crosstable" },
        h("caption", {}, `${results.games} ${results.games === 1 ? "game" : "games"}; points of the row against the column. Click a result to see its last game.`),
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Player"), order.map((_, at) => h("th", { scope: "col", class: "number" }, String(at + 1))), h("th", { scope: "col", class: "number" }, "Points"), h("th", { scope: "col", class: "number" }, "Share"))),
        h("tbody", {}, order.map((one, at) => h(
          "tr",
          {},
          h("th", { scope: "row" }, `${at + 1}. ${game.titleOf(one)}`),
          order.map((other) => h("td", { class: "number" }, cell(one, other, points(one, other), sum))),
          h("td", { class: "number" }, `${sum(total(one))} / ${total(one).length}`),
          h("td", { class: "number" }, total(one).length ? `${Math.round(100 * share(one))} %` : "–"),
        ))),
      ),
    );
    if (!running) put(status, results.games ? `${results.games} games played.` : "");
  }

  function cell(one, other, points, sum) {
    if (one === other) return h("span", { class: "muted", "aria-label": "itself" }, "✕");
    if (!points.length) return "";
    const last = results.last.get(`${one} ${other}`);
    const open = async () => {
      await game.start({ spec: results.spec, tree: GameTree.ofMoves(last.moves), seats: last.seats, paused: true });
      location.hash = "#play";
    };
    return h("button", { type: "button", class: "quiet", onclick: open, "aria-label": `${sum(points)} of ${points.length} points against ${game.titleOf(other)}: show the last game` }, `${sum(points)}/${points.length}`);
  }

  const about = h("p", { class: "lead" });
  const element = h(
    "div",
    { class: "tournament" },
    h("h1", {}, "Tournament"),
    about,
    h(
      "div",
      { class: "duo" },
      h("section", { class: "card" }, list,
        h("label", { class: "check" }, h("span", {}, "Games of each pair"), rounds),
        h("label", { class: "check" }, h("span", {}, "Random moves at the start"), opening),
        h("div", { class: "tools" }, start)),
      h("section", { class: "card" }, status, board.element),
    ),
    h("section", { class: "card" }, h("h2", {}, "Crosstable"), table),
  );
  put(table, h("p", { class: "muted" }, "It grows with every game."));
  game.addEventListener("change", () => element.isConnected && fill());
  return {
    element,
    enter: () => {
      fill();
      if (game.position && !results) board.show({ ...game.position, over: true });
    },
  };
}
