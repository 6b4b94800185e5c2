// The Markdown of reports as elements: headings, paragraphs, tables, lists, code, pictures. Text stays text.

import { h } from "./dom.js";

/** Elements for a report; `picture` gives the address of a figure by its file name, or null. */
export function render(text, picture) {
  const lines = text.split("\n");
  const out = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at];
    const heading = /^(#{1,4})\s+(.*)$/.exec(line);
    const image = /^!\[(.*)\]\(([^)]*)\)\s*$/.exec(line);
    if (!line.trim()) at += 1;
    else if (line.startsWith("```")) {
      const code = [];
      for (at += 1; at < lines.length && !lines[at].startsWith("```"); at += 1) code.push(lines[at]);
      at += 1;
      out.push(h("pre", { tabindex: "0" }, h("code", {}, code.join("\n"))));
    } else if (heading) {
      out.push(h(`h${Math.min(6, heading[1].length + 1)}`, {}, inline(heading[2])));
      at += 1;
    } else if (image) {
      const address = picture(image[2].split("/").at(-1));
      if (address) out.push(h("figure", {}, h("img", { src: address, alt: image[1], loading: "lazy" }), h("figcaption", {}, image[1])));
      at += 1;
    } else if (line.startsWith("|")) {
      const rows = [];
      for (; at < lines.length && lines[at].startsWith("|"); at += 1) rows.push(lines[at]);
      out.push(table(rows));
    } else if (/^[-*] /.test(line)) {
      const items = [];
      for (; at < lines.length && /^([-*] |\s+\S)/.test(lines[at]); at += 1) {
        if (/^[-*] /.test(lines[at])) items.push(lines[at].slice(2));
        else items[items.length - 1] += ` ${lines[at].trim()}`;
      }
      out.push(h("ul", {}, items.map((item) => h("li", {}, inline(item)))));
    } else {
      const words = [];
      for (; at < lines.length && lines[at].trim() && !/^(#|\||```|!\[|[-*] )/.test(lines[at]); at += 1) words.push(lines[at]);
      if (!words.length) words.push(lines[at++]);
      out.push(h("p", {}, inline(words.join(" "))));
    }
  }
  return out;
}

function table(rows) {
  const cells = rows
    .filter((row) => !/^\|[\s:|-]+\|?$/.test(row))
    .map((row) => row.replace(/^\|/, "").replace(/\|\s*$/, "").split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|")));
  const [head, ...body] = cells;
  const numeric = (cell) => /^[-+−]?[\d.,]+\s*%?$/.test(cell);
  return h(
    "div",
    { class: "table", tabindex: "0", role: "region", "aria-label": `Table: ${head.filter(Boolean).join(", ")}` },
    h(
      "table",
      {},
      h("thead", {}, h("tr", {}, head.map((cell) => h("th", { scope: "col" }, inline(cell))))),
      h("tbody", {}, body.map((row) => h("tr", {}, row.map((cell) => h("td", { class: numeric(cell) ? "number" : verdict(cell) }, inline(cell)))))),
    ),
  );
}

function verdict(cell) {
  return { yes: "yes", no: "no" }[cell] ?? null;
}

function inline(text) {
  const out = [];
  const pattern = /`([^`]+)`|\*\*(.+?)\*\*|\*([^*\s][^*]*?)\*|\[([^\]]+)\]\(([^)]+)\)/g;
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    out.push(text.slice(from, match.index));
    if (match[1]) out.push(h("code", {}, match[1]));
    else if (match[2]) out.push(h("strong", {}, match[2]));
    else if (match[3]) out.push(h("em", {}, match[3]));
    else out.push(match[4]);
    from = match.index + match[0].length;
  }
  out.push(text.slice(from));
  return out;
}
