// The groups of an expanded expression that need no parsing: each reference became a group around its definition's text, and a
// definition is parsed once, however many expressions refer to it.

import { type KnownGroup, parse } from "../regex/syntax/parse.ts";
import { type Node, RegexSyntaxError } from "../regex/syntax/tree.ts";
import type { Expansion } from "./patterns.ts";

/** Groups of the expansion's regex with the trees of their insides, from left to right. */
export function knownGroups(expansion: Expansion): readonly KnownGroup[] {
  const groups: KnownGroup[] = [];
  gather(expansion, 0, groups);
  return groups;
}

/** `offset` is where the expansion begins in the regex at hand. */
function gather({ references }: Expansion, offset: number, groups: KnownGroup[]): void {
  for (const { body, group, definition } of references ?? []) {
    const root = treeOf(definition);
    if (root === null) gather(definition, offset + body, groups);
    else groups.push({ at: offset + body, to: offset + group[1] - 1, root });
  }
}

const trees = new WeakMap<Expansion, Node | null>();

/** Null for a definition that means something else inside of an expression, or nothing on its own. */
function treeOf(definition: Expansion): Node | null {
  let tree = trees.get(definition);
  if (tree === undefined) {
    tree = DEPENDS.test(definition.regex) ? null : parsed(definition);
    trees.set(definition, tree);
  }
  return tree;
}

/** Named groups are numbered by what stands before them; a quotation that is not closed goes on behind the definition. */
const DEPENDS = /\(\?P?<|\\Q/;

function parsed(definition: Expansion): Node | null {
  try {
    return parse(definition.regex, { namedOnly: true, known: knownGroups(definition) }).root;
  } catch (error) {
    // The mistake is told with its place in the whole expression.
    if (error instanceof RegexSyntaxError) return null;
    throw error;
  }
}
