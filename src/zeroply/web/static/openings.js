// Names of common Othello openings. Lines begin with c4; a game that begins with d3, e6 or f5 is turned so that its
// first move becomes c4. The longest line that a game follows names its opening.

const LINES = `
c4c3 Diagonal
c4c3d3c5b2 X-square
c4c3d3c5b3 Snake
c4c3d3c5b3f3 Lysons
c4c3d3c5b4 Heath
c4c3d3c5b4d2d6 Heath-Bat
c4c3d3c5b4d2e2 Iwasaki
c4c3d3c5b4e3 Heath-Chimney
c4c3d3c5b5 Raccoon Dog
c4c3d3c5b6 Rocket
c4c3d3c5b6c6b5 Hamilton
c4c3d3c5b6e3 Lollipop
c4c3d3c5d6 Cow
c4c3d3c5d6e3 Chimney
c4c3d3c5d6f4b4 Bat
c4c3d3c5d6f4f5 Rose-v-Toth
c4c3d3c5d6f4f5d2 Tanida
c4c3d3c5d6f4f5d2b5 Aircraft
c4c3d3c5d6f4f5d2g4d7 Sailboat
c4c3d3c5d6f4f5e6c6d7 Maruoka
c4c3d3c5d6f4f5e6f6 Landau
c4c3d3c5f6 Buffalo
c4c3d3c5f6e2c6 Maruoka Buffalo
c4c3d3c5f6e3c6f5f4g5 Tanida Buffalo
c4c3d3c5f6f5 Hokuriku Buffalo
c4c3e6c5 Wing
c4c3f5c5 Semi-Wing
c4c5 Parallel
c4e3 Perpendicular
c4e3f4c5d6e6 Mimura
c4e3f4c5d6f3c6 Shaman
c4e3f4c5d6f3d3 Inoue
c4e3f4c5d6f3d3c3 Iago
c4e3f4c5d6f3e2 Bhagat
c4e3f4c5d6f3e6c3d3e2 Rose
c4e3f4c5d6f3e6c3d3e2b5 Flat
c4e3f4c5d6f3e6c3d3e2b5f5 Rotating Flat
c4e3f4c5d6f3e6c3d3e2b5f5b3 Murakami
c4e3f4c5d6f3e6c3d3e2b6f5 Rose-Birth
c4e3f4c5d6f3e6c3d3e2b6f5b4f6g5d7 Brightstein
c4e3f4c5d6f3e6c3d3e2b6f5g5 Rose-Birdie
c4e3f4c5d6f3e6c3d3e2d2 Greenberg
c4e3f4c5d6f3e6c6 Ralle
c4e3f4c5e6 Horse
c4e3f5b4 No-Cat
c4e3f5b4f3 Swallow
c4e3f5e6d3 Italian
c4e3f5e6f4 Cat
c4e3f5e6f4c5d6c6f7f3 Sakaguchi
c4e3f5e6f4c5d6c6f7g5g6 Berner
c4e3f6b4 Bent Ganglion
c4e3f6e6f5 Tiger
c4e3f6e6f5c5c3 Stephenson
c4e3f6e6f5c5c3b4 No-Kung
c4e3f6e6f5c5c3c6 Comp'Oth
c4e3f6e6f5c5c3c6d6 Lightning Bolt
c4e3f6e6f5c5c3g5 Kung
c4e3f6e6f5c5d3 Leader's Tiger
c4e3f6e6f5c5d6 Brightwell
c4e3f6e6f5c5f4g5g4f3c6d3d6 Ishii
c4e3f6e6f5c5f4g6f7 Rose-Bill
c4e3f6e6f5c5f4g6f7d3 Tamenori
c4e3f6e6f5g6 Aubrey
`;

const SIZE = 8;
const cellOf = (name) => (Number(name[1]) - 1) * SIZE + name.charCodeAt(0) - 97;

export const OPENINGS = LINES.trim().split("\n").map((line) => {
  const [moves, ...words] = line.split(" ");
  return { moves: moves.match(/../g).map(cellOf), name: words.join(" ") };
});

/** The four ways to turn the board that leave the start as it is. */
const TURNS = [
  (row, column) => [row, column],
  (row, column) => [column, row],
  (row, column) => [SIZE - 1 - row, SIZE - 1 - column],
  (row, column) => [SIZE - 1 - column, SIZE - 1 - row],
];
const turned = (cell, turn) => {
  const [row, column] = turn(Math.floor(cell / SIZE), cell % SIZE);
  return row * SIZE + column;
};

/** The name of the opening of an Othello game from the standard start, or null. */
export function openingName(moves) {
  const turn = moves.length ? TURNS.find((one) => turned(moves[0], one) === cellOf("c4")) : null;
  if (!turn) return null;
  const cells = moves.slice(0, 20).map((cell) => turned(cell, turn));
  const known = OPENINGS.filter((one) => one.moves.length <= cells.length && one.moves.every((cell, at) => cell === cells[at]));
  return known.sort((a, b) => b.moves.length - a.moves.length)[0]?.name ?? null;
}
