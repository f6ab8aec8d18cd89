// Parses a script to a syntax tree (docs/reference/language.md#source-text). One run of the grammar parses the contents
// of all brackets at one nesting depth. When several errors are found, the leftmost one is reported.

import type { Script, Statement } from "./ast.ts";
import { foldBrackets } from "./brackets.ts";
import { ScriptFailure } from "./errors.ts";
import { SyntaxError as GrammarError, parse as parseLetters } from "./grammar.js";
import { helpIn, helpWith } from "./hints.ts";
import { lex, type Tokens } from "./lexer.ts";
import type { Source } from "./source.ts";
import { type Mistake, type Token, tokenName } from "./token.ts";
import { type Rule, type Task, Tree } from "./tree.ts";

/** Largest nesting depth of brackets in a script; deeper nesting is an error. */
export const maxNesting = 25_000;

/** A parsed script with its tokens. */
export interface Parsed {
  readonly script: Script;
  readonly tokens: readonly Token[];
  /** The type of each bracket (block, call, list, ...), by the index of the bracket's opening token. */
  readonly brackets: ReadonlyMap<number, Rule>;
}

/** Parses a script. Throws ScriptFailure with the leftmost error. */
export function parseScript(source: Source): Script {
  return parseTokens(source).script;
}

/** Parses a script and returns its tokens, too. Throws ScriptFailure with the leftmost error. */
export function parseTokens(source: Source): Parsed {
  const tokens = lex(source.text);
  const parsed = tryParse(source, tokens);
  if (!("message" in parsed)) return parsed;
  const help = helpIn(source, helpWith(source, tokens.list, parsed));
  throw new ScriptFailure(parsed.message, [source.position(parsed.at)], help);
}

export function tryParse(source: Source, tokens: Tokens): Parsed | Mistake {
  const groups = foldBrackets(tokens.list);
  const tree = new Tree(source.text, tokens.list);
  const statements: { result: unknown } = { result: null };
  const brackets = new Map<number, Rule>();
  /**
   * Index of the leftmost token with an error: no valid script begins with the tokens up to and including this
   * token.
   */
  let stop = Number.POSITIVE_INFINITY;
  // The contents of brackets are parsed level by level: first the script's outermost level, then the contents of
  // its brackets, then the contents of the brackets inside these, and so on. Within one level, brackets are parsed
  // from left to right.
  for (let depth: Task[] = [{ rule: "$", group: groups.script, into: statements }]; depth.length > 0; ) {
    stop = Math.min(stop, parseGroups(tree, depth));
    depth = [];
    for (const [token, inside] of tree.takeInsides()) {
      const group = groups.inner.get(token)!;
      if (group.depth > maxNesting) return { message: "nesting too deep", at: tokens.list[token]!.at, token };
      brackets.set(token, inside.rule);
      if (token < stop) depth.push({ rule: inside.rule, group, into: inside });
    }
  }
  const mistake = leftmost(source, tokens, tree, stop);
  if (mistake !== null) return mistake;
  tree.finish();
  const script = { file: source.file, source: source.text, statements: statements.result as Statement[] };
  return { script, tokens: tokens.list, brackets };
}

/**
 * Parses groups (contents of brackets). Returns the index of the token with the first error; infinity when there is no
 * error. Nothing after an error is parsed, because only the leftmost error is reported.
 */
function parseGroups(tree: Tree, tasks: readonly Task[]): number {
  tree.begin(tasks);
  let letters = "";
  for (const { rule, group } of tasks) letters += `${rule}${group.letters}~`;
  try {
    parseLetters(letters, { tree });
    return Number.POSITIVE_INFINITY;
  } catch (error) {
    if (!(error instanceof GrammarError)) throw error;
    return tree.tokenIndex(error.location.start.offset);
  }
}

/**
 * Returns the leftmost error. When several errors are at the same token, a lexical error takes precedence, then an
 * error found while the tree was made, then the syntax error.
 */
function leftmost(source: Source, tokens: Tokens, tree: Tree, stop: number): Mistake | null {
  const token = tokens.list[stop];
  const mistake = tree.error;
  if (mistake !== null && (mistake.token < stop || (mistake.token === stop && token?.letter !== "?"))) return mistake;
  if (stop === Number.POSITIVE_INFINITY) return null;
  if (token?.letter === "?") return { ...tokens.error!, token: stop };
  const at = token?.at ?? source.text.length;
  return { message: `unexpected: ${tokenName(token, source.text)}`, at, token: stop };
}
