// A game as a tree of moves: the first child of a node continues its main line, the others are variations.
// Nothing here knows rules or shows anything. Written as text, a tree goes into links and into the browser's storage.

export const MOST_MOVES = 1000; // of one line, as the server limits them
const MOST_NODES = 5000;

/** A node is a move and the position after it; the root is the start. `next` is the child visited last. */
function makeNode(parent, cell) {
  return { parent, cell, colour: 0, children: [], next: null, note: "", ended: null, position: null, review: null };
}

export class GameTree {
  constructor() {
    this.root = makeNode(null, -1);
    this.current = this.root;
  }

  static ofMoves(cells) {
    const tree = new GameTree();
    for (const cell of cells) tree.play(cell);
    return tree;
  }

  /** The move `cell` after the current node, which becomes the current one; a known move is not added twice. */
  play(cell) {
    this.current = this.add(this.current, cell);
    return this.current;
  }

  /** The child with that move; added if there is none. */
  add(node, cell) {
    let child = node.children.find((one) => one.cell === cell);
    if (!child) {
      child = makeNode(node, cell);
      node.children.push(child);
    }
    node.next = child;
    return child;
  }

  /** Makes a node the current one; stepping forward from its ancestors then leads to it. */
  visit(node) {
    this.current = node;
    for (let at = node; at.parent; at = at.parent) at.parent.next = at;
  }

  /** The nodes from the first move to the given one. */
  path(node = this.current) {
    const nodes = [];
    for (let at = node; at.parent; at = at.parent) nodes.push(at);
    return nodes.reverse();
  }

  /** The line on display: the path to the current node, and on from there along the moves visited last. */
  line() {
    const nodes = this.path();
    for (let at = forward(this.current); at; at = forward(at)) nodes.push(at);
    return nodes;
  }

  /** All nodes without children. */
  leaves() {
    return this.nodes().filter((node) => !node.children.length);
  }

  /** All nodes in the order of their text, the root first. */
  nodes() {
    const found = [];
    const waiting = [this.root];
    while (waiting.length) {
      const node = waiting.pop();
      found.push(node);
      waiting.push(...[...node.children].reverse());
    }
    return found;
  }

  /** Takes a move and all after it out of the tree; returns what `restore` needs. */
  remove(node) {
    const { parent } = node;
    const place = parent.children.indexOf(node);
    parent.children.splice(place, 1);
    if (parent.next === node) parent.next = null;
    if (this.path().includes(node)) this.current = parent;
    return { node, place };
  }

  restore({ node, place }) {
    node.parent.children.splice(place, 0, node);
    this.visit(node);
  }

  /** Makes the line through a node the main line. */
  promote(node) {
    for (const one of this.path(node)) {
      const { children } = one.parent;
      children.splice(children.indexOf(one), 1);
      children.unshift(one);
    }
  }

  /** Whether a node is on the main line. */
  isMain(node) {
    return this.path(node).every((one) => one.parent.children[0] === one);
  }

  /** The tree as text: two characters for a move, brackets around variations, notes between braces. */
  write() {
    let text = "";
    const waiting = [this.root];
    while (waiting.length) {
      const item = waiting.pop();
      if (typeof item === "string") {
        text += item;
        continue;
      }
      text += written(item, item === this.current);
      if (item.children.length === 1) waiting.push(item.children[0]);
      else for (const child of [...item.children].reverse()) waiting.push(")", child, "(");
    }
    return text;
  }

  /** Reads what `write` wrote; throws an error if it is something else. */
  static read(text) {
    const tree = new GameTree();
    const tokens = /([0-9a-z]{2})|([()*])|\{([^{}]*)\}|!([rt])([12])|/gy;
    const branches = [];
    let node = tree.root;
    let current = null;
    let count = 0;
    for (let match = tokens.exec(text); match?.[0]; match = tokens.exec(text)) {
      const [, move, sign, note, how, loser] = match;
      if (move) {
        node = tree.add(node, Number.parseInt(move, 36));
        count += 1;
      } else if (sign === "(") branches.push(node);
      else if (sign === ")") node = branches.pop() ?? unreadable();
      else if (sign === "*") current = node;
      else if (how) node.ended = { loser: loser === "1" ? 1 : -1, how: how === "r" ? "resigns" : "time" };
      else node.note = decodeURIComponent(note);
      if (count > MOST_NODES) unreadable();
      if (tokens.lastIndex === text.length) {
        if (branches.length) unreadable();
        for (const one of tree.nodes()) one.next = one.children[0] ?? null;
        tree.visit(current ?? tree.line().at(-1) ?? tree.root);
        return tree;
      }
    }
    return text === "" ? tree : unreadable();
  }
}

/** The node that follows on the line visited last. */
export function forward(node) {
  return node.next ?? node.children[0] ?? null;
}

function written(node, isCurrent) {
  const move = node.parent ? node.cell.toString(36).padStart(2, "0") : "";
  const note = node.note ? `{${encodeURIComponent(node.note)}}` : "";
  const ended = node.ended ? `!${node.ended.how === "time" ? "t" : "r"}${node.ended.loser > 0 ? 1 : 2}` : "";
  return `${move}${note}${ended}${isCurrent ? "*" : ""}`;
}

function unreadable() {
  throw new Error("This is not the text of a game.");
}
