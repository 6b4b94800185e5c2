// Setting up a position by hand, and pasting or copying a game.

import * as api from "./api.js";
import { cellName } from "./board.js";
import { h, put, say } from "./dom.js";
import { game, YOU } from "./game.js";

/** The panel, and the palette shown below the board while a position is set up. */
export function setupPanel({ board, onedit, redraw }) {
  const palette = h("div", { class: "palette", hidden: true });
  const text = h("textarea", { rows: 3, spellcheck: "false", placeholder: "f5d6c3d3c4… or GGF, SGF, or a board string", id: "transcript" });
  let stones = [];
  let brush = 1;
  let side = 1;
  const panel = { editing: false, element: null, palette, paint };

  function show() {
    const shown = { ...game.position, stones, turns: [], ko: null, over: true };
    board.show(shown, { any: true });
  }

  function paint(cell) {
    stones[cell] = stones[cell] === brush ? 0 : brush;
    show();
  }

  function begin() {
    if (!game.position) return;
    if (!game.paused && !game.over) game.pause(true);
    stones = [...game.position.stones];
    side = game.position.to_move;
    panel.editing = true;
    palette.hidden = false;
    fill();
    onedit(true);
    show();
  }

  function end() {
    panel.editing = false;
    palette.hidden = true;
    onedit(false);
    redraw();
  }

  function fill() {
    const choice = (group, words, value, current, set) =>
      h("label", { class: "chip" }, h("input", { type: "radio", name: group, checked: value === current, onchange: () => set(value) }), words);
    put(
      palette,
      h("fieldset", {}, h("legend", {}, "Place"), choice("brush", "Black", 1, brush, (v) => (brush = v)), choice("brush", "White", -1, brush, (v) => (brush = v)), choice("brush", "Empty", 0, brush, (v) => (brush = v))),
      h("fieldset", {}, h("legend", {}, "Side to move"), choice("to-play", "Black", 1, side, (v) => (side = v)), choice("to-play", "White", -1, side, (v) => (side = v))),
      h(
        "div",
        { class: "tools" },
        h("button", { type: "button", class: "main", onclick: () => use() }, "Use this position"),
        h("button", { type: "button", onclick: () => { stones = stones.map(() => 0); show(); } }, "Clear"),
        h("button", { type: "button", onclick: () => end() }, "Cancel"),
      ),
    );
  }

  async function use() {
    const letters = stones.map((stone) => (stone > 0 ? "X" : stone < 0 ? "O" : "-")).join("");
    const setup = `${letters} ${side > 0 ? "X" : "O"}`;
    try {
      await api.position({ game: game.spec, setup, moves: [] });
    } catch (problem) {
      say(problem.message);
      return;
    }
    end();
    await game.start({ setup, paused: !Object.values(game.seats).includes(YOU) });
  }

  async function load() {
    if (!text.value.trim()) {
      say("Paste a game first.");
      return;
    }
    try {
      const found = await api.record(text.value, game.spec);
      await game.start({ spec: found.game, setup: found.setup, moves: found.moves, paused: true });
      say(`Read ${found.moves.length} moves${found.games > 1 ? `, the first of ${found.games} games` : ""}.`, "news");
    } catch (problem) {
      say(problem.message);
    }
  }

  async function copy() {
    const moves = game.moves.map((cell) => cellName(game.position, cell)).join("");
    const words = game.setup === null ? moves : `${game.setup}; ${moves}`;
    text.value = words;
    try {
      await navigator.clipboard.writeText(words);
      say("Copied to the clipboard.", "news");
    } catch {
      text.select();
    }
  }

  panel.element = h(
    "details",
    { class: "card" },
    h("summary", {}, "Set up a position, paste or copy a game"),
    h("p", {}, h("button", { type: "button", onclick: () => begin(), "data-tool": "setup" }, "Set up a position"), " ",
      h("button", { type: "button", onclick: () => { game.start(); } }, "Standard start")),
    h("label", { class: "field", for: "transcript" }, h("span", {}, "Transcript, GGF, SGF or board string"), text),
    h("p", {}, h("button", { type: "button", onclick: () => load(), "data-tool": "paste" }, "Load"), " ", h("button", { type: "button", onclick: () => copy() }, "Copy this game")),
  );
  return panel;
}
