// The build bundles this file into xpath-bundle.js: the XPath parser and evaluator of the package `xpath`, with the node sets
// put right. Theirs look for a node by walking the set, give it unsorted to predicates in parentheses, so that
// `(//a)[1]` is not the first one, and sort by a tree; these keep a Set and sort by the position of a node.

import xpath from "xpath";

const { XNodeSet } = xpath;

Object.assign(XNodeSet.prototype, {
  add(node) {
    this.known ??= new Set();
    if (this.known.has(node)) return;
    this.known.add(node);
    this.nodes.push(node);
    this.size += 1;
    this.isSorted = false;
  },
  toArray() {
    if (!this.isSorted) this.nodes.sort((a, b) => a.position - b.position);
    this.isSorted = true;
    return this.nodes.slice();
  },
  toUnsortedArray() {
    return this.toArray();
  },
  first() {
    return this.toArray()[0] ?? null;
  },
});

export const { parse, XNodeSet: NodeSet } = xpath;
