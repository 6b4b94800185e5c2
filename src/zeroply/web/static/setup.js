// Setting up a position by hand.

import * as api from "./api.js";
import { h, put, say } from "./dom.js";
import { game } from "./game.js";

/** The panel, and the palette shown below the board while a position is set up. */
export function setupPanel({ board, onedit, redraw }) {
  const palette = h("div", { class: "palette", hidden: true });
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
      const found = await api.position({ game: game.spec, setup, moves: [] });
      if (found.over) throw new Error("The game is over in this position: place stones so that one side can move.");
    } catch (problem) {
      say(problem.message);
      return;
    }
    end();
    await game.start({ setup, paused: !game.hasPerson });
  }

  panel.element = h(
    "details",
    { class: "card" },
    h("summary", {}, "Set up a position"),
    h("p", { class: "muted small" }, "Place stones on the board, choose the side to move, and play from there."),
    h("p", { class: "tools" }, h("button", { type: "button", onclick: () => begin(), "data-tool": "setup" }, "Set up a position"), " ",
      h("button", { type: "button", onclick: () => { game.start(); } }, "Standard start")),
  );
  return panel;
}
