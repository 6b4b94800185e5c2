// Numbers on the cells of a heat map.

import { ranked, scaled } from "./board.js";

/** Numbers on the best five cells: percent if the preferences are probabilities, otherwise scaled from 0 to 100. */
export function heatText(found) {
  const values = found.logits ? found.shares : scaled(found.values);
  const text = values.map(() => "");
  const cells = ranked(found.values);
  if (cells.length > 1 && found.values[cells[0]] === found.values[cells.at(-1)]) return text;
  for (const cell of cells.slice(0, 5)) text[cell] = String(Math.round(100 * values[cell]));
  return text;
}
