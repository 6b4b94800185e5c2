// The Runs page: runs on disk, live curves, nets to play against, CIAO and dominance for coevolution.

import * as api from "./api.js";
import { curves, matrix } from "./charts.js";
import { h, mark, put, putLinks, say } from "./dom.js";
import { game, YOU } from "./game.js";

const REFRESH = 1500; // ms
const SLOW_REFRESH = 6000;

export function runsView() {
  const list = h("ul", { class: "list" });
  const detail = h("div", { class: "detail" });
  let timer = 0;
  let listed = ""; // what the list shows
  let visit = null; // the run on display and, once it is shown, the function that updates its curves; null on other pages

  function enter(id) {
    clearTimeout(timer);
    visit = { id, created: "", grow: null };
    refresh(visit);
  }

  async function refresh(now) {
    let wait = REFRESH;
    try {
      const rows = await api.runs();
      if (now !== visit) return;
      fill(rows);
      mark(list.querySelectorAll("a"), `#runs/${now.id}`);
      const row = rows.find((one) => one.id === now.id);
      if (now.grow && row?.created === now.created) await now.grow();
      else if (now.id) await show(now); // shown for the first time, or another run now uses the folder
      else if (!detail.querySelector("[data-empty]")) put(detail, empty());
    } catch (problem) {
      if (now === visit) say(problem.message);
      wait = SLOW_REFRESH;
    }
    if (now === visit) timer = setTimeout(() => refresh(now), wait);
  }

  function fill(rows) {
    const words = JSON.stringify(rows);
    if (words === listed) return;
    listed = words;
    putLinks(list, rows.map((row) => item(row)), rows.length ? null : h("li", { class: "muted" }, "No runs yet."));
  }

  function item(row) {
    return h(
      "li",
      {},
      h(
        "a",
        { href: `#runs/${row.id}` },
        h("strong", {}, row.name),
        h("span", { class: `badge ${row.state}` }, row.state),
        h("span", { class: "muted small" }, [row.kind, row.game, row.created.slice(0, 16).replace("T", " ")].filter(Boolean).join(" · ")),
      ),
    );
  }

  function empty() {
    return h(
      "div",
      { class: "card", "data-empty": "" },
      h("h2", {}, "Runs"),
      h("p", {}, "Training, evolution and leagues write a run folder, which you can watch here while they work. Choose one on the left, or start one:"),
      h("pre", { tabindex: "0" }, h("code", {}, 'zeroply evolve --game "atarigo(size=5)" --net "mdrnn(k=10)" --run runs/atari\nzeroply coevolve --game "gomoku(size=7)" --run runs/gomoku')),
    );
  }

  async function show(now) {
    const { id } = now;
    let run;
    try {
      run = await api.run(id);
    } catch (problem) {
      if (now === visit) put(detail, h("p", { class: "note" }, problem.message));
      return;
    }
    if (now !== visit) return;
    const state = h("span", { class: `badge ${run.state}` }, run.state);
    const charts = h("div", { class: "charts" });
    const players = h("div", {});
    const series = new Map();
    const meet = h("div", {});
    let renewed = Date.now();
    let [next, reading] = [0, ""];

    async function grow() {
      const news = await api.curves(id, next, reading);
      if (now !== visit) return;
      if (news.begin === 0) series.clear();
      [next, reading] = [news.next, news.reading];
      for (const one of news.series) {
        const key = JSON.stringify([one.chart, one.name]);
        const known = series.get(key) ?? { ...one, x: [], y: [] };
        known.x.push(...one.x);
        known.y.push(...one.y);
        series.set(key, known);
      }
      put(state, news.state);
      state.className = `badge ${news.state}`;
      if (news.series.length || !charts.childElementCount) draw(charts, series);
      if (news.series.length || news.state !== run.state) await renew(news.state);
    }

    async function renew(state) {
      if (state === run.state && Date.now() - renewed < SLOW_REFRESH) return;
      renewed = Date.now();
      const found = await api.run(id);
      if (now !== visit) return;
      const others = JSON.stringify(found.players) !== JSON.stringify(run.players);
      run = found;
      if (others) put(players, champions(run));
      if (run.generations > 1 && !meet.childElementCount) put(meet, meetings(id));
    }

    put(players, champions(run));
    if (run.generations > 1) put(meet, meetings(id));
    put(
      detail,
      h(
        "div",
        { class: "card" },
        h("h2", {}, run.name, " ", state),
        h("p", { class: "muted" }, `${run.kind}, started ${run.created.slice(0, 19).replace("T", " ")}`),
        run.state === "stopped" ? h("p", {}, "Resume it with: ", h("code", {}, run.resume)) : null,
        charts,
      ),
      h("div", { class: "card" }, h("h2", {}, "Nets"), players),
      meet,
      h("details", { class: "card" }, h("summary", {}, "Settings"), facts(run.config)),
      run.result ? h("details", { class: "card" }, h("summary", {}, "Result"), facts(run.result)) : null,
    );
    Object.assign(now, { grow, created: run.created });
    await grow();
  }

  const element = h(
    "div",
    { class: "split" },
    h("h1", {}, "Runs"),
    h("nav", { "aria-label": "Runs" }, list),
    detail,
  );
  return {
    element,
    enter,
    leave: () => {
      clearTimeout(timer);
      visit = null;
    },
  };
}

/** The charts that the class of the experiment declares. */
function draw(charts, series) {
  const groups = new Map();
  for (const one of series.values()) groups.set(one.chart, [...(groups.get(one.chart) ?? []), one]);
  const made = [...groups].map(([title, group]) => curves({ title, along: group[0].x_title, series: group }));
  put(charts, made.length ? made : h("p", { class: "muted" }, "No curves yet."));
}

function champions(run) {
  if (!run.players.length) return h("p", { class: "muted" }, "None yet. They appear here when the run saves them.");
  const shown = run.players.slice(0, 60);
  return [
    h("ul", { class: "champions" }, shown.map((one) =>
      h(
        "li",
        {},
        h("span", {}, h("strong", {}, one.title), " ", h("span", { class: "muted small" }, one.game)),
        h("span", {},
          h("button", { type: "button", onclick: () => meet(run, one), "data-play": one.player }, "Play"), " ",
          h("button", { type: "button", onclick: () => look(run, one) }, "Look inside")),
      ))),
    run.players.length > shown.length ? h("p", { class: "muted small" }, `… and ${run.players.length - shown.length} earlier nets.`) : null,
  ];
}

async function meet(run, one) {
  game.remember(one.player, `${run.name}, ${one.title}`, one.game.split("(")[0]);
  await game.start({ spec: one.game, seats: { 1: YOU, "-1": one.player } });
  location.hash = "#play";
}

async function look(run, one) {
  game.remember(one.player, `${run.name}, ${one.title}`, one.game.split("(")[0]);
  game.wanted = one.player;
  await game.start({ spec: one.game, seats: { 1: YOU, "-1": one.player } });
  location.hash = "#inside";
}

function meetings(id) {
  const place = h("div", {});
  const button = h("button", {
    type: "button",
    onclick: async () => {
      button.disabled = true;
      put(place, h("p", { class: "muted" }, "The champions play each other …"));
      try {
        const found = await api.ciao(id);
        put(
          place,
          matrix({ names: found.generations, scores: found.scores, title: "Champions of the rows against champions of the columns" }),
          h("p", { class: "muted small" }, "Rows and columns are generations. Green: the row's champion beats the column's over both colours. Red: it loses. Pale: close."),
          h("p", {}, found.triples ? `${found.circles} of ${found.triples} decided triples are cyclic: A beats B, B beats C, C beats A (${((100 * found.circles) / found.triples).toFixed(1)} %).` : ""),
          h("h3", {}, "Dominance"),
          h("p", {}, `${found.dominant.length} dominant champions, each of which beats all earlier dominant ones: generations ${found.dominant.join(", ")}.`),
        );
      } catch (problem) {
        put(place, h("p", { class: "note" }, problem.message));
      } finally {
        button.disabled = false;
      }
    },
  }, "Play the matches");
  return h("div", { class: "card" }, h("h2", {}, "Champions against their ancestors (CIAO)"), h("p", {}, button), place);
}

function facts(values) {
  return h("dl", { class: "facts" }, Object.entries(values).map(([key, value]) => [
    h("dt", {}, key),
    h("dd", {}, typeof value === "object" && value !== null ? h("code", {}, JSON.stringify(value).slice(0, 400)) : String(value)),
  ]));
}
