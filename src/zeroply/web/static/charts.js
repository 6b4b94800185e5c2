// Graphs as SVG: curves, the evaluation over a game, and a matrix of results.

import { h, svg } from "./dom.js";

/** Round steps for an axis. */
export function ticks(low, high, wanted = 5) {
  const span = high - low || 1;
  const raw = span / wanted;
  const unit = 10 ** Math.floor(Math.log10(raw));
  const step = unit * [1, 2, 5, 10].find((factor) => factor * unit >= raw * 0.99);
  const found = [];
  for (let value = Math.ceil(low / step - 1e-9) * step; value <= high + step * 1e-6; value += step) found.push(Math.abs(value) < step * 1e-6 ? 0 : value);
  return found;
}

/** A number in few digits. */
export function short(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) return value.toExponential(1);
  return String(Number(value.toPrecision(4)));
}

/** A width in which letters keep their size on a narrow screen. */
function room(most) {
  return Math.min(most, document.documentElement.clientWidth - 64);
}

/** Curves over a common axis: series are { name, x, y }. */
export function curves({ title, along, series, width = room(640), height = 230 }) {
  const left = 52;
  const bottom = 34;
  const [top, right] = [12, 14];
  const xs = series.flatMap((one) => one.x);
  const ys = series.flatMap((one) => one.y);
  const [x0, x1] = range(xs);
  let [y0, y1] = range(ys);
  const margin = (y1 - y0) * 0.06 || Math.abs(y0) * 0.1 || 1;
  y0 -= margin;
  y1 += margin;
  const px = (x) => left + ((x - x0) / (x1 - x0 || 1)) * (width - left - right);
  const py = (y) => height - bottom - ((y - y0) / (y1 - y0 || 1)) * (height - bottom - top);
  const parts = [];
  for (const y of ticks(y0, y1)) {
    parts.push(svg("line", { class: "grid", x1: left, x2: width - right, y1: py(y), y2: py(y) }));
    parts.push(svg("text", { class: "tick", x: left - 6, y: py(y) + 4, "text-anchor": "end" }, short(y)));
  }
  for (const x of ticks(x0, x1, width / 90)) parts.push(svg("text", { class: "tick", x: px(x), y: height - bottom + 16, "text-anchor": "middle" }, short(x)));
  parts.push(svg("text", { class: "tick", x: width - right, y: height - 4, "text-anchor": "end" }, along));
  series.forEach((one, number) => {
    const d = one.x.map((x, i) => `${i ? "L" : "M"}${px(x).toFixed(1)} ${py(one.y[i]).toFixed(1)}`).join("");
    parts.push(svg("path", { class: `curve c${number % 6}`, d }));
    if (one.x.length) parts.push(svg("circle", { class: `point c${number % 6}`, cx: px(one.x.at(-1)), cy: py(one.y.at(-1)), r: 3.5 }));
  });
  const words = series.map((one) => `${one.name} ${one.y.length ? short(one.y.at(-1)) : "none"}`).join(", ");
  return h(
    "figure",
    { class: "chart" },
    h("figcaption", {}, h("strong", {}, title), h("span", { class: "legend" }, series.map((one, number) =>
      h("span", {}, h("span", { class: `key c${number % 6}` }), `${one.name} `, h("b", {}, one.y.length ? short(one.y.at(-1)) : ""))))),
    svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${title}, latest: ${words}` }, parts),
  );
}

function range(values) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : [0, 1];
}

/**
 * The evaluation over a game: above the middle Black is ahead. `values` may hold nulls, `marks` are the keys of reviewed
 * moves in MARKS, and `onpick` is called with a ply.
 */
export function evaluationGraph({ values, exact, marks, unit, ply, length, onpick, width = room(440), height = 150 }) {
  const discs = unit === "discs";
  const known = values.filter((value) => value !== null);
  const most = discs ? Math.max(8, ...known.map((value) => Math.min(64, Math.abs(value)))) : 1;
  const plies = Math.max(length, values.length - 1, 10);
  const [left, right, top, bottom] = [discs ? 30 : 40, 8, 8, 18];
  const px = (at) => left + (at / plies) * (width - left - right);
  const py = (value) => top + (0.5 - Math.max(-most, Math.min(most, value)) / (2 * most)) * (height - top - bottom);
  const parts = [
    svg("rect", { class: "ahead black", x: left, y: top, width: width - left - right, height: py(0) - top }),
    svg("rect", { class: "ahead white", x: left, y: py(0), width: width - left - right, height: height - bottom - py(0) }),
    svg("line", { class: "zero", x1: left, x2: width - right, y1: py(0), y2: py(0) }),
  ];
  for (const mark of discs ? [most, most / 2, 0, -most / 2, -most] : [1, 0, -1]) {
    const text = discs ? `${mark > 0 ? "+" : ""}${Math.round(mark)}` : `${Math.round(50 + 50 * mark)} %`;
    parts.push(svg("text", { class: "tick", x: left - 4, y: py(mark) + (mark === most ? 8 : mark === -most ? 0 : 4), "text-anchor": "end" }, text));
  }
  for (const at of ticks(0, plies, 6)) parts.push(svg("text", { class: "tick", x: px(at), y: height - 4, "text-anchor": "middle" }, String(at)));
  let d = "";
  values.forEach((value, at) => {
    if (value !== null) d += `${d && values[at - 1] !== null ? "L" : "M"}${px(at).toFixed(1)} ${py(value).toFixed(1)}`;
  });
  if (d) parts.push(svg("path", { class: "evaluation", d }));
  const dot = (at, kind, r) => parts.push(svg("circle", { class: kind, cx: px(at), cy: py(values[at]), r }));
  values.forEach((value, at) => {
    if (value === null) return;
    if (exact[at]) dot(at, "exact", 2.4);
    if (marks[at] && (marks[at] !== "best" || !exact[at])) dot(at, `graph-mark ${marks[at]}`, marks[at] === "best" ? 1.8 : 4);
  });
  if ((values[ply] ?? null) !== null) {
    parts.push(svg("line", { class: "now", x1: px(ply), x2: px(ply), y1: top, y2: height - bottom }));
    dot(ply, "now", 4.5);
  }
  const image = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "evaluation-graph", role: "img", "aria-label": describe(values, unit, ply) }, parts);
  image.addEventListener("click", (event) => {
    const box = image.getBoundingClientRect();
    const at = Math.round((((event.clientX - box.left) / box.width) * width - left) / ((width - left - right) / plies));
    onpick(Math.max(0, Math.min(at, length)));
  });
  const legend = (kind, text) => h("span", {}, h("span", { class: `dot-key ${kind}`, "aria-hidden": "true" }), text);
  return [
    h("p", { class: "legend" }, h("span", {}, discs ? "Discs for Black" : "Winning chances of Black"), exact.some(Boolean) && legend("exact", "exact"),
      ["blunder", "mistake", "inaccuracy", "best"].filter((mark) => marks.includes(mark)).map((mark) => legend(mark, mark === "best" ? "best move" : mark))),
    image,
  ];
}

function describe(values, unit, ply) {
  const value = values[ply] ?? null;
  if (value === null) return "Evaluation over the game";
  const who = value > 0 ? "Black" : "White";
  const by = unit === "discs" ? ` by ${Math.abs(value).toFixed(1)} discs` : "";
  return `Evaluation over the game; after move ${ply} ${value === 0 ? "the game is even" : `${who} is ahead${by}`}`;
}

/** Results of rows against columns, from -1 to 1. */
export function matrix({ names, scores, title }) {
  const cell = Math.max(14, Math.min(28, 520 / names.length));
  const left = 44;
  const size = left + cell * names.length;
  const parts = [];
  scores.forEach((row, i) =>
    row.forEach((score, j) => {
      const place = { x: left + j * cell, y: i * cell, width: cell - 1, height: cell - 1, rx: 2 };
      const kind = i === j ? "self" : score > 0 ? "won" : score < 0 ? "lost" : "even";
      parts.push(svg("rect", { ...place, class: `result ${kind}`, "fill-opacity": i === j ? 1 : (0.3 + 0.7 * Math.abs(score)).toFixed(2) }, svg("title", {}, `generation ${names[i]} against ${names[j]}: ${score}`)));
    }));
  const step = Math.ceil(names.length / 20);
  names.forEach((name, i) => {
    if (i % step) return;
    parts.push(svg("text", { class: "tick", x: left - 5, y: i * cell + cell / 2 + 4, "text-anchor": "end" }, String(name)));
    parts.push(svg("text", { class: "tick", x: left + i * cell + cell / 2, y: size - left + 16, "text-anchor": "middle" }, String(name)));
  });
  return svg("svg", { viewBox: `0 0 ${size} ${size - left + 22}`, class: "matrix", role: "img", "aria-label": title }, parts);
}
