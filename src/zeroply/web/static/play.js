// The Play page: board, players, moves, evaluation graph; the panels beside it have files of their own.

import * as api from "./api.js";
import { Board, scaled } from "./board.js";
import { evaluationGraph } from "./charts.js";
import { clocks } from "./clock.js";
import { h, put, say } from "./dom.js";
import { game, YOU } from "./game.js";
import { heatText } from "./heat.js";
import { valueText } from "./marks.js";
import { moveList, stepButtons, stepByKey } from "./moves.js";
import { NAMES, cellName } from "./notation.js";
import { optionsPanel } from "./options.js";
import { pickPlayer } from "./picker.js";
import { statusWords } from "./result.js";
import { reviewPanel } from "./review.js";
import { rulesPanel } from "./rules.js";
import { setupPanel } from "./setup.js";
import { sharePanel } from "./share.js";

const CANDIDATES = 3;

export function playView() {
  const board = new Board({ label: "Board", onpick: (cell) => pick(cell) });
  const status = h("p", { class: "status", role: "status", "aria-live": "polite" });
  const seats = { 1: h("div", { class: "seat" }), "-1": h("div", { class: "seat" }) };
  const graph = h("div", { class: "graph" });
  const about = h("p", { class: "muted small" });
  const heatFor = h("select", { onchange: () => refresh(), id: "heat" });
  const moves = moveList();
  const rules = rulesPanel();
  const share = sharePanel();
  const review = reviewPanel({ redraw: () => refresh() });
  const setup = setupPanel({ board, onedit: (editing) => refreshTools(editing), redraw: () => refresh() });
  const buttons = tools();
  let hint = null;
  let heat = null;
  let heatKey = "";
  let evaluations = { key: "", values: [], exact: [], unit: "discs", about: "" };

  function pick(cell) {
    if (setup.editing) setup.paint(cell);
    else if (game.yours) game.play(cell);
  }

  function tools() {
    const make = (name, words, help, action) => h("button", { type: "button", title: help, onclick: action, "data-tool": name }, words);
    return {
      fresh: make("new", "New game", "Start again with the same players; the old game stays in the recent games (N)", () => game.start({ setup: game.setup })),
      undo: make("undo", "Undo", "Go back to your last move; step forward to restore it (U)", () => game.undo()),
      hint: make("hint", "Hint", "Show the best moves and their values (H)", () => showHint()),
      swap: make("swap", "Swap sides", "Change colours", () => game.swap()),
      resign: make("resign", "Resign", "Resign the game", () => game.resign()),
      pause: make("pause", "Pause", "Pause or continue", () => game.pause(!(game.paused || !game.atEnd))),
    };
  }

  async function showHint() {
    const { where } = game;
    if (!game.position || game.position.over) return;
    buttons.hint.disabled = true;
    try {
      const found = await api.hints(where);
      if (!game.isAt(where)) return;
      hint = { where, ...found, candidates: found.candidates.slice(0, CANDIDATES) };
      refresh();
    } catch (problem) {
      if (game.isAt(where)) say(problem.message);
    } finally {
      refreshTools(setup.editing);
    }
  }

  function hintWords() {
    if (!hint) return "";
    const name = (cell) => cellName(game.position, cell);
    const [best, ...others] = hint.candidates.map((one) => `${name(one.cell)} ${valueText(one.value, hint.unit, hint.exact)}`);
    const unit = hint.unit === "discs" ? (hint.exact ? "discs, exact" : "discs, estimated") : "winning chances, estimated";
    const line = hint.candidates[0].line.slice(0, 6).map(name).join(" ");
    return `Best: ${best}${others.length ? `; then ${others.join(", ")}` : ""} (${unit}). Line: ${line}.`;
  }

  function boardMarks() {
    if (!hint) return review.boardMarks();
    return hint.candidates.map((one, at) => {
      const value = valueText(one.value, hint.unit, true).replace(" %", "");
      return { cell: one.cell, text: value, kind: at ? "candidate" : "best", words: `${at ? "candidate" : "best move"}, ${valueText(one.value, hint.unit, hint.exact)}` };
    });
  }

  async function showHeat() {
    const player = heatFor.value;
    const key = player && game.position && !game.position.over ? `${player} ${game.position.board} ${game.spec}` : "";
    if (key === heatKey) return;
    heatKey = key;
    heat = null;
    if (!key) return;
    try {
      const found = await api.preferences(game.where, player);
      if (heatKey !== key) return;
      heat = found;
      refresh();
    } catch (problem) {
      if (heatKey === key) say(problem.message);
    }
  }

  function refresh() {
    const { position } = game;
    if (!position || setup.editing) return;
    if (hint && !game.isAt(hint.where)) hint = null;
    const shown = heat && heatKey.includes(position.board) ? heat : null;
    board.show(position, {
      playable: game.yours ? position.legal : [],
      heat: shown && scaled(shown.values),
      text: shown && heatText(shown),
      marks: boardMarks(),
    });
    put(status, statusWords(game, hintWords()));
    for (const colour of [1, -1]) put(seats[colour], seat(colour, position));
    rules.show();
    share.show();
    review.show();
    moves.show();
    fillHeat();
    fillGraph();
    refreshTools(false);
    showHeat();
  }

  function refreshTools(editing) {
    const person = game.hasPerson;
    const stopped = game.paused || !game.atEnd;
    buttons.undo.disabled = editing || (!game.current.parent && !game.ended);
    buttons.hint.disabled = editing || Boolean(game.position?.over);
    buttons.resign.disabled = editing || game.over || !person || !game.atEnd;
    buttons.fresh.disabled = buttons.swap.disabled = editing;
    buttons.pause.disabled = editing || game.over;
    buttons.pause.textContent = stopped ? (game.atEnd ? "Continue" : "Continue from here") : "Pause";
    buttons.pause.hidden = game.over || (person && !stopped) || (game.yours && game.position);
  }

  function fillHeat() {
    const options = [["", "off"], ...[...game.opponents, ...game.others].map((one) => [one.player, one.title])];
    const key = JSON.stringify(options);
    if (heatFor.dataset.key === key) return;
    const before = heatFor.value;
    heatFor.dataset.key = key;
    put(heatFor, options.map(([value, title]) => h("option", { value }, title)));
    heatFor.value = options.some(([value]) => value === before) ? before : "";
  }

  async function fillGraph() {
    const line = game.moves;
    const key = JSON.stringify([game.spec, game.setup, line]);
    draw();
    if (evaluations.key === key) return;
    const old = evaluations;
    const [spec, start, before] = old.key ? JSON.parse(old.key) : [];
    let first = 0;
    if (spec === game.spec && start === game.setup) {
      while (first < old.values.length && first <= line.length && (first === 0 || before[first - 1] === line[first - 1])) first += 1;
    }
    evaluations = { ...old, key, values: old.values.slice(0, first), exact: old.exact.slice(0, first) };
    draw();
    try {
      const found = await api.graph({ game: game.spec, setup: game.setup, moves: line });
      if (evaluations.key !== key) return;
      evaluations = { key, values: found.values, exact: found.exact, unit: found.unit, about: found.about };
      draw();
    } catch {
      // The game continues without its graph; the error is shown elsewhere.
      if (evaluations.key === key) evaluations.key = "";
    }
  }

  /** The graph of the review if the line on display was reviewed as a whole, otherwise the quick one. */
  function draw() {
    const reviewed = review.graph();
    const length = game.moves.length;
    const one = reviewed && (reviewed.values.every((value) => value !== null) || review.running()) ? reviewed : evaluations;
    put(graph, evaluationGraph({ marks: [], ...one, ply: game.ply, length, onpick: (ply) => game.go(ply) }));
    put(about, one.about ? one.about + (one.values.length ? " Above the line Black leads. Click to jump to a move." : "") : "");
  }

  const element = h(
    "div",
    { class: "play" },
    h("h1", { class: "hidden" }, "Play"),
    h(
      "section",
      { class: "table-top", "aria-label": "Board and players" },
      seats[-1],
      board.element,
      seats[1],
      status,
      h("div", { class: "tools", role: "group", "aria-label": "Game" }, buttons.fresh, buttons.undo, buttons.hint, buttons.swap, buttons.resign, buttons.pause),
      setup.palette,
    ),
    h(
      "div",
      { class: "side" },
      h("p", { class: "lead" }, "Play against a neural net that does not search: it looks at the board and moves. Choose a game and a player, then click the board."),
      h("section", { class: "card" }, h("h2", {}, "Game"), rules.element),
      h(
        "section",
        { class: "card" },
        h("h2", {}, "Moves"),
        h("div", { class: "steps", role: "group", "aria-label": "Step through the game" }, stepButtons()),
        graph,
        about,
        moves.element,
        moves.tools,
        moves.note,
      ),
      review.element,
      h(
        "section",
        { class: "card" },
        h("h2", {}, "Move preferences"),
        h("label", { class: "field" }, h("span", {}, "Show move preferences of"), heatFor),
        h("p", { class: "muted small" }, "Stronger colours mark preferred moves; the best are outlined. ", h("a", { href: "#inside" }, "Look inside"), " compares two players."),
      ),
      share.element,
      setup.element,
      optionsPanel().element,
      h(
        "details",
        { class: "card" },
        h("summary", {}, "Keys"),
        h("p", { class: "muted small" }, "On the board: arrow keys move between cells, Enter plays. Elsewhere: left and right step through the game, up and down change the variation, N new game, U undo, H hint."),
      ),
    ),
  );

  document.addEventListener("keydown", (event) => {
    if (!element.isConnected || event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, textarea, select, dialog")) return;
    const action = { n: buttons.fresh, u: buttons.undo, h: buttons.hint }[event.key];
    if (action && !action.disabled) action.click();
    else if (!setup.editing && stepByKey(event.key)) event.preventDefault();
  });
  game.addEventListener("change", () => refresh());
  return { element, enter: () => refresh() };
}

function seat(colour, position) {
  const player = game.seats[colour];
  const opponent = game.opponents.find((one) => one.player === player);
  const turn = !game.over && position.to_move === colour;
  const name = colour > 0 ? "black" : "white";
  const count = position.tallies[colour > 0 ? 0 : 1];
  const rating = opponent?.rating ?? null;
  return [
    h("span", { class: `stone-icon ${name}${turn ? " turn" : ""}`, "aria-hidden": "true" }),
    h(
      "button",
      {
        type: "button",
        class: "seat-name",
        "data-seat": name,
        title: `${game.titleOf(player)}: choose who plays`,
        onclick: async () => {
          const chosen = await pickPlayer({ title: `Who plays ${NAMES[colour]}?`, chosen: player, withYou: true });
          if (chosen !== null) game.sit(colour, chosen);
        },
      },
      h("span", { class: "hidden" }, `${NAMES[colour]}: `),
      h("span", { class: "name" }, game.titleOf(player)),
      h("span", { class: "chevron", "aria-hidden": "true" }, "▾"),
    ),
    rating === null ? null : h("span", { class: "muted small rating", title: "Elo (random player = 0; not comparable with online ratings)" }, `Elo ${rating}`),
    h("span", { class: "count" }, count),
    clocks.elements[colour],
  ];
}
