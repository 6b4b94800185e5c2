// A game as text for other programs: a list of moves, SGF with its variations and notes, GGF for Othello, and the part
// of a link after #, which holds the whole game.

import { cellName } from "./notation.js";

const DIGITS = "abcdefghijklmnopqrstuvwxyz";

/** What is exported: the game's spec, setup, tree, names of the players, first position, SGF number and result. */
export function transcript({ setup, tree, position }) {
  const line = tree.line().map((node) => cellName(position, node.cell)).join("");
  return setup === null ? line : `${setup}; ${line}`;
}

/** The part of an address after #. */
export function linkText({ spec, setup, tree, seats }) {
  const parts = new URLSearchParams({ g: spec, m: tree.write(), b: seats[1], w: seats[-1] });
  if (setup !== null) parts.set("s", setup);
  return `game/${parts}`;
}

export function sgf({ spec, setup, tree, position, names, sgf: number, result }) {
  const { size } = position;
  const point = (cell) => DIGITS[cell % size] + DIGITS[Math.floor(cell / size)];
  const value = (text) => `[${String(text).replace(/[\\\]]/g, "\\$&")}]`;
  let text = `(;FF[4]GM[${number}]CA[UTF-8]AP[zeroply]SZ[${size}]RU${value(spec)}PB${value(names[1])}PW${value(names[-1])}`;
  if (result) text += `RE${value(result)}`;
  if (setup !== null) text += placed(setup, size, point);
  if (tree.root.note) text += `C${value(tree.root.note)}`;
  const waiting = [")", tree.root];
  while (waiting.length) {
    const item = waiting.pop();
    if (typeof item === "string") {
      text += item;
      continue;
    }
    if (item.parent) text += `;${item.colour > 0 ? "B" : "W"}[${point(item.cell)}]${item.note ? `C${value(item.note)}` : ""}`;
    if (item.children.length === 1) waiting.push(item.children[0]);
    else for (const child of [...item.children].reverse()) waiting.push(")", child, "\n(");
  }
  return `${text}\n`;
}

/** Set-up properties for a board string. */
function placed(setup, size, point) {
  const [stones, side, ...more] = setup.split(" ");
  const cells = (sign) => [...stones].flatMap((one, cell) => (one === sign ? [`[${point(cell)}]`] : []));
  const properties = [["AB", cells("X")], ["AW", cells("O")]].filter(([, points]) => points.length);
  const text = properties.map(([name, points]) => name + points.join("")).join("") || `AE[${point(0)}:${point(size * size - 1)}]`;
  return `${text}PL[${side === "X" ? "B" : "W"}]${more.length ? `ZP[${more.join(" ")}]` : ""}`;
}

/** GGF, for Othello: the line on display. */
export function ggf({ setup, tree, position, names, result, margin }) {
  const { size } = position;
  const plain = (text) => String(text).replace(/[\][;()\\]/g, " ");
  const [stones, side] = (setup ?? standardStart(size)).split(" ");
  const sign = (one) => ({ X: "*", O: "O" })[one] ?? "-";
  const rows = stones.match(new RegExp(`.{${size}}`, "g")).map((row) => [...row].map(sign).join(""));
  let text = `(;GM[Othello]PC[zeroply]DT[${new Date().toISOString().slice(0, 10)}]PB[${plain(names[1])}]PW[${plain(names[-1])}]RE[${result ? margin : "?"}]TI[0]TY[${size}]`;
  text += `BO[${size} ${rows.join(" ")} ${sign(side)}]`;
  let mover = side === "X" ? 1 : -1;
  for (const node of tree.line()) {
    if (node.colour !== mover) text += `${mover > 0 ? "B" : "W"}[PASS]`;
    text += `${node.colour > 0 ? "B" : "W"}[${cellName(position, node.cell)}]`;
    mover = -node.colour;
  }
  return `${text};)\n`;
}

function standardStart(size) {
  const half = size / 2;
  const stones = Array.from({ length: size * size }, (_, cell) => {
    const [row, column] = [Math.floor(cell / size) - half, (cell % size) - half];
    if (row < -1 || row > 0 || column < -1 || column > 0) return "-";
    return row === column ? "O" : "X";
  });
  return `${stones.join("")} X`;
}
