// Reads a pasted game: a link of this page, SGF with its variations and notes, GGF, a board string, or moves as people
// write them, such as `f5d6c3`, `1. f5 d6 2. c3 d3` or `H8 I9`. Whether the moves are legal is asked of the server.

import { openNotation } from "./notation.js";
import { GameTree } from "./tree.js";
import { isOthello, legalOthelloMoves } from "./flips.js";

const LINK = /#?game\/([^\s]+)/;
const HEADER = /^\s*#\s*game:\s*(\S.*?)\s*$/m;
const BOARD = /^\s*((?:[-.*XOxoBbWw]\s*){16,})/;
const NUMBER = /\b\d+\s*\.(\s*\.\.)?/g;
const PASSES = /\b(pass|pa|ps|--)\b|--/gi;
const MOVE = /[a-z]\d{1,2}(?!\d)/gi;
const SURE = 6; // legal Othello moves in a row that are no coincidence
const WHOLE = 30; // moves that make a line a game of its own
const TRIED = [15, 19, 20]; // boards for Gomoku moves of unknown size

/**
 * The game in a text: { spec, setup, tree, seats, names, note }. `current` is the spec of the game on the board and
 * `infos` are the server's games. Throws an Error with a sentence if there is none.
 */
export function readGame(text, current, infos) {
  const trimmed = text.replace(/^\ufeff/, "").trim();
  if (!trimmed) throw new Error("Paste a game first.");
  const link = LINK.exec(trimmed);
  if (link) return readLink(link[1]);
  if (trimmed.startsWith("(")) return /GM\s*\[\s*othello/i.test(trimmed) ? readGgf(trimmed) : readSgf(trimmed, infos);
  return readMoves(trimmed, current, infos);
}

/** A game from the part of a link after `game/`. */
export function readLink(text) {
  const parts = new URLSearchParams(text);
  if (!parts.get("g")) throw new Error("This link holds no game.");
  let tree;
  try {
    tree = GameTree.read(parts.get("m") ?? "");
  } catch {
    throw new Error("The game in this link is damaged.");
  }
  const seats = parts.get("b") && parts.get("w") ? { 1: parts.get("b"), "-1": parts.get("w") } : null;
  return { spec: parts.get("g"), setup: parts.get("s"), tree, seats };
}

/** Moves as people write them, perhaps after a board string. */
function readMoves(text, current, infos) {
  const header = HEADER.exec(text);
  const spec = header ? header[1] : current;
  let rest = content(text, Boolean(header));
  let setup = null;
  if (BOARD.test(rest)) [setup, rest] = [rest.split(";")[0].trim(), rest.split(";").slice(1).join(";")];
  const plain = rest.replace(/^\s*xot\b:?/i, "").replace(NUMBER, " ").replace(PASSES, " ").replace(/[\s,;]+/g, "");
  const names = plain.match(MOVE) ?? [];
  if (names.join("").length !== plain.length || !(names.length || setup)) {
    throw new Error("This is not a game: paste moves such as f5d6c3, a link, GGF, SGF or a board string.");
  }
  const wanted = header || setup ? spec : gameOf(names, current, infos);
  return { spec: wanted, setup, tree: GameTree.ofMoves(cellsOf(names, wanted, infos, Boolean(header))), note: note(wanted, spec, infos) };
}

/** A text without comments: of a file, which has a game on each line, the first game. */
function content(text, isFile) {
  const lines = text.split("\n").map((line) => line.replace(/#.*/, "")).filter((line) => line.trim());
  const whole = lines.every((line) => (line.match(MOVE) ?? []).length >= WHOLE);
  return (isFile || whole ? lines[0] : lines.join("\n")) ?? "";
}

function cellsOf(names, spec, infos, plainLetters) {
  const notation = openNotation(spec, infos, names, plainLetters);
  return names.map((name) => notation.cell(name) ?? missing(name, spec));
}

function missing(name, spec) {
  throw new Error(`${name} is not a cell of the board of ${spec}.`);
}

/** Which game moves belong to: the one on the board if they fit, otherwise Othello or Gomoku if they can be that. */
function gameOf(names, current, infos) {
  const kind = (spec) => spec.split("(")[0];
  const has = (name) => infos.some((one) => one.name === name);
  const legal = legalOthelloMoves(names);
  const othello = isOthello(names);
  const flips = infos.find((one) => one.name === kind(current))?.ggf ?? false;
  if (flips) {
    const fits = legalOthelloMoves(names, sizeOf(current, infos)) >= Math.min(SURE, names.length);
    if (fits) return current;
    if (legal >= Math.min(SURE, names.length)) return "othello(size=8)";
  } else if (has("othello") && othello && legal >= SURE) return "othello(size=8)";
  const inside = (spec) => {
    const notation = openNotation(spec, infos, names);
    const cells = names.map((name) => notation.cell(name));
    return !cells.includes(null) && new Set(cells).size === cells.length;
  };
  if (!flips) return inside(current) || !has("gomoku") ? current : TRIED.map((size) => `gomoku(size=${size})`).find(inside) ?? current;
  if (legal > 0 || !has("gomoku")) return current;
  return TRIED.map((size) => `gomoku(size=${size})`).find(inside) ?? current;
}

export function sizeOf(spec, infos) {
  const given = /\bsize=(\d+)/.exec(spec);
  if (given) return Number(given[1]);
  return Number(infos.find((one) => one.name === spec.split("(")[0])?.options[0].default ?? 8);
}

function note(found, current, infos) {
  if (found === current) return "";
  const title = infos.find((one) => one.name === found.split("(")[0])?.title ?? found;
  return `These moves are ${title} on ${sizeOf(found, infos)} × ${sizeOf(found, infos)}.`;
}

/** The first game of a GGF text. */
function readGgf(text) {
  const body = text.slice(0, text.indexOf(";)") + 1 || undefined);
  const property = (name) => new RegExp(`(?<![A-Za-z])${name}\\s*\\[([^\\]]*)\\]`, "i").exec(body)?.[1] ?? "";
  const [size, ...rows] = property("BO").trim().split(/\s+/);
  const side = rows.pop();
  const setup = `${rows.join("").replace(/\*/g, "X")} ${side === "*" ? "X" : "O"}`;
  const moves = [...body.matchAll(/(?<![A-Za-z])([BW])\s*\[([^\]]*)\]/gi)].map((match) => match[2].split("/")[0].trim()).filter((name) => !/^pa/i.test(name));
  const spec = `othello(size=${Number(size) || 8})`;
  const tree = GameTree.ofMoves(cellsOf(moves, spec, []));
  return { spec, setup: rows.length ? setup : null, tree, names: { 1: property("PB"), "-1": property("PW") } };
}

/** The first game tree of an SGF text, with its variations and comments. */
function readSgf(text, infos) {
  const tree = new GameTree();
  const root = {};
  const branches = [];
  let node = null;
  const token = /\s*(?:([();])|([A-Za-z]+)((?:\s*\[(?:[^\]\\]|\\[^])*\])+))/y;
  for (let match = token.exec(text), depth = 0; match; match = token.exec(text)) {
    const [, sign, name, values] = match;
    if (sign === "(") {
      branches.push(node);
      depth += 1;
    } else if (sign === ")") {
      node = branches.pop();
      depth -= 1;
      if (depth === 0) break;
    } else if (sign === ";") node ??= tree.root;
    else node = sgfProperty(tree, root, node ?? tree.root, name.replace(/[a-z]/g, ""), unescaped(values));
  }
  const info = infos.find((one) => one.sgf !== null && String(one.sgf) === (root.GM?.[0] ?? "1").trim());
  if (!info) throw new Error(`SGF game number ${root.GM?.[0] ?? "1"} is not a game of this page.`);
  return placeSgf(tree, root, info);
}

const unescaped = (values) => [...values.matchAll(/\[((?:[^\]\\]|\\[^])*)\]/g)].map((match) => match[1].replace(/\\(\r\n|[^])/g, (_, one) => (one.trim() ? one : "")));

/** Takes in a property; the node that follows it. The points of moves become cells in `placeSgf`. */
function sgfProperty(tree, root, node, name, values) {
  if (name === "B" || name === "W") {
    const point = values[0].trim();
    return point === "" || point === "tt" || /^pass$/i.test(point) || /resign/i.test(point) ? node : tree.add(node, point);
  }
  if (name === "C") node.note = values[0];
  else if (node === tree.root || node.parent === tree.root) root[name] ??= values;
  return node;
}

function placeSgf(tree, root, info) {
  const size = Number(root.SZ?.[0] ?? info.options[0].default) || info.options[0].default;
  const rules = root.RU?.[0] ?? "";
  const spec = new RegExp(`^${info.name}\\(.*\\)$`).test(rules) ? rules : `${info.name}(size=${size})`;
  const named = openNotation(spec, [info], [], true);
  const cell = (point) => {
    const [column, row] = [point.charCodeAt(0) - 97, point.charCodeAt(1) - 97];
    if (/^[a-z]{2}$/.test(point) && column < size && row < size) return row * size + column;
    return named.cell(point) ?? missing(point, spec);
  };
  for (const node of tree.nodes()) {
    if (node.parent) node.cell = cell(node.cell);
    node.next = node.children[0] ?? null;
  }
  tree.visit(tree.line().at(-1) ?? tree.root);
  return { spec, setup: sgfSetup(root, size, cell), tree, names: { 1: root.PB?.[0] ?? "", "-1": root.PW?.[0] ?? "" } };
}

function sgfSetup(root, size, cell) {
  if (!root.AB && !root.AW && !root.AE) return null;
  const stones = Array.from({ length: size * size }, () => "-");
  const put = (points, sign) => points?.forEach((point) => {
    const [from, to] = point.split(":").map(cell);
    for (let row = Math.floor(from / size); row <= Math.floor((to ?? from) / size); row += 1) {
      for (let column = from % size; column <= (to ?? from) % size; column += 1) stones[row * size + column] = sign;
    }
  });
  put(root.AB, "X");
  put(root.AW, "O");
  return [stones.join(""), /^w/i.test(root.PL?.[0] ?? "B") ? "O" : "X", ...(root.ZP ?? [])].join(" ");
}
