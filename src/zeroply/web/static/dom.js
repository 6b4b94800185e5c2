// Small helpers to make HTML and SVG elements; nothing is ever made from strings of markup.

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element: h("button", { class: "main", onclick: play }, "Play"). */
export function h(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/** An SVG element. */
export function svg(tag, properties = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "selected") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Replaces what is inside an element. */
export function put(element, ...children) {
  element.replaceChildren(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Replaces a list of links; the link that had the keyboard's focus has it again. */
export function putLinks(list, ...children) {
  const held = list.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  put(list, ...children);
  if (held) [...list.querySelectorAll("a")].find((link) => link.getAttribute("href") === held)?.focus();
}

/** Marks the one of some links that leads to what is shown. */
export function mark(links, href, how = "true") {
  for (const link of links) {
    if (link.getAttribute("href") === href) link.setAttribute("aria-current", how);
    else link.removeAttribute("aria-current");
  }
}

let last = 0;
/** A new id for elements that refer to each other. */
export function newId(prefix) {
  last += 1;
  return `${prefix}-${last}`;
}

let timer = 0;
/** Says something that must not be missed, in the bar at the top, where it covers nothing. */
export function say(message, kind = "problem") {
  const toast = document.getElementById("toast");
  put(toast, h("p", { class: kind }, message, h("button", { type: "button", class: "quiet", "aria-label": "Close message", onclick: () => put(toast) }, "✕")));
  clearTimeout(timer);
  timer = setTimeout(() => put(toast), 7000);
}
