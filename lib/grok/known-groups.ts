// Finds the groups of an expanded grok expression that were already parsed for another expression. Expansion replaces
// each reference by a group with the pattern's definition; each definition is parsed once, even if many expressions
// refer to it.

import { type KnownGroup, parse } from "../regex/syntax/parse.ts";
import { type Node, RegexSyntaxError } from "../regex/syntax/tree.ts";
import type { Expansion } from "./patterns.ts";

/**
 * Returns the groups of the expanded regex whose content was already parsed for another expression. The groups are in
 * order from left to right, each with the syntax tree of its content.
 */
export function knownGroups(expansion: Expansion): readonly KnownGroup[] {
  const groups: KnownGroup[] = [];
  gather(expansion, 0, groups);
  return groups;
}

/**
 * Adds to `groups` those groups of an expanded pattern definition whose content was already parsed for another
 * expression. `offset` is the index, in the expanded regex of the whole expression, at which the definition begins.
 */
function gather({ references }: Expansion, offset: number, groups: KnownGroup[]): void {
  for (const { body, group, definition } of references ?? []) {
    const root = treeOf(definition);
    if (root === null) gather(definition, offset + body, groups);
    else groups.push({ at: offset + body, to: offset + group[1] - 1, root });
  }
}

const trees = new WeakMap<Expansion, Node | null>();

/**
 * Returns the syntax tree of a pattern definition. Returns null when the definition would have another meaning inside
 * an expression, or when it cannot be parsed on its own.
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
 * Matches constructs whose meaning depends on the text around the definition. A definition with such a construct
 * cannot be parsed without this text: a named group gets its number from the groups before it, and an open `\Q`
 * quotation continues after the definition.
 */
const DEPENDS = /\(\?P?<|\\Q/;

function parsed(definition: Expansion): Node | null {
  try {
    return parse(definition.regex, { namedOnly: true, known: knownGroups(definition) }).root;
  } catch (error) {
    // A syntax error in a definition is reported later, when the whole expression is parsed and the error's position in
    // the expression is known.
    if (error instanceof RegexSyntaxError) return null;
    throw error;
  }
}
