// What the line below the board says: whose move it is, and how a game ended.

import { h } from "./dom.js";
import { YOU } from "./game.js";
import { NAMES } from "./notation.js";
import { openingName } from "./openings.js";

/** A player with its colour, such as `Trained net (White)`; `You` alone. */
function who(game, colour) {
  const player = game.seats[colour];
  if (player !== YOU) return `${game.titleOf(player)} (${NAMES[colour]})`;
  return game.seats[-colour] === YOU ? NAMES[colour] : "You";
}

/** The end of a game as a sentence, or null. */
export function outcome(game) {
  const { position, ended } = game;
  if (ended) {
    const [winner, loser] = [who(game, -ended.loser), who(game, ended.loser)];
    const wins = winner === "You" ? "you win" : `${winner} wins`;
    if (ended.how === "time") return `${loser === "You" ? "Your time is" : `The time of ${loser} is`} up: ${wins}.`;
    return `${loser === "You" ? "You resign" : `${loser} resigns`}: ${wins}.`;
  }
  if (!position.over) return null;
  const counts = position.margin === null ? null : position.tallies.map((text) => Number.parseInt(text, 10));
  if (position.winner === 0) return counts ? `The game is drawn ${counts[0]}-${counts[1]}.` : "The game is drawn.";
  const winner = who(game, position.winner);
  const score = counts ? ` ${Math.max(...counts)}-${Math.min(...counts)}` : "";
  const how = !counts && position.winning.length ? (position.look === "hexagons" ? " with a connected chain" : " with five in a row") : "";
  return `${winner} ${winner === "You" ? "win" : "wins"}${score}${how}.`;
}

/** Result and margin for Black as SGF and GGF write them; empty while a game is open. */
export function resultOf(game) {
  const { position, ended } = game;
  if (ended) return { result: `${ended.loser > 0 ? "W" : "B"}+${ended.how === "time" ? "T" : "R"}`, margin: `${ended.loser > 0 ? "-" : "+"}64.00:${ended.how === "time" ? "t" : "r"}` };
  if (!position?.over) return { result: "", margin: "" };
  const [black, white] = position.tallies.map((text) => Number.parseInt(text, 10) || 0);
  if (position.winner === 0) return { result: "0", margin: "+0.00" };
  const side = position.winner > 0 ? "B" : "W";
  return { result: position.margin === null ? `${side}+` : `${side}+${position.margin}`, margin: `${black > white ? "+" : ""}${(black - white).toFixed(2)}` };
}

/** The line below the board. */
export function statusWords(game, hint) {
  const { position } = game;
  const parts = [];
  const end = outcome(game);
  if (end) parts.push(h("strong", {}, end));
  else {
    if (position.passed) parts.push(h("span", { class: "pass" }, `${NAMES[-position.to_move]} has no move and passes. `));
    const player = game.seats[position.to_move];
    const side = NAMES[position.to_move];
    parts.push(game.thinking === position.to_move ? `${game.titleOf(player)} is thinking …` : player === YOU ? `Your move: ${side} to play.` : `${side} to play.`);
  }
  if (!game.atEnd) parts.push(` Showing move ${game.ply} of ${game.moves.length}.`);
  if (hint) parts.push(" ", h("span", { class: "hint" }, hint));
  const opening = position.size === 8 && position.look === "discs" && game.setup === null ? openingName(game.where.moves) : null;
  if (opening && !end) parts.push(" ", h("span", { class: "opening muted" }, `Opening: ${opening}.`));
  return parts;
}
