// The build bundles this file into xpath-bundle.js: the XPath parser and evaluator of the package `xpath`, with
// corrected node sets. In the package, adding a node to a node set compares the node with every node of the set.
// Also, the nodes in parentheses before a predicate are not sorted, so `(//a)[1]` need not be the first node.
// The methods below use a Set to find a node, and sort nodes by their position in the document.

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
