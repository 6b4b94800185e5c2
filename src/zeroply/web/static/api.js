// Requests to the server, which stores no games: every request contains the whole game. `transport.js` carries them.

import { ask, stream } from "./transport.js";

export { ApiError } from "./transport.js";

const get = (path) => ask(path);
const post = (path, body) => ask(path, body);

export const games = () => get("games");
export const players = (game) => get(`players?game=${encodeURIComponent(game)}`);
export const position = (where) => post("position", where);
export const move = (where, player, seed, varied) => post("move", { ...where, player, seed, varied });
export const hints = (where) => post("hints", where);
export const checkPlayer = (game, player) => get(`player?game=${encodeURIComponent(game)}&player=${encodeURIComponent(player)}`);
export const preferences = (where, player) => post("preferences", { ...where, player });
export const inside = (where, player) => post("inside", { ...where, player });
export const exact = (where) => post("exact", where);
export const review = (where, deep, online, signal) => stream("review", { ...where, deep }, online, signal);
export const graph = (where) => post("graph", where);
export const runs = () => get("runs");
export const run = (id) => get(`runs/${encodeURIComponent(id)}`);
export const curves = (id, after, reading) => get(`runs/${encodeURIComponent(id)}/curves?after=${after}&reading=${encodeURIComponent(reading)}`);
export const ciao = (id) => get(`runs/${encodeURIComponent(id)}/ciao`);
export const studies = () => get("studies");
export const study = (id) => get(`studies/${encodeURIComponent(id)}`);
export const figure = (id, name) => `/api/studies/${encodeURIComponent(id)}/figures/${encodeURIComponent(name)}`;
