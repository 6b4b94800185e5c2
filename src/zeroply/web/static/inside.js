// The Look inside page: two players on the same position, their differences, exact values, and first layers of nets.

import * as api from "./api.js";
import { Board, rankOf, ranked, scaled } from "./board.js";
import { h, put, say } from "./dom.js";
import { game } from "./game.js";
import { heatText } from "./heat.js";
import { stepButtons } from "./moves.js";
import { NAMES, cellName } from "./notation.js";
import { pickPlayer } from "./picker.js";

export function insideView() {
  const players = ["", ""];
  const found = [null, null];
  const boards = [new Board({ label: "First player" }), new Board({ label: "Second player" })];
  const difference = new Board({ label: "Where they differ" });
  const exact = new Board({ label: "Exact values" });
  const heads = [h("div", { class: "seat" }), h("div", { class: "seat" })];
  const verdict = h("p", { class: "status", role: "status" });
  const list = h("div", { class: "table" });
  const exactCard = h("section", { class: "card" });
  const layers = h("section", { class: "card wide" });
  const where = h("p", { class: "muted" });
  let key = "";

  function choose() {
    const known = game.opponents.map((one) => one.player);
    const recent = game.others.map((one) => one.player);
    if (game.wanted) [players[0], game.wanted] = [game.wanted, null];
    for (const at of [0, 1]) {
      if (players[at] && [...known, ...recent].includes(players[at])) continue;
      const sought = at === 0 ? game.players.usual() : (known.includes("engine(depth=5)") ? "engine(depth=5)" : game.players.strongest());
      players[at] = sought ?? "";
    }
  }

  async function refresh() {
    const { position } = game;
    if (!element.isConnected || !position || !game.opponents.length) return;
    choose();
    const now = JSON.stringify([game.where, players]);
    for (const at of [0, 1]) put(heads[at], head(at));
    put(where, position.over ? "The game is over: step back to a position with a move to make." : `Move ${game.ply + 1} of the game on the Play page: ${NAMES[position.to_move]} to play.`);
    if (now === key) return;
    key = now;
    found.fill(null);
    show();
    if (position.over) return;
    await Promise.all([ask(0, now), ask(1, now), solve(now), lookAtLayers(now)]);
  }

  async function ask(at, now) {
    try {
      const answer = await api.preferences(game.where, players[at]);
      if (key !== now) return;
      found[at] = answer;
      show();
    } catch (problem) {
      if (key === now) say(`${game.titleOf(players[at])}: ${problem.message}`);
    }
  }

  function show() {
    const { position } = game;
    for (const at of [0, 1]) {
      const one = found[at];
      boards[at].show(position, one ? { heat: scaled(one.values), text: heatText(one), ring: ranked(one.values)[0] } : {});
    }
    const both = found[0] && found[1];
    const scales = both ? found.map((one) => scaled(one.values)) : null;
    const apart = both ? scales[0].map((value, cell) => (value === null ? null : value - scales[1][cell])) : null;
    const most = both ? Math.max(0.2, ...apart.map((value) => Math.abs(value ?? 0))) : 1;
    difference.show(position, both ? { difference: apart.map((value) => (value === null ? null : value / most)) } : {});
    put(verdict, both ? comparison(position) : position.over ? "" : "Waiting for both players …");
    put(list, both ? rows(position) : null);
  }

  function comparison(position) {
    const [first, second] = found.map((one) => one.values);
    const names = players.map((player) => game.titleOf(player));
    const [one, other] = [ranked(first)[0], ranked(second)[0]].map((cell) => cellName(position, cell));
    const shared = ranked(first).find((cell) => rankOf(first, cell) === 1 && rankOf(second, cell) === 1);
    if (shared !== undefined) return `They agree: both would play ${cellName(position, shared)}.`;
    return `${names[0]} would play ${one}, which is no. ${rankOf(second, ranked(first)[0])} for ${names[1]}; ${names[1]} would play ${other}.`;
  }

  function rows(position) {
    const values = found.map((one) => one.values);
    const cells = [...new Set(values.flatMap((one) => ranked(one).slice(0, 4)))];
    return h(
      "table",
      {},
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Move"), players.map((player) => h("th", { scope: "col", class: "number" }, `Rank for ${game.titleOf(player)}`)))),
      h("tbody", {}, cells.map((cell) => h("tr", {}, h("th", { scope: "row" }, cellName(position, cell)), values.map((one) => h("td", { class: "number" }, String(rankOf(one, cell))))))),
    );
  }

  async function solve(now) {
    try {
      const answer = await api.exact(game.where);
      if (key !== now) return;
      if (!answer.available) {
        put(exactCard, h("h2", {}, "Exact values"), h("p", { class: "muted" }, answer.reason));
        return;
      }
      const text = answer.values.map((value) => (value === null ? "" : value > 0 ? `+${value}` : String(value)));
      exact.show(game.position, { heat: scaled(answer.values), text });
      put(exactCard, h("h2", {}, "Exact values"), exact.element, h("p", { class: "muted small" }, `The final disc difference for ${NAMES[game.position.to_move]} with perfect play by both sides.`));
    } catch (problem) {
      if (key === now) say(problem.message);
    }
  }

  async function lookAtLayers(now) {
    const groups = [];
    for (const player of new Set(players)) {
      try {
        const answer = await api.inside(game.where, player);
        if (key !== now) return;
        groups.push(h("h3", {}, game.titleOf(player)), h("p", { class: "muted" }, answer.about), answer.groups.map((group) => pictures(group)));
      } catch (problem) {
        if (key === now) say(problem.message);
      }
    }
    if (key === now) put(layers, h("h2", {}, "First layer of the nets"), groups);
  }

  function pictures(group) {
    const most = Math.max(1e-9, ...group.pictures.flatMap((picture) => picture.values.map(Math.abs)));
    return h(
      "div",
      { class: "maps" },
      h("h4", {}, group.title),
      h("div", { class: "map-row" }, group.pictures.map((picture) => h("figure", {}, canvas(picture, group.size, most), h("figcaption", {}, picture.title)))),
    );
  }

  function head(at) {
    return h(
      "button",
      {
        type: "button",
        class: "seat-name",
        "data-side": at,
        onclick: async () => {
          const chosen = await pickPlayer({ title: at === 0 ? "The first player" : "The second player", chosen: players[at], withYou: false });
          if (chosen === null) return;
          players[at] = chosen;
          game.remember(chosen, game.titleOf(chosen));
          refresh();
        },
      },
      h("span", { class: `swatch ${at === 0 ? "first" : "second"}`, "aria-hidden": "true" }),
      h("span", { class: "name" }, game.titleOf(players[at])),
      h("span", { class: "chevron", "aria-hidden": "true" }, "▾"),
    );
  }

  const element = h(
    "div",
    { class: "inside" },
    h("h1", {}, "Look inside"),
    h("p", { class: "lead" }, "Move preferences of two players in the same position. Stronger colours mark preferred moves; the ring is the move the player would make."),
    h(
      "div",
      { class: "steps", role: "group", "aria-label": "Step through the game" },
      stepButtons(),
      where,
    ),
    h(
      "div",
      { class: "trio" },
      h("section", { class: "card" }, heads[0], boards[0].element),
      h("section", { class: "card" }, heads[1], boards[1].element),
      h("section", { class: "card" }, h("div", { class: "seat" }, h("h2", {}, "Where they differ")), difference.element),
    ),
    h("div", { class: "duo" },
      h("section", { class: "card" }, h("h2", {}, "Summary"), verdict,
        h("p", { class: "muted small" }, h("span", { class: "swatch first" }), " preferred more by the first, ", h("span", { class: "swatch second" }), " by the second player."), list),
      exactCard),
    layers,
  );
  game.addEventListener("change", () => refresh());
  return { element, enter: () => refresh() };
}

/** A small image: blue below zero, red above. */
function canvas(picture, size, most) {
  const element = h("canvas", { width: size, height: size, role: "img", "aria-label": picture.title });
  const context = element.getContext("2d");
  const image = context.createImageData(size, size);
  picture.values.forEach((value, cell) => {
    const part = Math.min(1, Math.abs(value) / most) ** 0.7;
    const [red, green, blue] = value >= 0 ? [214, 69, 65] : [52, 110, 190];
    image.data.set([245 + (red - 245) * part, 243 + (green - 243) * part, 238 + (blue - 238) * part, 255], cell * 4);
  });
  context.putImageData(image, 0, 0);
  return element;
}
