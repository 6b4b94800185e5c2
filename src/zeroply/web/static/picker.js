// The dialog for choosing a player: a description of each and its rating if measured.

import * as api from "./api.js";
import { h, put } from "./dom.js";
import { game, YOU } from "./game.js";

const FROM_RUN = { about: "A net from a run.", group: "Recently used" };
const BY_SPEC = { about: "Entered as a spec.", group: "Recently used" };
const dialog = h("dialog", { class: "picker", "aria-labelledby": "picker-title" });
document.body.append(dialog);

/** Shows the dialog; resolves to the chosen player, or null if it was closed. */
export function pickPlayer({ title, chosen, withYou }) {
  return new Promise((resolve) => {
    const list = h("ul", { class: "players" });
    const search = h("input", { type: "search", placeholder: "Search", "aria-label": "Search players", oninput: () => fill() });
    const own = h("input", { type: "text", placeholder: "engine(depth=6)", "aria-label": "Spec of another player", spellcheck: "false" });
    const refusal = h("p", { class: "refusal", role: "alert" });
    let answer = null;
    const choose = (player) => {
      answer = player;
      dialog.close();
    };
    const enter = async (player) => {
      put(refusal, "Checking …");
      try {
        await api.checkPlayer(game.spec, player);
        choose(player);
      } catch (problem) {
        put(refusal, problem.message);
        own.setAttribute("aria-invalid", "true");
      }
    };
    const fill = () => put(list, groups(search.value.trim().toLowerCase(), chosen, withYou, choose));
    fill();
    put(
      dialog,
      h(
        "div",
        { class: "picker-head" },
        h("h2", { id: "picker-title" }, title),
        h("button", { type: "button", class: "quiet", onclick: () => dialog.close() }, "Close"),
      ),
      h("p", { class: "muted small" }, "Numbers are Elo ratings from our leagues (random player = 0; not comparable with online ratings). 200 points more means winning three games in four."),
      search,
      list,
      h(
        "form",
        {
          class: "own",
          onsubmit: (event) => {
            event.preventDefault();
            if (own.value.trim()) enter(own.value.trim());
          },
        },
        h("label", {}, "Another player, by spec: ", own),
        h("button", { type: "submit" }, "Use"),
      ),
      refusal,
    );
    dialog.onclose = () => resolve(answer);
    dialog.onclick = (event) => {
      if (event.target === dialog) dialog.close();
    };
    dialog.showModal();
    dialog.querySelector("[aria-pressed=true]")?.focus();
  });
}

function groups(words, chosen, withYou, choose) {
  const rows = [
    ...(withYou ? [{ player: YOU, title: "You", about: "You or someone else at this computer.", group: "People", rating: null }] : []),
    ...game.others.map((one) => ({ ...one, ...(one.player.startsWith("champion(") ? FROM_RUN : BY_SPEC), rating: null })),
    ...game.opponents,
  ].filter((one) => `${one.title} ${one.about} ${one.player}`.toLowerCase().includes(words));
  if (!rows.length) return h("li", { class: "muted" }, "No player matches.");
  const top = Math.max(1, ...rows.map((one) => one.rating ?? 0));
  let last = null;
  return rows.map((one) => {
    const head = one.group !== last ? h("li", { class: "group" }, one.group) : null;
    last = one.group;
    return [head, h("li", {}, row(one, top, one.player === chosen, choose))];
  });
}

function row(one, top, chosen, choose) {
  return h(
    "button",
    { type: "button", class: "player", "aria-pressed": String(chosen), onclick: () => choose(one.player), "data-player": one.player },
    h("span", { class: "who" }, h("strong", {}, one.title), h("span", { class: "about" }, one.about)),
    h("span", { class: "strength" }, strength(one, top)),
  );
}

function strength(one, top) {
  if (one.player === YOU) return "";
  if (one.rating === null) return h("span", { class: "muted" }, "not rated");
  const bar = h("span", { class: "bar" }, h("span", {}));
  bar.firstChild.style.width = `${Math.max(3, Math.round((100 * one.rating) / top))}%`;
  const where = one.rated_at ? `Elo (random player = 0), measured on ${one.rated_at}` : "";
  return [h("span", { title: where }, `${one.rating}`), bar];
}
