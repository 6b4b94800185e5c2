// A board as SVG: discs on felt squares, or stones on line crossings or on hexagons, with a heat map if one is given.
// It is a grid for keyboards and screen readers: arrow keys go from cell to cell, Enter or Space plays.

import { h, put, svg } from "./dom.js";
import { NAMES, cellName } from "./notation.js";

const CELL = 40;
const EDGE = 12;
const LABELS = 26;
const FELT = ["#34629e", "#428ea8", "#80be8a", "#ced656", "#fff082"];
const WOOD = ["#f0cd8c", "#f0aa64", "#e47a4e", "#c94448", "#96184a"];
const FIRST = "#4f8fe8";
const SECOND = "#f08a3c";

/** Values scaled to 0..1, null where there is none; one half if all are equal. */
export function scaled(values) {
  const there = values.filter((value) => value !== null);
  const low = Math.min(...there);
  const high = Math.max(...there);
  return values.map((value) => (value === null ? null : high > low ? (value - low) / (high - low) : there.length === 1 ? 1 : 0.5));
}

/** Cells by value, the best first. */
export function ranked(values) {
  return values
    .map((value, cell) => [value, cell])
    .filter(([value]) => value !== null)
    .sort((a, b) => b[0] - a[0] || a[1] - b[1])
    .map(([, cell]) => cell);
}

/** The place of a cell among all, 1 for the best; equals share the better place. */
export function rankOf(values, cell) {
  return 1 + values.filter((value) => value !== null && value > values[cell]).length;
}

export class Board {
  /** `onpick` is called with a cell when a person chooses it; `label` names the board for screen readers. */
  constructor({ label, onpick = null }) {
    this.label = label;
    this.onpick = onpick;
    this.key = "";
    this.at = 0;
    this.element = h("div", { class: "board" });
  }

  /**
   * Shows a position. Options: `heat` (a value from 0 to 1 or null for each cell), `text` (what is written on cells),
   * `difference` (from -1 to 1), `ring` (a cell to point out), `marks` (discs with a text on cells: { cell, text, kind,
   * words }), `playable` (cells that can be picked), `any` (all can).
   */
  show(position, options = {}) {
    const key = `${position.size} ${position.look} ${position.from_top} ${position.letters}`;
    if (key !== this.key) {
      this.key = key;
      this.at = Math.floor(position.size / 2) * position.size + Math.floor(position.size / 2);
      this.#build(position);
    }
    this.position = position;
    const playable = new Set(options.any ? position.stones.map((_, cell) => cell) : (options.playable ?? []));
    const turn = position.turns.at(-1);
    const before = this.stones ?? [];
    position.stones.forEach((stone, cell) => {
      const parts = this.cells[cell];
      const was = before[cell] ?? 0;
      parts.group.setAttribute("aria-label", this.#words(position, cell, stone, playable.has(cell), options));
      parts.group.classList.toggle("playable", playable.has(cell));
      if (was !== stone || !before.length) this.#stone(parts, stone, was, before.length > 0);
      this.#heat(parts, position, cell, stone, options);
      const last = turn?.cell === cell && stone !== 0;
      parts.last.setAttribute("visibility", last ? "visible" : "hidden");
      parts.ring.setAttribute("visibility", options.ring === cell ? "visible" : "hidden");
      parts.ko.setAttribute("visibility", position.ko === cell ? "visible" : "hidden");
      parts.dot.setAttribute("visibility", playable.has(cell) && stone === 0 && !options.any && !options.heat ? "visible" : "hidden");
      parts.dot.setAttribute("class", `dot ${position.to_move > 0 ? "black" : "white"}`);
    });
    this.#mark(options.marks ?? []);
    const line = new Set(position.winning);
    this.cells.forEach((parts, cell) => parts.group.classList.toggle("winning", line.has(cell)));
    this.stones = [...position.stones];
    this.playable = playable;
    const who = position.over ? "" : `, ${NAMES[position.to_move]} to play`;
    this.grid.setAttribute("aria-label", `${this.label}, ${position.size} by ${position.size}${who}`);
  }

  #words(position, cell, stone, playable, options) {
    const what = stone ? NAMES[stone] : playable ? "empty, legal move" : "empty";
    const text = options.marks?.find((mark) => mark.cell === cell)?.words ?? options.text?.[cell];
    return `${cellName(position, cell)}: ${what}${text ? `, ${text}` : ""}`;
  }

  #stone(parts, stone, was, moving) {
    parts.shadow.setAttribute("visibility", stone ? "visible" : "hidden");
    parts.stone.setAttribute("visibility", stone ? "visible" : "hidden");
    const motion = !moving || !stone ? "" : was === 0 ? " placed" : " turned";
    parts.stone.setAttribute("class", `stone ${stone > 0 ? "black" : "white"}${motion}`);
  }

  #heat(parts, position, cell, stone, options) {
    const value = options.heat?.[cell] ?? null;
    const difference = options.difference?.[cell] ?? null;
    const shown = stone === 0 && (value !== null || difference !== null);
    parts.heat.setAttribute("visibility", shown ? "visible" : "hidden");
    let dark = false;
    if (shown && difference !== null) {
      parts.heat.setAttribute("fill", difference >= 0 ? FIRST : SECOND);
      parts.heat.setAttribute("fill-opacity", (0.1 + 0.85 * Math.abs(difference)).toFixed(2));
      parts.heat.setAttribute("stroke", "none");
    } else if (shown) {
      const colour = ramp(value, LOOKS[position.look].ramp);
      dark = 0.3 * colour[0] + 0.59 * colour[1] + 0.11 * colour[2] < 140;
      parts.heat.setAttribute("fill", `rgb(${colour.join(",")})`);
      parts.heat.setAttribute("fill-opacity", (0.55 + 0.4 * value).toFixed(2));
      parts.heat.setAttribute("stroke", value === 1 ? LOOKS[position.look].best : "none");
    }
    parts.text.textContent = shown ? (options.text?.[cell] ?? "") : "";
    parts.text.setAttribute("fill", dark ? "#ffffff" : "#10160f");
  }

  #mark(marks) {
    put(this.marks, marks.map(({ cell, text, kind }) => {
      const [x, y] = this.centre(cell);
      return svg("g", { class: `mark ${kind}` }, svg("circle", { cx: x, cy: y, r: 14.5 }), svg("text", { x, y: y + 4.5 }, text));
    }));
  }

  #build(position) {
    const { size } = position;
    const look = LOOKS[position.look];
    const side = size * CELL;
    const top = position.from_top ? LABELS : EDGE;
    const centre = (cell) => {
      const row = Math.floor(cell / size);
      return [LABELS + ((cell % size) + 0.5 + look.slant * row) * CELL, top + (look.pitch * row + 0.5) * CELL];
    };
    const width = Math.round(side + look.slant * (size - 1) * CELL + LABELS + EDGE);
    const height = Math.round((1 + look.pitch * (size - 1)) * CELL + LABELS + EDGE);
    this.centre = centre;
    this.marks = svg("g", { "aria-hidden": "true", class: "marks" });
    this.stones = null;
    this.cells = [];
    const rows = [];
    for (let row = 0; row < size; row += 1) {
      const groups = [];
      for (let column = 0; column < size; column += 1) groups.push(this.#cell(row * size + column, centre, look));
      rows.push(svg("g", { role: "row" }, groups));
    }
    this.grid = svg(
      "svg",
      { viewBox: `0 0 ${width} ${height}`, class: look.name, role: "grid" },
      svg("rect", { class: "frame", width, height, rx: 9, role: "presentation" }),
      look.surface(size, side, top, centre),
      labels(position, centre, height),
      rows,
      this.marks,
    );
    this.grid.addEventListener("keydown", (event) => this.#key(event));
    this.grid.addEventListener("mousedown", (event) => event.preventDefault()); // arrow keys step through the game still
    put(this.element, this.grid);
  }

  #cell(cell, centre, look) {
    const [x, y] = centre(cell);
    const radius = look.radius * CELL;
    const tall = look.pitch * CELL;
    const parts = {
      hit: svg("rect", { class: "hit", x: x - CELL / 2, y: y - tall / 2, width: CELL, height: tall }),
      heat: svg("rect", { x: x - 17, y: y - 17, width: 34, height: 34, rx: 5, "stroke-width": 2.5, visibility: "hidden" }),
      dot: svg("circle", { class: "dot", cx: x, cy: y, r: look.dot, visibility: "hidden" }),
      shadow: svg("circle", { class: "shadow", cx: x + 0.8, cy: y + 2, r: radius + 0.5, visibility: "hidden" }),
      stone: svg("circle", { class: "stone", cx: x, cy: y, r: radius, visibility: "hidden" }),
      last: svg("circle", { class: "last", cx: x, cy: y, r: 4.5, visibility: "hidden" }),
      ko: svg("rect", { class: "ko", x: x - 7, y: y - 7, width: 14, height: 14, visibility: "hidden" }),
      ring: svg("g", { class: "ring", visibility: "hidden" }, svg("circle", { cx: x, cy: y, r: 15 }), svg("circle", { cx: x, cy: y, r: 15 })),
      text: svg("text", { class: "value", x, y: y + 4.5, "aria-hidden": "true" }),
      focus: svg("rect", { class: "focus", x: x - 18, y: y - 18, width: 36, height: 36, rx: 6 }),
    };
    parts.group = svg("g", { role: "gridcell", class: "cell", tabindex: cell === this.at ? 0 : -1, "data-cell": cell }, Object.values(parts));
    parts.group.addEventListener("click", () => {
      this.#go(cell, false);
      this.#pick(cell);
    });
    this.cells[cell] = parts;
    return parts.group;
  }

  #pick(cell) {
    if (this.onpick && this.playable.has(cell)) this.onpick(cell);
  }

  #go(cell, focus = true) {
    this.cells[this.at].group.setAttribute("tabindex", -1);
    this.at = cell;
    this.cells[cell].group.setAttribute("tabindex", 0);
    if (focus) this.cells[cell].group.focus();
  }

  #key(event) {
    const { size } = this.position;
    const row = Math.floor(this.at / size);
    const column = this.at % size;
    const to = {
      ArrowLeft: column > 0 ? this.at - 1 : this.at,
      ArrowRight: column < size - 1 ? this.at + 1 : this.at,
      ArrowUp: row > 0 ? this.at - size : this.at,
      ArrowDown: row < size - 1 ? this.at + size : this.at,
      Home: row * size,
      End: row * size + size - 1,
    }[event.key];
    if (to !== undefined) this.#go(to);
    else if (event.key === "Enter" || event.key === " ") this.#pick(this.at);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

function ramp(value, colours) {
  const place = Math.min(value, 0.999) * (colours.length - 1);
  const first = Math.floor(place);
  const parts = [colours[first], colours[first + 1]].map((colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)));
  return parts[0].map((from, channel) => Math.round(from + (parts[1][channel] - from) * (place - first)));
}

function felt(size, side, top) {
  let lines = "";
  for (let i = 1; i < size; i += 1) lines += `M${LABELS} ${top + i * CELL}h${side}M${LABELS + i * CELL} ${top}v${side}`;
  const dots = size >= 8 ? [2, size - 2].flatMap((i) => [2, size - 2].map((j) => [i, j])) : [];
  return [
    svg("rect", { class: "surface", x: LABELS, y: top, width: side, height: side, rx: 2, role: "presentation" }),
    svg("path", { class: "line", d: lines, role: "presentation" }),
    dots.map(([i, j]) => svg("circle", { class: "star", cx: LABELS + i * CELL, cy: top + j * CELL, r: 2.8, role: "presentation" })),
  ];
}

function wood(size, side, top, centre) {
  const [x, y] = centre(0);
  const span = side - CELL;
  let lines = "";
  for (let i = 1; i < size - 1; i += 1) lines += `M${x} ${y + i * CELL}h${span}M${x + i * CELL} ${y}v${span}`;
  return [
    svg("rect", { class: "surface", x: LABELS, y: top, width: side, height: side, rx: 4, role: "presentation" }),
    svg("path", { class: "line", d: lines, role: "presentation" }),
    svg("rect", { class: "rim", x, y, width: span, height: span, role: "presentation" }),
    stars(size).map(([row, column]) =>
      svg("circle", { class: "star", cx: x + column * CELL, cy: y + row * CELL, r: 3.8, role: "presentation" })),
  ];
}

function stars(size) {
  if (![9, 13, 15, 19].includes(size)) return [];
  const edge = size === 9 ? 2 : 3;
  const middle = Math.floor(size / 2);
  const lines = [edge, middle, size - 1 - edge];
  return lines.flatMap((r) => lines.map((c) => [r, c])).filter(([r, c]) => size === 19 || (r === middle) === (c === middle));
}

/** Hexagons in slanted rows, and the edges that each colour has to connect. */
function hexagons(size, side, top, centre) {
  const [x, y] = [CELL / 2, CELL / Math.sqrt(3)];
  const corners = { ul: [-x, -y / 2], u: [0, -y], ur: [x, -y / 2], lr: [x, y / 2], l: [0, y], ll: [-x, y / 2] };
  const all = Array.from({ length: size * size }, (_, cell) => cell);
  const path = (cells, around) => cells.map((cell) => {
    const [cx, cy] = centre(cell);
    return `M${around.map((name) => `${(cx + corners[name][0]).toFixed(1)} ${(cy + corners[name][1]).toFixed(1)}`).join("L")}`;
  }).join("");
  const rows = path(all.slice(0, size), ["ul", "u", "ur"]) + path(all.slice(-size), ["ll", "l", "lr"]);
  const columns = path(all.filter((cell) => cell % size === 0), ["ul", "ll", "l"]) + path(all.filter((cell) => cell % size === size - 1), ["u", "ur", "lr"]);
  return [
    svg("path", { class: "surface line", d: path(all, [...Object.keys(corners), "ul"]), role: "presentation" }),
    svg("path", { class: "edge black", d: rows, role: "presentation" }),
    svg("path", { class: "edge white", d: columns, role: "presentation" }),
  ];
}

function labels(position, centre, height) {
  const { size } = position;
  const y = position.from_top ? 0.52 * LABELS : height - 0.5 * LABELS;
  const first = position.from_top ? 0 : size * (size - 1);
  const texts = [];
  for (let i = 0; i < size; i += 1) {
    texts.push(svg("text", { x: centre(first + i)[0], y: y + 4.5, class: "label", "aria-hidden": "true" }, position.letters[i]));
    const number = position.from_top ? i + 1 : size - i;
    const [x, middle] = centre(i * size);
    texts.push(svg("text", { x: x - (CELL + LABELS) / 2, y: middle + 4.5, class: "label", "aria-hidden": "true" }, String(number)));
  }
  return texts;
}

/** How each kind of board is drawn; `slant` and `pitch` are how far right and down the next row lies, in cells. */
const LOOKS = {
  discs: { name: "felt", surface: felt, ramp: FELT, best: "#ffffff", radius: 0.4, dot: 6, slant: 0, pitch: 1 },
  stones: { name: "wood", surface: wood, ramp: WOOD, best: "#1d1408", radius: 0.455, dot: 4, slant: 0, pitch: 1 },
  hexagons: { name: "slate", surface: hexagons, ramp: WOOD, best: "#1d1408", radius: 0.4, dot: 4, slant: 0.5, pitch: Math.sqrt(3) / 2 },
};
