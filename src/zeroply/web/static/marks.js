// What a reviewed move is called, by what it loses: discs, or percent of the winning chances.

export const MARKS = {
  best: { glyph: "✓", title: "Best moves" },
  inaccuracy: { glyph: "?!", title: "Inaccuracies", discs: 2, chances: 0.05 },
  mistake: { glyph: "?", title: "Mistakes", discs: 4, chances: 0.1 },
  blunder: { glyph: "??", title: "Blunders", discs: 8, chances: 0.2 },
};
const NOTHING = { discs: 0.05, chances: 0.001 }; // what is below counts as no loss

const scale = (review) => (review.unit === "discs" ? "discs" : "chances");

/** The key of a reviewed move in MARKS; empty for a small loss, and without a review. */
export function markOf(review) {
  if (!review) return "";
  const kind = scale(review);
  if (review.fault) return "blunder";
  return ["blunder", "mistake", "inaccuracy"].find((name) => review.loss >= MARKS[name][kind]) ?? (review.loss < NOTHING[kind] ? "best" : "");
}

/** What a move loses, such as `4 discs` or `12 % of the winning chances`. */
export function lossText(loss, unit, exact) {
  if (unit !== "discs") return `${Math.round(100 * loss)} % of the winning chances`;
  const number = exact ? Math.round(loss) : Number(loss.toFixed(1));
  return `${number} ${number === 1 ? "disc" : "discs"}`;
}

/** A value for Black, as text. */
export function valueText(value, unit, exact) {
  if (unit === "discs") return `${value > 0 ? "+" : ""}${exact ? Math.round(value) : value.toFixed(1)}`;
  return `${Math.round(50 + 50 * value)} %`;
}

/** A reviewed move in words. */
export function words(review) {
  const mark = markOf(review);
  if (mark === "best") return "best move";
  const lost = `loses ${lossText(review.loss, review.unit, review.exact)}`;
  const fault = review.fault === "misses win" ? "misses a win, " : review.fault ? "gives the game away, " : "";
  return `${mark ? `${mark}, ` : ""}${fault}${lost}${review.exact ? " (exact)" : ""}`;
}
