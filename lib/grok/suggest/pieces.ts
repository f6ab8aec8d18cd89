// Turns the columns of an alignment into the pieces (parts) of a grok expression, and writes pieces as an expression.

import type { FieldType } from "../patterns.ts";
import type { Column } from "./align.ts";
import { isHead, isPlain } from "./heads.ts";
import { type Kind, type KindMatcher, kindOf, literalExpression } from "./kinds.ts";
import { nameOf } from "./names.ts";
import { isLevels, type Segment } from "./segment.ts";
import type { Token } from "./tokens.ts";

/** One form that a piece (a part of the expression) may have: a literal text, white space, or a value of a kind. */
export interface Choice {
  /** The kind of this form: `literal`, `space`, or a kind of value such as `ip`, `int`, `date`, `word` or `text`. */
  readonly kind: string;
  /**
   * Name of the built-in pattern that matches this form; null for literal text and for kinds that have only an
   * expression.
   */
  readonly pattern: string | null;
  /** The grok expression that matches this form, without the name of a field. */
  readonly expression: string;
  /** The type of the field that captures the value. */
  readonly type: FieldType;
  /** Description for people of the texts that this form matches, such as `an IP address (v4 or v6)`. */
  readonly text: string;
}

/** One piece (part) of a suggested expression. The type `Piece` adds the texts of the lines that the piece matches. */
export interface PieceChoice {
  /** The forms that this part of the expression may have, from the most specific to the most general. */
  readonly choices: readonly Choice[];
  /** Index in `choices` of the form that the expression uses. */
  readonly choice: number;
  /** Name of the field that captures the value; null when the value is not captured. */
  readonly name: string | null;
  /**
   * Text that some lines have in place of the value: `-`, or the empty string when the value is absent. Null when every
   * line has a value.
   */
  readonly missing: "-" | "" | null;
  /**
   * Number of the optional part `(?:...)?` that contains this part of the expression, counted within the expression;
   * null outside of optional parts.
   */
  readonly optional: number | null;
}

/** A piece (part) of an expression whose field has no name yet. */
export interface Draft extends PieceChoice {
  /** The values that the sample lines have at this part of the expression; empty for punctuation and spaces. */
  readonly texts: readonly string[];
  readonly enclosed: boolean;
  /** Whether this part of the expression is a key before a value, such as `user=`. */
  readonly isKey: boolean;
}

/**
 * Makes the pieces (parts) of an expression from the columns of an alignment. `segments` determines which
 * columns are kept, which are optional, and which become free text.
 */
export function piecesOf(
  columns: readonly Column[],
  segments: readonly Segment[],
  matcher: KindMatcher,
): PieceChoice[] {
  const drafts: Draft[] = [];
  let optional = 0;
  segments.forEach(({ use, from, to }, index) => {
    const part = use === "optional" ? optional++ : null;
    const own = columns.slice(from, to);
    const next = columns[to];
    if (use === "text") drafts.push(...freeText(own, index === segments.length - 1, matcher));
    else
      own.forEach((column, at) => {
        drafts.push(...spaces(column, part));
        drafts.push(valueOrLiteral(column, own[at + 1] ?? next, part, matcher, isHead(columns, from + at)));
      });
  });
  const joined = joinLiterals(drafts);
  const used = new Set<string>();
  const names: (string | null)[] = [];
  for (const at of joined.keys()) names.push(nameOf(joined, at, names, used));
  return joined.map(({ choices, choice, missing, optional: part }, at) => ({
    choices,
    choice,
    missing,
    optional: part,
    name: names[at] as string | null,
  }));
}

function literal(text: string): Choice {
  return {
    kind: "literal",
    pattern: null,
    expression: literalExpression(text),
    type: "string",
    text: `the text ${JSON.stringify(text)}`,
  };
}

function choiceOf({ name, pattern, expression, type, text }: Kind): Choice {
  return { kind: name, pattern, expression, type, text };
}

const plain = {
  choice: 0,
  name: null,
  missing: null,
  optional: null,
  texts: [],
  enclosed: false,
  isKey: false,
} as const;

function spaces(column: Column, optional: number | null): Draft[] {
  const texts = new Set(column.filter((token) => token !== null).map(({ before }) => before));
  return spacePiece(texts, optional);
}

function spacePiece(texts: ReadonlySet<string>, optional: number | null): Draft[] {
  const [first = ""] = texts;
  if (texts.size === 1 && first === "") return [];
  const blank = [...texts].every((text) => /^ *$/.test(text)) ? " " : "\\s";
  const space = (expression: string, text: string): Choice => ({
    kind: "space",
    pattern: null,
    expression,
    type: "string",
    text,
  });
  const some = space(`${blank}+`, "one space or more");
  const any = space(`${blank}*`, "spaces, or none");
  if (texts.size === 1) return [{ ...plain, optional, choices: [literal(first), some, any] }];
  return [{ ...plain, optional, choices: texts.has("") ? [any] : [some, any] }];
}

function freeText(columns: readonly Column[], isLast: boolean, matcher: KindMatcher): Draft[] {
  const [{ length: lines }] = columns as [Column];
  const before = new Set<string>();
  const texts: string[] = [];
  for (let line = 0; line < lines; line++) {
    const own = columns.map((column) => column[line]).filter((token) => token !== null) as Token[];
    before.add(own[0]?.before ?? "");
    if (own.length > 0) texts.push(own.map((token, at) => (at === 0 ? "" : token.before) + token.text).join(""));
  }
  const choices = ["text", "rest", "lines"].map((name) => choiceOf(kindOf(name)));
  const isLong = !matcher.matches("%{GREEDYDATA}", texts);
  const choice = isLong ? 2 : isLast ? 1 : 0;
  return [...spacePiece(before, null), { ...plain, choices, choice, texts }];
}

function valueOrLiteral(
  column: Column,
  next: Column | undefined,
  optional: number | null,
  matcher: KindMatcher,
  isField: boolean,
): Draft {
  const own = column.filter((token) => token !== null);
  const [first] = own as [Token];
  if (first.kind === "fixed" || first.kind === "key")
    return { ...plain, optional, choices: [literal(first.text)], isKey: first.kind === "key" };
  const values = own.filter(({ kind }) => kind !== "missing" && kind !== "empty");
  const texts = values.map(({ text }) => text);
  const enclosed = own.some((token) => token.enclosed);
  const common = { ...plain, optional, texts, enclosed };
  if (values.length === 0 && !enclosed) {
    const [missing, any] = [literal(first.text), choiceOf(kindOf(first.kind === "empty" ? "text" : "token"))];
    return { ...common, choices: [missing, any] };
  }
  const touches = next?.some((token) => token !== null && token.before === "" && token.kind === "fixed") === true;
  const { choices, choice } = kindsFor(
    values,
    touches || enclosed ? ["text"] : next === undefined ? ["token", "rest"] : ["token", "text"],
    matcher,
  );
  const isSame = own.length > 1 && values.length === own.length && new Set(texts).size === 1;
  const missing = own.length === values.length ? null : own.some(({ kind }) => kind === "missing") ? "-" : "";
  const chosen = choices[choice] as Choice;
  const covers = missing !== null && matcher.matches(chosen.expression, [missing]);
  const all = isSame ? [literal(first.text), ...choices] : choices;
  const isWord = isSame && !enclosed && !isField && isPlain(first);
  return {
    ...common,
    choices: all,
    choice: isWord ? 0 : choice + (isSame ? 1 : 0),
    missing: covers ? null : missing,
  };
}

/**
 * Returns the kinds to which all of the values belong, and the index of the kind to suggest: the most specific kind
 * that is plausible for these values.
 */
function kindsFor(
  values: readonly Token[],
  general: readonly string[],
  matcher: KindMatcher,
): { readonly choices: Choice[]; readonly choice: number } {
  const texts = values.length === 0 ? [""] : values.map(({ text }) => text);
  const choices = matcher
    .kindsOf(texts)
    .map(choiceOf)
    .map((choice) => exactType(choice, texts));
  const seen = new Set(values.map(({ kind }) => kind));
  if (seen.size === 1 && seen.has("method")) choices.unshift(choiceOf(kindOf("method")));
  if (seen.size === 1 && seen.has("date")) {
    const layouts = [...new Set(values.map(({ layout }) => layout))].map((each) => kindOf("date", each));
    const date = { ...choiceOf(layouts[0] as Kind), expression: layouts.map((each) => each.expression).join("|") };
    const known = choices.findIndex(({ expression }) => expression === date.expression);
    if (known >= 0) return { choices, choice: known };
    if (matcher.matches(date.expression, texts))
      return { choices: [{ ...date, pattern: null }, ...choices], choice: 0 };
  }
  const smallest = isName(values) ? [] : smallestKinds(seen);
  const wanted = [...smallest, ...general, "rest", "lines"];
  const kind = wanted.find((name) => choices.some((choice) => choice.kind === name));
  return { choices, choice: choices.findIndex((choice) => choice.kind === kind) };
}

/**
 * Returns whether the values are names in brackets, such as names of threads. Such names may contain spaces in other
 * lines, so a kind without spaces should not be suggested.
 */
function isName(values: readonly Token[]): boolean {
  return (
    values.every(
      ({ kind, text, enclosed }) => enclosed && /^(?:word|token)$/.test(kind) && !/^[A-Z]+-?\d+$/.test(text),
    ) && !isLevels(values)
  );
}

/**
 * Returns the kinds to suggest for a column, the most specific first. `seen` contains the kinds of the column's
 * values.
 */
function smallestKinds(seen: ReadonlySet<string>): string[] {
  const isOf = (...names: string[]) => [...seen].every((kind) => names.includes(kind));
  if (seen.size === 1) {
    const [only] = seen as unknown as [string];
    if (only === "int") return ["int", "float"];
    return only === "hex" || only === "level" || only === "method" ? [only, "word"] : [only];
  }
  if (isOf("int", "float")) return ["float"];
  if (isOf("int", "hex")) return ["hex"];
  if (isOf("ip", "host", "word", "token") && (seen.has("ip") || seen.has("host"))) return ["iporhost"];
  return seen.has("text") ? [] : ["word"];
}

/**
 * Returns the given form of a piece (a part of the expression), but with the type string in place of int when an int
 * would not keep one of the texts exactly: the text has a leading 0 (which means octal) or more than 18 digits.
 */
function exactType(choice: Choice, texts: readonly string[]): Choice {
  const changes = choice.type === "int" && texts.some((text) => /^[+-]?(?:0\d|\d{19})/.test(text));
  return changes ? { ...choice, type: "string" } : choice;
}

/**
 * Joins neighbouring pieces (parts of the expression) that are literal text, such as punctuation and a single space, to
 * one piece.
 */
function joinLiterals(drafts: readonly Draft[]): Draft[] {
  const joined: Draft[] = [];
  for (const draft of drafts) {
    const last = joined.at(-1);
    const both = last !== undefined && isFixed(last) && isFixed(draft) && last.optional === draft.optional;
    if (!both) joined.push(draft);
    else {
      const text = literalText(last) + literalText(draft);
      joined[joined.length - 1] = { ...plain, optional: draft.optional, choices: [literal(text)], isKey: draft.isKey };
    }
  }
  return joined;
}

function isFixed({ choices, choice, texts }: Draft): boolean {
  return choices[choice]?.kind === "literal" && texts.length === 0;
}

/** Returns the text of a literal piece (part of the expression); empty for other pieces. */
export function literalText({ choices, choice }: PieceChoice): string {
  const { kind, expression } = choices[choice] as Choice;
  return kind === "literal" ? expression.replace(/\\([\s\S])/g, "$1") : "";
}

/** Returns the grok expression of one piece (part of the whole expression). */
export function expressionOfPiece({ choices, choice, name, missing }: PieceChoice): string {
  const { kind, pattern, expression, type } = choices[choice] as Choice;
  if (kind === "literal" || kind === "space") return expression;
  let own = expression;
  if (name !== null && pattern !== null) own = `%{${pattern}:${name}${type === "string" ? "" : `:${type}`}}`;
  else if (name !== null) own = `(?P<${name}>${expression})`;
  else if (pattern === null) own = `(?:${expression})`;
  if (missing === "-") return `(?:${own}|-)`;
  return missing === "" ? `(?:${own})?` : own;
}

/**
 * Joins the pieces (parts) to a grok expression, from `^` to `$`, so that it matches only whole lines. `wrap` may
 * change the expression of each piece, for example put it into a group.
 */
export function expressionOfPieces(
  pieces: readonly PieceChoice[],
  wrap: (expression: string, piece: number) => string = (expression) => expression,
): string {
  let expression = "^";
  let open: number | null = null;
  pieces.forEach((piece, at) => {
    if (open !== null && piece.optional !== open) expression += ")?";
    if (piece.optional !== null && piece.optional !== open) expression += "(?:";
    open = piece.optional;
    expression += wrap(expressionOfPiece(piece), at);
  });
  return `${expression}${open === null ? "" : ")?"}$`;
}
