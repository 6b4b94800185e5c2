// The Studies page: one study per published table or figure; reports show the paper's numbers beside ours.

import * as api from "./api.js";
import { h, mark, put, say } from "./dom.js";
import { render } from "./markdown.js";

export function studiesView() {
  const list = h("div", {});
  const detail = h("div", { class: "detail" });
  let visit = null; // the latest call of enter; replies to earlier calls are dropped

  async function enter(id) {
    const now = (visit = {});
    try {
      if (!list.childElementCount) fill(await api.studies());
    } catch (problem) {
      say(problem.message);
      return;
    }
    if (now !== visit) return;
    mark(list.querySelectorAll("a"), `#studies/${id}`);
    if (!id) {
      put(detail, welcome());
      return;
    }
    try {
      const report = await api.study(id);
      if (now !== visit) return;
      const known = new Set(report.figures);
      put(detail, h("article", { class: "card report" }, render(report.markdown, (name) => (known.has(name) ? api.figure(id, name) : null))));
      detail.scrollIntoView();
    } catch (problem) {
      if (now === visit) put(detail, h("p", { class: "note" }, problem.message));
    }
  }

  function fill(rows) {
    const there = rows.filter((row) => row.id !== null);
    const absent = rows.filter((row) => row.id === null);
    put(
      list,
      h("ul", { class: "list" }, there.map((row) => h("li", {},
        h("a", { href: `#studies/${row.id}` }, h("strong", {}, row.name), h("span", { class: "small" }, row.title), row.source ? h("span", { class: "muted small" }, row.source) : null)))),
      absent.length
        ? h("details", {}, h("summary", {}, `${absent.length} without results yet`),
            h("ul", { class: "list plain" }, absent.map((row) => h("li", {}, h("strong", {}, row.name), h("span", { class: "small" }, row.title), h("code", {}, row.command)))))
        : null,
    );
  }

  function welcome() {
    return h("div", { class: "card" }, h("h2", {}, "Studies"),
      h("p", {}, "zeroply repeats the tables and figures of three papers, one command each. A report shows the paper's numbers beside ours and lists the paper's claims with our verdicts."),
      h("p", { class: "muted" }, "Choose a report on the left."));
  }

  return { element: h("div", { class: "split" }, h("h1", {}, "Studies"), h("nav", { "aria-label": "Studies" }, list), detail), enter };
}
