// Finds the groups of an expanded expression that need no parsing: each reference became a group around its
// definition's text, and a definition is parsed once, however many expressions refer to it.

import { type KnownGroup, parse } from "../regex/syntax/parse.ts";
import { type Node, RegexSyntaxError } from "../regex/syntax/tree.ts";
import type { Expansion } from "./patterns.ts";

/** Returns groups of the expansion's regex with the trees of their content, from left to right. */
export function knownGroups(expansion: Expansion): readonly KnownGroup[] {
  const groups: KnownGroup[] = [];
  gather(expansion, 0, groups);
  return groups;
}

/** Collects the groups; `offset` is where the expansion begins in the whole regex. */
function gather({ references }: Expansion, offset: number, groups: KnownGroup[]): void {
  for (const { body, group, definition } of references ?? []) {
    const root = treeOf(definition);
    if (root === null) gather(definition, offset + body, groups);
    else groups.push({ at: offset + body, to: offset + group[1] - 1, root });
  }
}

const trees = new WeakMap<Expansion, Node | null>();

/**
 * Returns the tree of a definition. Returns null when the definition has another meaning inside an expression, or
 * cannot be parsed on its own.
 */
function treeOf(definition: Expansion): Node | null {
  let tree = trees.get(definition);
  if (tree === undefined) {
    tree = DEPENDS.test(definition.regex) ? null : parsed(definition);
    trees.set(definition, tree);
  }
  return tree;
}

/**
 * Constructs that depend on the expression around: a named group is numbered by the groups before it, and an open
 * quotation goes on behind the definition.
 */
const DEPENDS = /\(\?P?<|\\Q/;

function parsed(definition: Expansion): Node | null {
  try {
    return parse(definition.regex, { namedOnly: true, known: knownGroups(definition) }).root;
  } catch (error) {
    // Parsing the whole expression reports the error with its place.
    if (error instanceof RegexSyntaxError) return null;
    throw error;
  }
}
