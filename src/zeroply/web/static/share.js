// Saving and loading games: paste, copy, download, a link that holds the whole game, and the recent games.

import * as api from "./api.js";
import { h, put, say } from "./dom.js";
import { ggf, linkText, sgf, transcript } from "./export.js";
import { game, YOU } from "./game.js";
import { readGame, readLink } from "./import.js";
import { resultOf } from "./result.js";
import { forget, recentGames } from "./store.js";
import { GameTree } from "./tree.js";

/** The game of an address, as `game.start` takes it. */
export function fromLink(text) {
  return { ...readLink(text), paused: true };
}

export function sharePanel() {
  const text = h("textarea", { rows: 3, spellcheck: "false", placeholder: "f5d6c3d3c4… or 1. f5 d6 2. c3 d3, SGF, GGF, a link, a board string", id: "transcript" });
  const recent = h("ul", { class: "recent" });
  const buttons = h("div", { class: "tools" });

  async function load() {
    let found;
    try {
      found = readGame(text.value, game.spec, game.infos);
      await api.position({ game: found.spec, setup: found.setup ?? null, moves: found.tree.line().map((node) => node.cell) });
    } catch (problem) {
      say(problem.message);
      return;
    }
    const { spec, setup = null, tree, seats = null } = found;
    await game.start({ spec, setup, tree, seats: seats ?? { 1: YOU, "-1": YOU }, paused: true });
    const count = tree.line().length;
    const names = found.names?.[1] || found.names?.[-1] ? `${found.names[1] || "Black"} against ${found.names[-1] || "White"}: ` : "";
    say(`${found.note ? `${found.note} ` : ""}${names}${count} ${count === 1 ? "move" : "moves"} loaded.`, "news");
  }

  async function copy(words, what) {
    text.value = words;
    try {
      await navigator.clipboard.writeText(words);
      say(`${what} copied to the clipboard.`, "news");
    } catch {
      text.select();
      say(`${what} is in the box below: copy it from there.`, "news");
    }
  }

  function exported() {
    const { spec, setup, tree, position, seats, info } = game;
    const names = { 1: game.titleOf(seats[1]), "-1": game.titleOf(seats[-1]) };
    return { spec: position.game, setup, tree, position, seats, names, sgf: info.sgf, ...resultOf(game) };
  }

  function download(words, ending) {
    const link = h("a", { href: URL.createObjectURL(new Blob([words], { type: "text/plain" })), download: `${game.kind}.${ending}` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  function show() {
    if (!game.position) return;
    const { info } = game;
    const make = (words, tool, action) => h("button", { type: "button", "data-tool": tool, onclick: action }, words);
    put(
      buttons,
      make("Copy link", "copy-link", () => copy(`${location.origin}${location.pathname}#${linkText(game)}`, "The link")),
      make("Copy moves", "copy-moves", () => copy(transcript(game), "The game")),
      info?.sgf !== null && make("Download SGF", "sgf", () => download(sgf(exported()), "sgf")),
      info?.ggf && make("Download GGF", "ggf", () => download(ggf(exported()), "ggf")),
    );
    showRecent();
  }

  function showRecent() {
    const games = recentGames().filter((one) => one.id !== game.id);
    put(recent, games.map((one) => row(one)), games.length ? null : h("li", { class: "muted small" }, "Games that you replace by a new one appear here. They stay in this browser."));
  }

  function row(one) {
    const open = () => {
      try {
        const { spec, setup, seats, id } = one;
        game.start({ spec, setup, seats, id, tree: GameTree.read(one.tree), paused: true });
      } catch {
        say("This game cannot be read.");
      }
    };
    const when = new Date(one.when).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
    return h(
      "li",
      {},
      h("button", { type: "button", class: "recent-game", onclick: open }, h("strong", {}, `${one.names[1]} – ${one.names[-1]}`), h("span", { class: "muted small" }, `${one.spec}, ${one.moves} moves, ${when}`)),
      h("button", { type: "button", class: "quiet", "aria-label": `Forget ${one.names[1]} – ${one.names[-1]}, ${when}`, onclick: () => { forget(one.id); showRecent(); } }, "✕"),
    );
  }

  const element = h(
    "section",
    { class: "card share" },
    h("h2", {}, "Save and load"),
    buttons,
    h("label", { class: "field", for: "transcript" }, h("span", {}, "Moves, SGF, GGF, a link or a board string"), text),
    h("p", {}, h("button", { type: "button", onclick: () => load(), "data-tool": "paste" }, "Load")),
    h("details", { class: "recents" }, h("summary", {}, "Recent games"), recent),
  );
  return { element, show };
}
