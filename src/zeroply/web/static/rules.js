// The panel that chooses the game, its board and its options, and draws a random start.

import * as api from "./api.js";
import { h, newId, put, say } from "./dom.js";
import { game } from "./game.js";
import { GameTree } from "./tree.js";

const RANDOM_MOVES = 8;
const EVEN = { discs: 3, advantage: 0.15 }; // how far from even a random start may be
const TRIES = 30;

/** Random first moves after which the evaluation is about even. */
async function randomStart(spec) {
  let closest = null;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const moves = [];
    let position = await api.position({ game: spec, setup: null, moves });
    while (moves.length < RANDOM_MOVES && !position.over) {
      moves.push(position.legal[Math.floor(Math.random() * position.legal.length)]);
      position = await api.position({ game: spec, setup: null, moves });
    }
    const { values, unit } = await api.graph({ game: spec, setup: null, moves });
    const off = Math.abs(values.at(-1));
    if (!closest || off < closest.off) closest = { moves, off };
    if (off <= EVEN[unit]) break;
  }
  return closest.moves;
}

/** Game, board and options. */
export function rulesPanel() {
  const kind = h("select", { id: newId("game"), onchange: () => change(true) });
  const size = h("select", { id: newId("size"), onchange: () => change(false) });
  const more = h("div", { class: "more-rules" });
  const help = h("p", { class: "muted small" });
  const details = h("details", {}, h("summary", {}, "More rules"), more);
  const xot = h("button", { type: "button", "data-tool": "xot", title: "Eight random moves that leave the game about even, as in XOT tournaments", onclick: () => drawStart() }, "Random start (XOT)");
  let key = "";

  function show() {
    const { info, infos } = game;
    if (!info || key === game.spec) return;
    key = game.spec;
    put(kind, infos.map((one) => h("option", { value: one.name }, one.title)));
    kind.value = info.name;
    xot.hidden = !info.ggf;
    const [first, ...rest] = info.options;
    put(size, first.values.map((value) => h("option", { value }, first.name === "size" ? `${value} × ${value}` : `${first.name}: ${value}`)));
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

  async function drawStart() {
    xot.disabled = true;
    try {
      const moves = await randomStart(game.spec);
      await game.start({ tree: GameTree.ofMoves(moves) });
    } catch (problem) {
      say(problem.message);
    } finally {
      xot.disabled = false;
    }
  }

  function change(other) {
    const info = game.infos.find((one) => one.name === kind.value);
    const [first, ...rest] = info.options;
    if (other) {
      game.start({ spec: `${info.name}(${first.name}=${first.default})` });
      return;
    }
    const parts = [`${first.name}=${size.value}`];
    const shown = [...more.querySelectorAll("[data-option]")].filter((input) => rest.some((one) => one.name === input.dataset.option));
    for (const input of shown) parts.push(`${input.dataset.option}=${input.type === "checkbox" ? input.checked : input.value}`);
    game.start({ spec: `${info.name}(${parts.join(", ")})` });
  }

  const element = h(
    "div",
    { class: "rules" },
    h("div", { class: "pair" }, h("label", { class: "field" }, h("span", {}, "Game"), kind), h("label", { class: "field" }, h("span", {}, "Board"), size)),
    help,
    details,
    h("div", { class: "tools" }, xot),
  );
  return { element, show };
}
