// The list of moves as a tree: the main line, and indented below a move the variations that replace it.

import { h, put } from "./dom.js";
import { game } from "./game.js";
import { cellName, NAMES } from "./notation.js";
import { MARKS, markOf, words } from "./marks.js";

const DEEPEST = 12; // indentation of variations

export function moveList() {
  const list = h("ol", { class: "moves", "aria-label": "Moves", tabindex: 0 });
  const note = h("textarea", { rows: 2, id: "note", placeholder: "Note on this position", oninput: () => game.annotate(note.value) });
  const tools = h("div", { class: "steps" });
  let shown = null;

  function show() {
    const { position, tree } = game;
    if (!position) return;
    const rows = branch(tree.root, position, 0);
    put(list, rows.length ? rows : h("li", { class: "muted" }, "No moves yet."));
    list.dataset.ply = game.ply;
    list.dataset.length = game.moves.length;
    if (shown !== game.current && document.activeElement !== note) note.value = game.current.note;
    shown = game.current;
    const on = game.current.parent !== null && !tree.isMain(game.current);
    put(
      tools,
      on && h("button", { type: "button", onclick: () => game.promote(game.current), "data-tool": "promote" }, "Make main line"),
      on && h("button", { type: "button", onclick: () => game.remove(start(game.current)), "data-tool": "remove" }, "Delete variation"),
      game.removed.length > 0 && h("button", { type: "button", onclick: () => game.restore(), "data-tool": "restore" }, "Restore deleted"),
    );
    const current = list.querySelector("[aria-current]");
    if (current) list.scrollTop = Math.max(0, current.offsetTop - list.offsetTop - list.clientHeight / 2);
  }

  /** The first move of the innermost variation with a node. */
  function start(node) {
    let at = node;
    while (at.parent.children[0] === at) at = at.parent;
    return at;
  }

  /** Items for the moves after a node: its main line, with the variations after the moves they replace. */
  function branch(node, position, depth) {
    const items = [];
    let ply = game.tree.path(node).length;
    for (let at = node; at.children.length; at = at.children[0], ply += 1) {
      items.push(item(at.children[0], ply + 1, position));
      for (const other of at.children.slice(1)) items.push(variation(other, ply + 1, position, depth));
    }
    return items;
  }

  function variation(node, ply, position, depth) {
    if (depth >= DEEPEST) return h("li", { class: "variation muted" }, "…");
    return h("li", { class: "variation" }, h("ol", { "aria-label": `Variation at move ${ply}` }, item(node, ply, position), branch(node, position, depth + 1)));
  }

  function item(node, ply, position) {
    const mark = markOf(node.review);
    const name = cellName(position, node.cell);
    return h(
      "li",
      {},
      h(
        "button",
        {
          type: "button",
          class: `${node.colour > 0 ? "black" : node.colour < 0 ? "white" : ""}${mark ? ` ${mark}` : ""}${node.note ? " noted" : ""}`,
          "aria-current": game.current === node ? "step" : null,
          "aria-label": `${ply}. ${NAMES[node.colour] ?? ""} ${name}${mark ? `, ${words(node.review)}` : ""}${node.note ? ", with a note" : ""}`,
          title: mark ? words(node.review) : node.note || null,
          onclick: () => game.goTo(node),
        },
        h("span", { class: "n" }, String(ply)),
        name,
        mark && h("span", { class: "glyph", "aria-hidden": "true" }, MARKS[mark].glyph),
      ),
    );
  }

  return { element: list, note: h("label", { class: "field", for: "note" }, h("span", { class: "hidden" }, "Note on this position"), note), tools, show };
}

/** Buttons that go to other positions of the line on display. */
export function stepButtons() {
  const step = (text, help, to) => h("button", { type: "button", "aria-label": help, title: help, onclick: () => game.go(to()) }, text);
  return [
    step("«", "To the start (Home)", () => 0),
    step("‹", "Back one move (left arrow)", () => game.ply - 1),
    step("›", "Forward one move (right arrow)", () => game.ply + 1),
    step("»", "To the end (End)", () => game.moves.length),
  ];
}

/** Steps through the game: arrow keys, comma and full stop. True if the key was one of them. */
export function stepByKey(key) {
  if (key === "ArrowLeft" || key === ",") game.go(game.ply - 1);
  else if (key === "ArrowRight" || key === ".") game.go(game.ply + 1);
  else if (key === "Home") game.go(0);
  else if (key === "End") game.go(game.moves.length);
  else if (key === "ArrowUp") return sibling(-1);
  else if (key === "ArrowDown") return sibling(1);
  else return false;
  return true;
}

/** Goes to another move in the same position; false if there is none, so that the page scrolls. */
function sibling(step) {
  const { current } = game;
  const others = current.parent?.children ?? [];
  const other = others[others.indexOf(current) + step];
  if (other) game.goTo(other);
  return Boolean(other);
}
