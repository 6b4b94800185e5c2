// Games to step through: a board, buttons, a slider, and what a net prefers before each of its moves.
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const CELL = 40, LABELS = 30, EDGE = 14;

function tag(name, attributes, content) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (content !== undefined) element.textContent = content;
  return element;
}

function mixed(ramp, share) {
  const at = share * (ramp.length - 1), low = Math.min(Math.floor(at), ramp.length - 2);
  return ramp[low].map((from, i) => Math.round(from + (at - low) * (ramp[low + 1][i] - from)));
}

function emptyBoard(game) {
  const side = game.size * CELL, { frame, board, line, label } = game.colours;
  const svg = tag("svg", { viewBox: `0 0 ${side + LABELS + EDGE} ${side + LABELS + EDGE}`, role: "img" });
  const inset = game.look === "discs" ? 0 : CELL / 2;
  svg.append(tag("rect", { width: "100%", height: "100%", rx: 10, fill: frame }),
    tag("rect", { x: LABELS, y: LABELS, width: side, height: side, rx: 3, fill: board }));
  const count = game.look === "discs" ? game.size + 1 : game.size;
  for (let i = 0; i < count; i++) {
    const at = LABELS + inset + i * CELL, from = LABELS + inset, to = LABELS + side - inset;
    svg.append(tag("path", { d: `M${from} ${at}H${to}M${at} ${from}V${to}`, stroke: line, "stroke-width": 1.3 }));
  }
  for (let i = 0; i < game.size; i++) {
    const at = LABELS + (i + 0.5) * CELL, style = { fill: label, "font-size": 15, "text-anchor": "middle" };
    svg.append(tag("text", { x: at, y: 20, ...style }, game.columns[i]),
      tag("text", { x: 15, y: at + 5, ...style }, game.rows[i]));
  }
  return svg;
}

function drawFrame(game, frame) {
  const parts = [];
  const centre = (cell) => [LABELS + (cell % game.size + 0.5) * CELL, LABELS + (Math.floor(cell / game.size) + 0.5) * CELL];
  (frame.heat ?? []).forEach((value, cell) => {
    if (value < 0) return;
    const [x, y] = centre(cell), colour = mixed(game.ramp, value / 100), side = 0.86 * CELL;
    parts.push(tag("rect", { x: x - side / 2, y: y - side / 2, width: side, height: side, rx: 5,
      fill: `rgb(${colour})`, "fill-opacity": 0.55 + 0.004 * value }));
    if (value >= 60) {
      const ink = 0.3 * colour[0] + 0.59 * colour[1] + 0.11 * colour[2] > 140 ? "#10160f" : "#fff";
      parts.push(tag("text", { x, y: y + 5, fill: ink, "font-size": 13, "text-anchor": "middle" }, value));
    }
  });
  [...frame.stones].forEach((stone, cell) => {
    if (stone === ".") return;
    const [x, y] = centre(cell), [fill, rim] = game.stones[stone], r = game.radius * CELL;
    parts.push(tag("circle", { cx: x, cy: y, r, fill, stroke: rim, "stroke-width": 1.2 }));
  });
  if (frame.last >= 0) {
    const [cx, cy] = centre(frame.last);
    parts.push(tag("circle", { cx, cy, r: 5, fill: "#ef4b3a" }));
  }
  return parts;
}

function setUp(holder) {
  const game = JSON.parse(holder.querySelector("script").textContent), last = game.frames.length - 1;
  const svg = emptyBoard(game), layer = tag("g", {}), words = document.createElement("output");
  svg.append(layer);
  const slider = Object.assign(document.createElement("input"), { type: "range", min: 0, max: last, value: 0 });
  slider.setAttribute("aria-label", "Move");
  let playing = 0;

  const show = (number) => {
    slider.value = Math.max(0, Math.min(last, number));
    const frame = game.frames[slider.value];
    layer.replaceChildren(...drawFrame(game, frame));
    words.textContent = frame.words;
    svg.setAttribute("aria-label", frame.words);
  };
  const stop = () => { clearInterval(playing); playing = 0; play.textContent = "▶"; play.setAttribute("aria-label", "Play"); };
  const button = (text, label, act) => {
    const made = Object.assign(document.createElement("button"), { type: "button", textContent: text });
    made.setAttribute("aria-label", label);
    made.addEventListener("click", act);
    return made;
  };
  const back = button("‹", "One move back", () => { stop(); show(+slider.value - 1); });
  const on = button("›", "One move forward", () => { stop(); show(+slider.value + 1); });
  const play = button("▶", "Play", () => {
    if (playing) return stop();
    if (+slider.value === last) show(0);
    play.textContent = "❚❚";
    play.setAttribute("aria-label", "Pause");
    playing = setInterval(() => (+slider.value < last ? show(+slider.value + 1) : stop()), 700);
  });
  slider.addEventListener("input", () => { stop(); show(+slider.value); });
  const controls = document.createElement("div");
  controls.className = "controls";
  controls.append(back, play, on, slider);
  holder.replaceChildren(svg, words, controls);
  show(0);
}

document.querySelectorAll(".stepper").forEach(setUp);
