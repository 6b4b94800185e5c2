// The options of the page: varied play, clocks, sounds, speed, and how Gomoku's columns are named.

import { MINUTES, clocks } from "./clock.js";
import { h } from "./dom.js";
import { game } from "./game.js";
import { click } from "./sound.js";
import { choose, setting } from "./store.js";

const PACES = { Slow: 1200, Normal: 300, Fast: 0 };

export function optionsPanel() {
  const box = (name, words, done = () => {}) => {
    const input = h("input", { type: "checkbox", checked: setting(name), "data-setting": name, onchange: () => { choose(name, input.checked); done(); } });
    return h("label", { class: "check" }, h("span", {}, words), input);
  };
  const list = (words, values, chosen, done, name) => {
    const input = h("select", { "data-setting": name, onchange: () => done(input.value) }, values.map(([value, text]) => h("option", { value, selected: String(value) === String(chosen) }, text)));
    return h("label", { class: "check" }, h("span", {}, words), input);
  };
  const minutes = MINUTES.map((one) => [one, one ? `${one} ${one === 1 ? "minute" : "minutes"} each` : "off"]);
  const element = h(
    "details",
    { class: "card options" },
    h("summary", {}, "Options"),
    box("varied", "Players vary their first moves"),
    list("Clocks", minutes, setting("clock"), (value) => { choose("clock", Number(value)); clocks.reset(); }, "clock"),
    box("sound", "Sound for each move", () => setting("sound") && click()),
    list("Speed when two players play each other", Object.entries(PACES).map(([name, value]) => [value, name]), game.pace, (value) => (game.pace = Number(value)), "pace"),
    list("Columns of Gomoku", [["I", "A to O, with I"], ["no I", "without I, as in Go"]], setting("letters"), (value) => { choose("letters", value); location.reload(); }, "letters"),
  );
  return { element };
}
