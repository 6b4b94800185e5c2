// What the browser keeps: the settings, the game on the board, and recent games. Without local storage all of it lasts
// as long as the page.

const SETTINGS = "zeroply-settings";
const RECENT = "zeroply-recent";
const MOST_RECENT = 40;

const DEFAULTS = {
  letters: "I", // columns of Gomoku: "I", or "no I" as in Go
  varied: true, // players vary their openings
  sound: false,
  clock: 0, // minutes for each side, 0 for none
  line: true, // the best line of a review is shown on the board
};

/** What is stored under a key, or `otherwise`. */
export function load(key, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function save(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // It lasts as long as the page then.
  }
}

const chosen = { ...DEFAULTS, ...load(SETTINGS, {}) };

export function setting(name) {
  return chosen[name];
}

export function choose(name, value) {
  chosen[name] = value;
  save(SETTINGS, chosen);
}

/** Recent games, newest first. */
export function recentGames() {
  const games = load(RECENT, []);
  return Array.isArray(games) ? games : [];
}

/** Adds a game to the recent ones; one with the same id is replaced. */
export function keep(one) {
  save(RECENT, [one, ...recentGames().filter((other) => other.id !== one.id)].slice(0, MOST_RECENT));
}

export function forget(id) {
  save(RECENT, recentGames().filter((one) => one.id !== id));
}
