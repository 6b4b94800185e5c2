// How cells are named: f5 in Othello, H8 on boards for stones. Gomoku players write a column I, Go players leave it out;
// which of the two the page uses for Gomoku is a setting.

import { setting } from "./store.js";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
export const NAMES = { 1: "Black", "-1": "White" };

/** The letters of the columns, given those of the server and whether the game's players write a column I. */
export function lettersFor(letters, columnI) {
  return columnI && setting("letters") === "I" ? ALPHABET.slice(0, letters.length) : letters;
}

/** The name of a cell, such as f5. */
export function cellName(position, cell) {
  const row = Math.floor(cell / position.size);
  return `${position.letters[cell % position.size]}${position.from_top ? row + 1 : position.size - row}`;
}

/** The cell of a name on a board, or null if there is none. */
export function cellOf({ size, letters, from_top: fromTop }, name) {
  const column = letters.toUpperCase().indexOf(name[0].toUpperCase());
  const number = Number(name.slice(1));
  if (column < 0 || column >= size || !Number.isInteger(number) || number < 1 || number > size) return null;
  return (fromTop ? number - 1 : size - number) * size + column;
}

/**
 * How names in a text are read on the board of a game. Gomoku's columns have an I by the setting, unless the names fit only the
 * other way; text with a line `# game:` is written by zeroply, whose files leave the I out (`plainLetters`).
 */
export function openNotation(spec, infos, names, plainLetters = false) {
  const kind = spec.split("(")[0];
  const info = infos.find((one) => one.name === kind);
  const size = Number(/\bsize=(\d+)/.exec(spec)?.[1] ?? info?.options[0].default ?? 8);
  const stones = info?.without_i ?? false;
  const all = ALPHABET.slice(0, size);
  const withoutI = ALPHABET.replace("I", "").slice(0, size);
  const fits = (letters) => names.every((name) => letters.includes(name[0].toUpperCase()));
  let letters = stones ? withoutI : all;
  if (info?.column_i && !plainLetters) {
    const [first, second] = setting("letters") === "I" ? [all, withoutI] : [withoutI, all];
    letters = fits(first) || !fits(second) ? first : second;
  }
  const board = { size, letters, from_top: info?.from_top ?? true };
  return { cell: (name) => cellOf(board, name) };
}
