// Text to syntax tree (pipeline document, sections 1 and 2). Each bracket's inside is parsed on its own, from a list
// of work; of all mistakes found the leftmost counts.

import type { Script, Statement } from "./ast.ts";
import { foldBrackets, type Group } from "./brackets.ts";
import { ScriptFailure } from "./errors.ts";
import { SyntaxError as GrammarError, parse as parseLetters } from "./grammar.js";
import { lex, type Tokens } from "./lexer.ts";
import type { Source } from "./source.ts";
import { tokenName } from "./token.ts";
import { Tree } from "./tree.ts";

/** Brackets inside of brackets. */
export const maxNesting = 25_000;

/** Throws ScriptFailure with the first mistake. */
export function parseScript(source: Source): Script {
  const tokens = lex(source.text);
  const groups = foldBrackets(tokens.list);
  const tree = new Tree(source.text, tokens.list);
  const statements: { result: unknown } = { result: null };
  const work: { group: Group; rule: string; into: { result: unknown } }[] = [
    { group: groups.script, rule: "$", into: statements },
  ];
  /** The leftmost token that no script can go on with. */
  let stop = Number.POSITIVE_INFINITY;
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    stop = Math.min(stop, parseGroup(tree, next.group, next.rule, next.into));
    for (const [token, inside] of take(tree)) {
      const group = groups.inner.get(token)!;
      if (group.depth > maxNesting) {
        throw new ScriptFailure("nesting too deep", [source.position(tokens.list[token]!.at)]);
      }
      if (token < stop) work.push({ group, rule: inside.rule, into: inside });
    }
  }
  fail(source, tokens, tree, stop);
  tree.finish();
  return { file: source.file, source: source.text, statements: statements.result as Statement[] };
}

/** The brackets met in the run that just ended: each belongs to one run only. */
function take(tree: Tree) {
  const met = [...tree.insides];
  tree.insides.clear();
  return met;
}

/** The token where it fails; infinity when it does not. */
function parseGroup(tree: Tree, group: Group, rule: string, into: { result: unknown }): number {
  tree.enter(group);
  try {
    into.result = parseLetters(rule + group.letters.slice(1), { tree });
    return Number.POSITIVE_INFINITY;
  } catch (error) {
    if (!(error instanceof GrammarError)) throw error;
    return tree.tokenIndex(error.location.start.offset);
  }
}

/** A lexical error wins at its own token, then a mistake found while the tree was made, then the syntax error. */
function fail(source: Source, tokens: Tokens, tree: Tree, stop: number): void {
  const token = tokens.list[stop];
  const mistake = tree.error;
  if (mistake !== null && (mistake.token < stop || (mistake.token === stop && token?.letter !== "?"))) {
    throw new ScriptFailure(mistake.message, [source.position(mistake.at)]);
  }
  if (stop === Number.POSITIVE_INFINITY) return;
  if (token?.letter === "?") {
    throw new ScriptFailure(tokens.error!.message, [source.position(tokens.error!.at)]);
  }
  const at = token?.at ?? source.text.length;
  throw new ScriptFailure(`unexpected: ${tokenName(token, source.text)}`, [source.position(at)]);
}
