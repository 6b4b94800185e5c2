// A short click for each move, an option that is off by default. The sound is made here; no file is loaded.

import { game } from "./game.js";
import { setting } from "./store.js";

let context = null;
let heard = null;

game.addEventListener("change", () => {
  const before = heard;
  heard = game.current;
  if (setting("sound") && before && heard !== before && heard.parent) click(heard.position?.over);
});

/** A knock, lower at the end of a game. */
export function click(last = false) {
  context ??= new AudioContext();
  const at = context.currentTime;
  const tone = context.createOscillator();
  const volume = context.createGain();
  tone.type = "triangle";
  tone.frequency.setValueAtTime(last ? 330 : 520, at);
  tone.frequency.exponentialRampToValueAtTime(last ? 165 : 260, at + 0.06);
  volume.gain.setValueAtTime(0.25, at);
  volume.gain.exponentialRampToValueAtTime(0.001, at + (last ? 0.35 : 0.09));
  tone.connect(volume).connect(context.destination);
  tone.start(at);
  tone.stop(at + 0.4);
}
