// Finds all syntax errors of a script: removes the statement around each error and parses the remaining script
// again. The removed text ends where the next statement seems to start. When the removed statement has a block,
// the block is kept as the block of an `if`, so that errors in the block are found, too.

import type { Script } from "./ast.ts";
import { type HelpAt, helpWith } from "./hints.ts";
import { lex, lexFrom, type Tokens } from "./lexer.ts";
import { tryParse } from "./parse.ts";
import type { Source } from "./source.ts";
import type { Letter, Mistake, Token } from "./token.ts";

export interface Recovered {
  readonly mistakes: readonly (Mistake & { readonly help: HelpAt })[];
  /** The syntax tree of the script without the wrong statements; null when nothing could be parsed. */
  readonly script: Script | null;
}

/** Largest number of statements that are removed from a script. */
const maxRounds = 100;

export function parseAll(source: Source): Recovered {
  const mistakes: (Mistake & { readonly help: HelpAt })[] = [];
  let tokens = lex(source.text);
  for (let round = 0; round < maxRounds; round++) {
    const parsed = tryParse(source, tokens);
    if (!("message" in parsed)) return { mistakes, script: parsed.script };
    const help = helpWith(source, tokens.list, parsed);
    // Removing a statement with an error may also remove the closing bracket of a bracket that remains. The parser then
    // reports the remaining bracket as unclosed. This error is left out, because the author did nothing wrong there.
    const isGone = parsed.message.startsWith("unclosed left") && help.at === undefined && mistakes.length > 0;
    const isKnown = isGone || (help.at !== undefined && mistakes.some((each) => each.help.at === help.at));
    if (!isKnown && !isFollowUp(source, mistakes.at(-1), parsed)) mistakes.push({ ...parsed, help });
    const repaired = repair(source.text, tokens, parsed.token);
    if (repaired === null) break;
    tokens = repaired;
  }
  return { mistakes, script: null };
}

/**
 * Returns whether the error is on the same line as the previous error. In most cases the previous error is then
 * the cause of this error.
 */
function isFollowUp(source: Source, before: Mistake | undefined, { at }: Mistake): boolean {
  return before !== undefined && source.position(at).ln <= source.position(before.at).ln;
}

/**
 * Returns the tokens without the statement around the token with index `stop`; null when there is nothing left to
 * remove.
 */
function repair(text: string, { list, error }: Tokens, stop: number): Tokens | null {
  if (list[stop]?.letter === "?") {
    const lineEnd = text.indexOf("\n", list[stop]!.at);
    if (lineEnd >= 0) return resumed(text, list, stop, lineEnd);
    list = list.slice(0, stop);
    error = null;
  }
  const start = walk(list, stop).start;
  const end = statementEnd(list, start);
  if (start === end) {
    if (stop < list.length) return { list: list.toSpliced(stop, 1), error };
    const { blocks } = walk(list, stop);
    return blocks === 0 ? null : { list: [...list, ...marks("}".repeat(blocks), text.length)], error };
  }
  return { list: list.toSpliced(start, end - start, ...headInstead(list, start, end)), error };
}

/** Returns the tokens without the line that contains a lexical error. */
function resumed(text: string, list: readonly Token[], stop: number, lineEnd: number): Tokens {
  const start = walk(list, stop).start;
  const rest = lexFrom(text, lineEnd);
  const line = text.slice(list[stop]!.at, lineEnd).trimEnd();
  const head = line.endsWith("{") ? [...headFor(list[start]), ...marks("{", lineEnd - 1)] : [];
  return { list: [...list.slice(0, start), ...head, ...rest.list], error: rest.error };
}

/**
 * Returns the tokens that replace the beginning of a removed statement, so that its block can still be parsed; no
 * tokens when the statement has no block.
 */
function headInstead(list: readonly Token[], start: number, end: number): Token[] {
  return list[end]?.letter === "{" ? headFor(list[start]) : [];
}

function headFor(first: Token | undefined): Token[] {
  const letters = first?.letter === "e" ? "e" : first?.letter === "l" ? "lT" : "fT";
  return marks(letters, first?.at ?? 0);
}

function marks(letters: string, at: number): Token[] {
  return [...letters].map((letter) => ({ letter, at, end: at }));
}

const openers = "([{";
const closers = ")]}";
/**
 * The tokens after which a line break does not end the statement, one letter for each kind of token (see token.ts).
 */
const continued = ",=AEXLG<>+-*/%&|I([{";

interface Walked {
  /** Number of blocks that are open at the token at which the function `walk` stopped reading tokens. */
  readonly blocks: number;
  /** Index of the first token of the statement in which the function `walk` stopped reading tokens. */
  readonly start: number;
}

/**
 * Reads the tokens before index `stop`. Returns how many blocks are open at `stop`, and the index at which the current
 * statement starts.
 */
function walk(list: readonly Token[], stop: number): Walked {
  /** For each bracket that is open at the current token: whether the bracket opens a block. */
  const open: boolean[] = [];
  /** Number of open brackets that do not open a block. */
  let others = 0;
  let start = 0;
  for (let at = 0; at < stop; at++) {
    const { letter } = list[at]!;
    const goesOn = at > start && continued.includes(list[at - 1]!.letter);
    if (openers.includes(letter)) {
      const isBlock = letter === "{" && others === 0 && (!goesOn || isBlockOf(list, start, at));
      open.push(isBlock);
      if (isBlock) start = at + 1;
      else others++;
    } else if (closers.includes(letter)) {
      if (open.pop() === false) others--;
      else start = at + 1;
    } else if (others === 0 && endsStatement(list, start, letter, goesOn)) start = at + 1;
  }
  return { blocks: open.length - others, start };
}

/**
 * Returns whether the brace opens a block. After an operator a brace opens a map literal, unless the brace ends the
 * line of an `if` or `for`.
 */
function isBlockOf(list: readonly Token[], start: number, at: number): boolean {
  return "fler".includes(list[start]!.letter) && list[at + 1]?.letter === "n";
}

/** Returns whether the token ends the statement. Semicolons in the head of a `for` do not end a statement. */
function endsStatement(list: readonly Token[], start: number, letter: Letter, goesOn: boolean): boolean {
  return (letter === "n" && !goesOn) || (letter === ";" && list[start]!.letter !== "r");
}

/**
 * Returns the index of the token that ends the statement which starts at index `start`: a line break, `;`, the start of
 * a block, or the end of a block.
 */
function statementEnd(list: readonly Token[], start: number): number {
  const open: Letter[] = [];
  for (let at = start; at < list.length; at++) {
    const { letter } = list[at]!;
    const goesOn = at > start && continued.includes(list[at - 1]!.letter);
    if (openers.includes(letter)) {
      if (letter === "{" && open.length === 0 && (!goesOn || isBlockOf(list, start, at))) return at;
      open.push(letter);
    } else if (closers.includes(letter)) {
      if (open.length === 0) return at;
      open.pop();
    } else if (open.length === 0) {
      if (endsStatement(list, start, letter, goesOn)) return at;
    } else if (letter === "n" && !goesOn && !goesOnBehind(list, at, open.at(-1)!)) return at;
  }
  return list.length;
}

/**
 * Returns whether the open bracket continues after a line break, that is, whether the next line begins with a comma or
 * closes the bracket.
 */
function goesOnBehind(list: readonly Token[], at: number, opener: Letter): boolean {
  while (list[at]?.letter === "n") at++;
  const next = list[at]?.letter;
  return next === "," || next === closers[openers.indexOf(opener)];
}
