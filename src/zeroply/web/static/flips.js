// How far a list of moves is a legal game of Othello from the standard start: enough to recognise one in pasted text.

const AROUND = [-1, 0, 1].flatMap((down) => [-1, 0, 1].map((right) => [down, right])).filter(([down, right]) => down || right);

/** How many of the moves, such as f5, are legal one after the other. */
export function legalOthelloMoves(names, size = 8) {
  const stones = new Map([[0, 0, -1], [-1, -1, -1], [0, -1, 1], [-1, 0, 1]].map(([row, column, colour]) => [key(size / 2 + row, size / 2 + column), colour]));
  let mover = 1;
  for (const [at, name] of names.entries()) {
    const [row, column] = [Number(name.slice(1)) - 1, name.toLowerCase().charCodeAt(0) - 97];
    if (!play(stones, row, column, mover, size)) {
      mover = -mover; // after a pass
      if (!play(stones, row, column, mover, size)) return at;
    }
    mover = -mover;
  }
  return names.length;
}

/** Whether moves use only cells of an Othello board. */
export function isOthello(names) {
  return names.every((name) => /^[a-h][1-8]$/i.test(name));
}

const key = (row, column) => 100 * row + column;

function play(stones, row, column, mover, size) {
  if (row < 0 || column < 0 || row >= size || column >= size || stones.has(key(row, column))) return false;
  const turned = AROUND.flatMap(([down, right]) => {
    const line = [];
    for (let r = row + down, c = column + right; stones.get(key(r, c)) === -mover; r += down, c += right) line.push(key(r, c));
    const end = line.length + 1;
    return stones.get(key(row + down * end, column + right * end)) === mover ? line : [];
  });
  if (!turned.length) return false;
  for (const one of [key(row, column), ...turned]) stones.set(one, mover);
  return true;
}
