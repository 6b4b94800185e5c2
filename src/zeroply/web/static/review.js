// The review of a game: every move with what it loses, a summary, the biggest mistakes, and the best line on the board.
// It arrives from the end of the game to its beginning, and what has arrived does not change any more.

import * as api from "./api.js";
import { h, put, say } from "./dom.js";
import { game } from "./game.js";
import { MARKS, lossText, markOf, valueText, words } from "./marks.js";
import { NAMES, cellName } from "./notation.js";
import { choose, setting } from "./store.js";
import { forward } from "./tree.js";

const STAGES = ["Opening", "Middle game", "Ending"];
const MOST_MISTAKES = 8;

export function reviewPanel({ redraw }) {
  const progress = h("progress", { max: 1, value: 0, hidden: true, "aria-label": "Progress of the review" });
  const buttons = {
    quick: h("button", { type: "button", class: "main", "data-tool": "review", onclick: () => run(false) }, "Review this game"),
    deep: h("button", { type: "button", "data-tool": "review-deep", onclick: () => run(true), title: "Searches deeper; takes longer" }, "Deeper"),
    stop: h("button", { type: "button", "data-tool": "review-stop", hidden: true, onclick: () => stop() }, "Stop"),
  };
  const summary = h("div", { class: "review-summary" });
  const comment = h("div", { class: "comment", "aria-live": "polite" });
  const lineBox = h("input", { type: "checkbox", checked: setting("line"), onchange: () => { choose("line", lineBox.checked); redraw(); } });
  let running = null;
  let about = "";
  let said = "";

  function stop() {
    running?.abort();
    running = null;
    progress.hidden = true;
    redraw();
  }

  async function run(deep) {
    stop();
    const line = game.tree.line();
    if (!line.length) {
      say("Play or paste a game first.");
      return;
    }
    const control = new AbortController();
    running = control;
    for (const node of line) node.review = null;
    Object.assign(progress, { hidden: false, value: 0, max: line.length });
    redraw();
    try {
      const moves = line.map((node) => node.cell);
      await api.review({ game: game.spec, setup: game.setup, moves }, deep, (part) => running === control && take(part, line), control.signal);
    } catch (problem) {
      say(problem.message);
    }
    if (running === control) stop();
  }

  function take(part, line) {
    if (part.start) about = part.start;
    if (part.problem) say(part.problem);
    for (const row of part.moves ?? []) line[row.ply].review = { ...row, unit: about.unit };
    progress.value += part.moves?.length ?? 0;
    redraw();
  }

  /** The reviewed moves of the line on display, with their numbers. */
  function reviewed() {
    return game.tree.line().map((node, at) => ({ ...node.review, node, ply: at + 1 })).filter((one) => one.node.review);
  }

  function show() {
    const rows = reviewed();
    buttons.stop.hidden = running === null;
    buttons.deep.hidden = running !== null || !rows.length;
    buttons.quick.disabled = running !== null || !game.tree.root.children.length;
    buttons.quick.textContent = rows.length ? "Review again" : "Review this game";
    const key = JSON.stringify([rows.map((one) => [one.ply, one.loss, one.cell]), game.position?.letters, Boolean(running)]);
    if (key !== said) put(summary, rows.length && !running ? [table(rows), mistakes(rows), h("p", { class: "muted small" }, about.about, " Losses add up: each value is the one before it less what the move lost.")] : null);
    said = key;
    put(comment, remark());
  }

  /** Share of best moves and mean loss, by side and stage. */
  function table(rows) {
    const length = game.moves.length;
    const stage = (one) => Math.min(2, Math.floor((3 * (one.ply - 1)) / Math.max(3, length)));
    const unit = rows[0].unit;
    const cell = (mine) => {
      if (!mine.length) return h("td", { class: "number muted" }, "–");
      const best = mine.filter((one) => markOf(one) === "best").length;
      const mean = mine.reduce((sum, one) => sum + one.loss, 0) / mine.length;
      return h("td", { class: "number" }, h("b", {}, `${Math.round((100 * best) / mine.length)} %`), " ", h("span", { class: "muted" }, unit === "discs" ? `−${mean.toFixed(1)}` : `−${(100 * mean).toFixed(1)} %`));
    };
    const count = (mine, mark) => h("td", { class: "number" }, String(mine.filter((one) => markOf(one) === mark).length));
    const side = (colour) => rows.filter((one) => one.node.colour === colour);
    const row = (title, black, white) => h("tr", {}, h("th", { scope: "row" }, title), black, white);
    return h(
      "table",
      { class: "accuracy" },
      h("caption", {}, `Accuracy: best moves, and mean loss per move in ${unit === "discs" ? "discs" : "winning chances"}`),
      h("thead", {}, h("tr", {}, h("td", {}), [1, -1].map((colour) => h("th", { scope: "col", class: "number" }, `${NAMES[colour]} `, h("span", { class: "muted" }, game.titleOf(game.seats[colour])))))),
      h(
        "tbody",
        {},
        row("All moves", cell(side(1)), cell(side(-1))),
        STAGES.map((name, at) => row(name, ...[1, -1].map((colour) => cell(side(colour).filter((one) => stage(one) === at))))),
        ["blunder", "mistake", "inaccuracy"].map((mark) => row(`${MARKS[mark].title} ${MARKS[mark].glyph}`, count(side(1), mark), count(side(-1), mark))),
      ),
    );
  }

  function mistakes(rows) {
    const worst = rows.filter((one) => ["blunder", "mistake", "inaccuracy"].includes(markOf(one))).sort((a, b) => b.loss - a.loss || a.ply - b.ply).slice(0, MOST_MISTAKES);
    if (!worst.length) return h("p", {}, "No move lost much.");
    return [
      h("h3", {}, "Biggest mistakes"),
      h("ol", { class: "mistakes" }, worst.map((one) => h("li", {}, h(
        "button",
        { type: "button", class: markOf(one), onclick: () => game.goTo(one.node.parent) },
        h("span", {}, `${one.ply}. ${NAMES[one.node.colour]} ${cellName(game.position, one.cell)} ${MARKS[markOf(one)].glyph}`),
        h("span", { class: "muted" }, lossText(one.loss, one.unit, one.exact)),
      )))),
    ];
  }

  /** What the review says about the next move of the line. */
  function remark() {
    const next = forward(game.current);
    const found = next?.review;
    if (!found || !game.position) return null;
    const name = (cell) => cellName(game.position, cell);
    const isBest = markOf(found) === "best";
    const value = valueText(found.before * game.position.to_move, found.unit, found.exact);
    return [
      h("p", {}, h("strong", {}, `Next: ${NAMES[next.colour]} ${name(next.cell)}`), `, ${words(found)}. `,
        isBest ? `Worth ${value}. ` : `Best is ${name(found.best[0])} (${value}): `, isBest ? null : h("span", { class: "line" }, found.best.map(name).join(" "))),
      isBest ? null : h("button", { type: "button", "data-tool": "add-line", onclick: () => game.addLine(game.current, found.best) }, "Add best line as variation"),
    ];
  }

  /** Marks for the board: the best line by numbers, and the move that was made if it was a mistake. */
  function boardMarks() {
    const next = forward(game.current);
    const found = next?.review;
    if (!found || !setting("line")) return [];
    const bad = ["blunder", "mistake", "inaccuracy"].includes(markOf(found));
    const line = found.best.filter((cell) => game.position.stones[cell] === 0).map((cell, at) => ({ cell, text: String(at + 1), kind: at ? "follow" : "best", words: at ? `move ${at + 1} of the best line` : "best move" }));
    return bad ? [...line.filter((one) => one.cell !== next.cell), { cell: next.cell, text: MARKS[markOf(found)].glyph, kind: markOf(found), words: `played, ${words(found)}` }] : line;
  }

  /** Values along the line for the graph, null where there are none; null without a review. */
  function graph() {
    const line = game.tree.line();
    const known = line.find((node) => node.review)?.review;
    if (!known) return null;
    const plies = Array.from({ length: line.length + 1 }, (_, ply) => ply);
    const values = plies.map((ply) => line[ply]?.review?.before ?? line[ply - 1]?.review?.after ?? null);
    const exact = plies.map((ply) => Boolean((line[ply] ?? line[ply - 1])?.review?.exact));
    const marks = plies.map((ply) => markOf(line[ply - 1]?.review));
    return { values, exact, marks, unit: known.unit, about: about.about ?? "" };
  }

  const element = h(
    "section",
    { class: "card review" },
    h("h2", {}, "Review"),
    h("div", { class: "tools" }, buttons.quick, buttons.deep, buttons.stop),
    progress,
    comment,
    h("label", { class: "check small" }, h("span", {}, "Show the best line on the board"), lineBox),
    summary,
  );
  return { element, show, boardMarks, graph, running: () => running !== null };
}
