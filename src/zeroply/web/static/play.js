// The Play page: board, players, moves, evaluation graph; setting up a position, pasting a game.

import * as api from "./api.js";
import { Board, NAMES, cellName, ranked, scaled } from "./board.js";
import { evaluationGraph } from "./charts.js";
import { h, newId, put, say } from "./dom.js";
import { game, YOU } from "./game.js";
import { pickPlayer } from "./picker.js";
import { setupPanel } from "./setup.js";

const PACES = { Slow: 1200, Normal: 300, Fast: 0 };

export function playView() {
  const board = new Board({ label: "Board", onpick: (cell) => pick(cell) });
  const status = h("p", { class: "status", role: "status", "aria-live": "polite" });
  const seats = { 1: h("div", { class: "seat" }), "-1": h("div", { class: "seat" }) };
  const moves = h("ol", { class: "moves", "aria-label": "Moves" });
  const graph = h("div", { class: "graph" });
  const about = h("p", { class: "muted small" });
  const heatFor = h("select", { onchange: () => refresh(), id: "heat" });
  const rules = rulesPanel();
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
      fresh: make("new", "New game", "Start again with the same players (N)", () => game.start({ setup: game.setup })),
      undo: make("undo", "Undo", "Take your last move back (U)", () => game.undo()),
      hint: make("hint", "Hint", "Show the move of the strongest player (H)", () => showHint()),
      swap: make("swap", "Swap sides", "Change colours", () => game.swap()),
      resign: make("resign", "Resign", "Resign the game", () => game.resign()),
      pause: make("pause", "Pause", "Pause or continue", () => game.pause(!(game.paused || !game.atEnd))),
    };
  }

  async function showHint() {
    const { where } = game;
    const player = game.strongest();
    if (!player || !game.position || game.position.over) return;
    buttons.hint.disabled = true;
    try {
      const found = await api.preferences(where, player);
      if (!game.isAt(where)) return;
      const [best] = ranked(found.values);
      hint = { where, cell: best, words: `${game.titleOf(player)} would play ${cellName(game.position, best)}.` };
      refresh();
    } catch (problem) {
      if (game.isAt(where)) say(problem.message);
    } finally {
      refreshTools(setup.editing);
    }
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
      ring: hint?.cell,
      heat: shown && scaled(shown.values),
      text: shown && heatText(shown),
    });
    put(status, words(position, hint));
    for (const colour of [1, -1]) put(seats[colour], seat(colour, position));
    rules.show();
    fillHeat();
    fillMoves();
    fillGraph();
    refreshTools(false);
    showHeat();
  }

  function refreshTools(editing) {
    const person = Object.values(game.seats).includes(YOU);
    const stopped = game.paused || !game.atEnd;
    buttons.undo.disabled = editing || (!game.moves.length && !game.resigned);
    buttons.hint.disabled = editing || game.over || Boolean(game.position?.over);
    buttons.resign.disabled = editing || game.over || !person || !game.atEnd;
    buttons.fresh.disabled = buttons.swap.disabled = editing;
    buttons.pause.disabled = editing || (game.over && game.atEnd);
    buttons.pause.textContent = stopped ? (game.atEnd ? "Continue" : "Continue from here") : "Pause";
    buttons.pause.hidden = person && game.atEnd && !game.paused;
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

  function fillMoves() {
    const turns = game.positions.get(game.moves.length)?.turns ?? game.position.turns;
    put(
      moves,
      turns.map((turn, number) =>
        h(
          "li",
          {},
          h(
            "button",
            {
              type: "button",
              class: turn.colour > 0 ? "black" : "white",
              "aria-current": game.ply === number + 1 ? "step" : null,
              "aria-label": `${number + 1}. ${NAMES[turn.colour]} ${turn.name}`,
              onclick: () => game.go(number + 1),
            },
            h("span", { class: "n" }, String(number + 1)),
            turn.name,
          ),
        )),
      turns.length ? null : h("li", { class: "muted" }, "No moves yet."),
    );
    const current = moves.querySelector("[aria-current]");
    if (current) moves.scrollTop = Math.max(0, current.offsetTop - moves.offsetTop - moves.clientHeight / 2);
  }

  async function fillGraph() {
    const key = JSON.stringify([game.spec, game.setup, game.moves]);
    draw();
    if (evaluations.key === key) return;
    const old = evaluations;
    const [spec, start, before] = old.key ? JSON.parse(old.key) : [];
    let first = 0;
    if (spec === game.spec && start === game.setup) {
      while (first < old.values.length && first <= game.moves.length && (first === 0 || before[first - 1] === game.moves[first - 1])) first += 1;
    }
    evaluations = { ...old, key, values: old.values.slice(0, first), exact: old.exact.slice(0, first) };
    draw();
    const where = { game: game.spec, setup: game.setup, moves: [...game.moves] };
    try {
      const found = await api.graph(where);
      if (evaluations.key !== key) return;
      evaluations = { key, values: found.values, exact: found.exact, unit: found.unit, about: found.about };
      draw();
    } catch {
      // The game continues without its graph; the error is shown elsewhere.
      if (evaluations.key === key) evaluations.key = "";
    }
  }

  function draw() {
    put(graph, evaluationGraph({ ...evaluations, ply: game.ply, length: game.moves.length, onpick: (ply) => game.go(ply) }));
    const help = evaluations.values.length ? " Above the line Black leads. Click to jump to a move." : "";
    put(about, evaluations.about ? evaluations.about + help : "");
  }

  const pace = h(
    "select",
    { onchange: () => (game.pace = PACES[pace.value]) },
    Object.keys(PACES).map((name) => h("option", { selected: PACES[name] === game.pace }, name)),
  );
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
        h("h2", {}, "Move preferences"),
        h("label", { class: "field" }, h("span", {}, "Show move preferences of"), heatFor),
        h("p", { class: "muted small" }, "Stronger colours mark preferred moves; the best are outlined. ", h("a", { href: "#inside" }, "Look inside"), " compares two players."),
      ),
      h(
        "section",
        { class: "card" },
        h("h2", {}, "Evaluation"),
        graph,
        about,
      ),
      h(
        "section",
        { class: "card" },
        h("h2", {}, "Moves"),
        h(
          "div",
          { class: "steps", role: "group", "aria-label": "Step through the game" },
          stepButtons(),
          h("label", { class: "pace" }, "Speed ", pace),
        ),
        moves,
      ),
      setup.element,
      h(
        "details",
        { class: "card" },
        h("summary", {}, "Keys"),
        h("p", { class: "muted small" }, "On the board: arrow keys move between cells, Enter plays. Anywhere: N new game, U undo, H hint, comma and full stop step back and forward."),
      ),
    ),
  );

  document.addEventListener("keydown", (event) => {
    if (!element.isConnected || event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, textarea, select, dialog")) return;
    const action = { n: buttons.fresh, u: buttons.undo, h: buttons.hint }[event.key];
    if (action && !action.disabled) action.click();
    else if (event.key === ",") game.go(game.ply - 1);
    else if (event.key === ".") game.go(game.ply + 1);
  });
  game.addEventListener("change", () => refresh());
  return { element, enter: () => refresh() };
}

/** Buttons that go to other positions of the game. */
export function stepButtons() {
  const step = (words, help, to) => h("button", { type: "button", "aria-label": help, title: help, onclick: () => game.go(to()) }, words);
  return [
    step("«", "To the start", () => 0),
    step("‹", "Back one move", () => game.ply - 1),
    step("›", "Forward one move", () => game.ply + 1),
    step("»", "To the end", () => game.moves.length),
  ];
}

/** Numbers on the best five cells: percent if the preferences are probabilities, otherwise scaled from 0 to 100. */
export function heatText(found) {
  const values = found.logits ? found.shares : scaled(found.values);
  const text = values.map(() => "");
  const cells = ranked(found.values);
  if (cells.length > 1 && found.values[cells[0]] === found.values[cells.at(-1)]) return text;
  for (const cell of cells.slice(0, 5)) text[cell] = String(Math.round(100 * values[cell]));
  return text;
}

function words(position, hint) {
  const parts = [];
  if (game.resigned && game.atEnd) parts.push(h("strong", {}, `${NAMES[game.resigned]} resigns: ${NAMES[-game.resigned]} wins.`));
  else if (position.over) parts.push(h("strong", {}, outcome(position)));
  else {
    if (position.passed) parts.push(h("span", { class: "pass" }, `${NAMES[-position.to_move]} has no move and passes. `));
    const who = game.seats[position.to_move];
    const thinks = game.thinking === position.to_move && game.atEnd;
    parts.push(thinks ? `${game.titleOf(who)} is thinking …` : who === YOU ? `Your move: ${NAMES[position.to_move]} to play.` : `${NAMES[position.to_move]} to play.`);
  }
  if (!game.atEnd) parts.push(` Showing move ${game.ply} of ${game.moves.length}.`);
  if (hint) parts.push(" ", h("span", { class: "hint" }, hint.words));
  return parts;
}

function outcome(position) {
  const counts = position.margin === null ? null : position.tallies.map((text) => Number.parseInt(text, 10));
  if (position.winner === 0) return counts ? `Draw, ${counts[0]}-${counts[1]}.` : "Draw.";
  const score = counts ? ` ${Math.max(...counts)}-${Math.min(...counts)}` : "";
  const [winner, loser] = [game.seats[position.winner], game.seats[-position.winner]];
  if (winner === YOU) return `${loser === YOU ? `${NAMES[position.winner]} wins` : "You win"}${score}.`;
  return `${game.titleOf(winner)} (${NAMES[position.winner]}) wins${score}.`;
}

function seat(colour, position) {
  const player = game.seats[colour];
  const opponent = game.opponents.find((one) => one.player === player);
  const turn = !position.over && !game.over && position.to_move === colour;
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
        title: "Choose who plays",
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
  ];
}

/** Game, board and options. */
function rulesPanel() {
  const kind = h("select", { id: newId("game"), onchange: () => change(true) });
  const size = h("select", { id: newId("size"), onchange: () => change(false) });
  const more = h("div", { class: "more-rules" });
  const help = h("p", { class: "muted small" });
  const details = h("details", {}, h("summary", {}, "More rules"), more);
  let games = [];
  let key = "";

  api.games().then((found) => {
    games = found;
    put(kind, games.map((one) => h("option", { value: one.name }, one.title)));
    key = "";
    show();
  }, (problem) => say(problem.message));

  function show() {
    if (!games.length || key === game.spec) return;
    key = game.spec;
    const info = games.find((one) => one.name === game.kind) ?? games[0];
    kind.value = info.name;
    const [first, ...rest] = info.options;
    put(size, first.values.map((value) => h("option", { value }, `${value} × ${value}`)));
    size.value = optionOf(first);
    put(more, rest.map((option) => field(option)));
    details.hidden = !rest.length;
    put(help, info.help);
  }

  function field(option) {
    const value = optionOf(option);
    const input = option.kind === "yes-no"
      ? h("input", { type: "checkbox", checked: value === true || value === "true", "data-option": option.name, onchange: () => change(false) })
      : h("select", { "data-option": option.name, onchange: () => change(false) }, option.values.map((one) => h("option", { value: one, selected: String(one) === String(value) }, String(one))));
    return h("label", { class: option.kind === "yes-no" ? "check" : "field" }, h("span", {}, option.help.split(";")[0]), input);
  }

  function optionOf(option) {
    const match = new RegExp(`\\b${option.name}=([^,)]+)`).exec(game.spec);
    return match ? match[1].trim() : option.default;
  }

  function change(other) {
    const info = games.find((one) => one.name === kind.value);
    if (other) {
      game.start({ spec: `${info.name}(size=${info.options[0].default})` });
      return;
    }
    const parts = [`size=${size.value}`];
    for (const input of more.querySelectorAll("[data-option]")) parts.push(`${input.dataset.option}=${input.type === "checkbox" ? input.checked : input.value}`);
    game.start({ spec: `${info.name}(${parts.join(", ")})` });
  }

  const element = h(
    "div",
    { class: "rules" },
    h("div", { class: "pair" }, h("label", { class: "field" }, h("span", {}, "Game"), kind), h("label", { class: "field" }, h("span", {}, "Board"), size)),
    help,
    details,
  );
  return { element, show };
}
