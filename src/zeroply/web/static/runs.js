// Runs: the list on disk, curves that grow while a run goes on, its nets to play, CIAO and dominance for coevolution.

import * as api from "./api.js";
import { curves, matrix } from "./charts.js";
import { h, put, say } from "./dom.js";
import { game, YOU } from "./game.js";

const EVERY = 1500;
const SELDOM = 6000;

export function runsView() {
  const list = h("ul", { class: "list" });
  const detail = h("div", { class: "detail" });
  let timer = 0;
  let open = null;

  async function refresh(id) {
    clearTimeout(timer);
    try {
      const rows = await api.runs();
      put(list, rows.map((row) => item(row, id)), rows.length ? null : h("li", { class: "muted" }, "No runs here yet."));
    } catch (problem) {
      say(problem.message);
      return;
    }
    if (!id) {
      open = null;
      put(detail, empty());
    } else if (open?.id !== id) await show(id);
    if (element.isConnected) timer = setTimeout(() => tick(id), EVERY);
  }

  async function tick(id) {
    if (!element.isConnected) return;
    if (open && open.id === id) await open.grow();
    await refresh(id);
  }

  function item(row, id) {
    return h(
      "li",
      {},
      h(
        "a",
        { href: `#runs/${row.id}`, "aria-current": row.id === id ? "true" : null },
        h("strong", {}, row.name),
        h("span", { class: `badge ${row.state}` }, row.state),
        h("span", { class: "muted small" }, [row.kind, row.game, row.created.slice(0, 16).replace("T", " ")].filter(Boolean).join(" · ")),
      ),
    );
  }

  function empty() {
    return h(
      "div",
      { class: "card" },
      h("h2", {}, "Runs"),
      h("p", {}, "Training, evolution and leagues write a folder that can be watched here while they go on. Choose one on the left, or start one:"),
      h("pre", { tabindex: "0" }, h("code", {}, 'zeroply evolve --game "atarigo(size=5)" --net "mdrnn(k=10)" --out runs/atari\nzeroply coevolve --game "gomoku(size=7)" --out runs/gomoku')),
    );
  }

  async function show(id) {
    let run;
    try {
      run = await api.run(id);
    } catch (problem) {
      put(detail, h("p", { class: "note" }, problem.message));
      return;
    }
    const state = h("span", { class: `badge ${run.state}` }, run.state);
    const charts = h("div", { class: "charts" });
    const players = h("div", {});
    const series = new Map();
    const meet = h("div", {});
    let renewed = Date.now();
    let next = 0;

    async function grow() {
      try {
        const news = await api.curves(id, next);
        if (news.begin === 0 && next !== 0) series.clear();
        next = news.next;
        for (const one of news.series) {
          const key = JSON.stringify([one.event, one.name]);
          const known = series.get(key) ?? { ...one, x: [], y: [] };
          known.x.push(...one.x);
          known.y.push(...one.y);
          series.set(key, known);
        }
        put(state, news.state);
        state.className = `badge ${news.state}`;
        if (news.series.length || !charts.childElementCount) draw(charts, series);
        if (news.series.length || news.state !== run.state) await renew(news.state);
      } catch (problem) {
        say(problem.message);
      }
    }

    async function renew(now) {
      if (now === run.state && Date.now() - renewed < SELDOM) return;
      renewed = Date.now();
      run = await api.run(id);
      put(players, champions(run));
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
        h("p", { class: "muted" }, `${run.kind}, begun ${run.created.slice(0, 19).replace("T", " ")}`),
        run.state === "stopped" ? h("p", {}, "Go on with it: ", h("code", {}, run.resume)) : null,
        charts,
      ),
      h("div", { class: "card" }, h("h2", {}, "Its nets"), players),
      meet,
      h("details", { class: "card" }, h("summary", {}, "What was asked for"), facts(run.config)),
      run.result ? h("details", { class: "card" }, h("summary", {}, "Result"), facts(run.result)) : null,
    );
    open = { id, grow };
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
    enter: (id) => refresh(id),
    leave: () => {
      clearTimeout(timer);
      open = null;
    },
  };
}

/** A chart for each kind of event and scale: curves of one event that live in like ranges share one. */
function draw(charts, series) {
  const groups = new Map();
  for (const one of series.values()) {
    const most = Math.max(...one.y.map(Math.abs), 1e-9);
    const key = JSON.stringify([one.event, one.along, Math.round(Math.log10(most))]);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  const made = [...groups.values()].map((group) => curves({ title: group[0].event, along: group[0].along, series: group }));
  put(charts, made.length ? made : h("p", { class: "muted" }, "Nothing to draw yet: curves appear when the run logs numbers."));
}

function champions(run) {
  if (!run.players.length) return h("p", { class: "muted" }, "None yet; they appear here when the run saves them.");
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
    run.players.length > shown.length ? h("p", { class: "muted small" }, `… and ${run.players.length - shown.length} earlier ones.`) : null,
  ];
}

async function meet(run, one) {
  game.remember(one.player, `${run.name}, ${one.title}`);
  await game.start({ spec: one.game, seats: { 1: YOU, "-1": one.player } });
  location.hash = "#play";
}

async function look(run, one) {
  game.remember(one.player, `${run.name}, ${one.title}`);
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
          matrix({ names: found.generations, scores: found.scores, title: "Champions of rows against those of columns" }),
          h("p", { class: "muted small" }, "Rows and columns are generations; green: the row's champion beats the column's over both colours, red: it loses; the paler, the closer."),
          h("p", {}, found.triples ? `Of ${found.triples} decided triples ${found.circles} beat each other in a circle (${((100 * found.circles) / found.triples).toFixed(1)} %).` : ""),
          h("h3", {}, "Dominance"),
          h("p", {}, `${found.dominant.length} dominant champions, each beats all before it: generations ${found.dominant.join(", ")}.`),
        );
      } catch (problem) {
        put(place, h("p", { class: "note" }, problem.message));
      } finally {
        button.disabled = false;
      }
    },
  }, "Let them play");
  return h("div", { class: "card" }, h("h2", {}, "Champions against their ancestors (CIAO)"), h("p", {}, button), place);
}

function facts(values) {
  return h("dl", { class: "facts" }, Object.entries(values).map(([key, value]) => [
    h("dt", {}, key),
    h("dd", {}, typeof value === "object" && value !== null ? h("code", {}, JSON.stringify(value).slice(0, 400)) : String(value)),
  ]));
}
