// Functions that rewrite the string value of a key, and functions for the length of strings
// (docs/reference/functions.md).

import { trimSpace } from "../../../grok/trim.ts";
import { Regex, RegexSyntaxError } from "../../../regex/regex.ts";
import { isBytes } from "../../../text/bytes.ts";
import { characterAt, characterCount, indexBehind, isAscii } from "../../../text/characters.ts";
import { detachedSlice, mapJoined } from "../../../text/flat.ts";
import { byteLength } from "../../../text/utf8.ts";
import type { Evaluate } from "../../runtime/code.ts";
import { writeKey } from "../../runtime/point-access.ts";
import { detachString } from "../../runtime/state/detach.ts";
import { chargeWork, checkCopies, countPieces } from "../../runtime/step-charge.ts";
import { registerOperation } from "../../runtime/tape-operations.ts";
import { toText } from "../../runtime/to-text.ts";
import { isDict, isInt, isList, isText, textOf, VOID } from "../../runtime/value.ts";
import type { StringLiteral } from "../../syntax/ast.ts";
import { type Call, type Declaration, declare } from "../declare.ts";
import { isNumber, KEY, listText, literalOr } from "../nodes.ts";
import { regexHint } from "../regex-help.ts";

/** Cost of replacing one match, as the number of bytes that a search reads in the same time. */
const MATCH_WORK = 256;

/**
 * Returns code that rewrites the string value of a key. The code does nothing when the key is missing. `code` is the
 * operation by which the WebAssembly module makes the same change.
 */
function rewrite(call: Call, code: "lowercase" | "uppercase", change: (text: string) => string): Evaluate {
  const { key, read, mayBeVariable } = call.key(0);
  return registerOperation(mayBeVariable ? null : { code, key }, (run) => {
    const value = read(run);
    if (value !== undefined) writeKey(run, key, change(toText(value, run.memory)));
    return VOID;
  });
}

/**
 * Returns the simple (one-character) upper case of a character. For a Greek letter with iota subscript this is
 * the title case, because JavaScript's toUpperCase converts such a letter to two characters.
 */
function simpleUpper(c: string): string {
  const upper = c.toUpperCase();
  const code = c.codePointAt(0) as number;
  if (upper.length === (code > 0xffff ? 2 : 1) || [...upper].length === 1) return upper;
  if (/[\u1f80-\u1f87\u1f90-\u1f97\u1fa0-\u1fa7]/.test(c)) return String.fromCodePoint(code + 8);
  return /[\u1fb3\u1fc3\u1ff3]/.test(c) ? String.fromCodePoint(code + 9) : c;
}

function simpleLower(c: string): string {
  return c === "\u0130" ? "i" : c.toLowerCase();
}

export const uppercase = declare({
  name: "uppercase",
  summary: "Turns the text of a key to upper case.",
  params: [KEY],
  style: "positional",
  arity: { min: 1, max: 1, tooFew: "func uppercase expects 1 arg" },
  examples: [{ script: `uppercase(_)`, input: "straße é", gives: { message: "STRAßE É" } }],
  bind: (call) =>
    rewrite(call, "uppercase", (text) => (isAscii(text) ? text.toUpperCase() : mapJoined(text, simpleUpper))),
});

export const lowercase = declare({
  name: "lowercase",
  summary: "Turns the text of a key to lower case.",
  params: [KEY],
  style: "positional",
  arity: { min: 1, max: 1, tooFew: "func lowercase expected 1 args" },
  examples: [{ script: `lowercase(_)`, input: "HeLLo ΣΑΣ", gives: { message: "hello σασ" } }],
  bind: (call) =>
    rewrite(call, "lowercase", (text) => (isAscii(text) ? text.toLowerCase() : mapJoined(text, simpleLower))),
});

/** Removes, at the start and the end of a string, all code points that belong to a set. */
export function trimSet(text: string, set: ReadonlySet<string>): string {
  let start = 0;
  let end = text.length;
  for (let first: string; start < end && set.has((first = characterAt(text, start))); ) start += first.length;
  for (let last: string; end > start && set.has((last = characterBefore(text, start, end))); ) end -= last.length;
  return text.slice(start, end);
}

/** Returns the last character of `text` between the offsets `start` and `end`, which must differ. */
function characterBefore(text: string, start: number, end: number): string {
  const last = end - start > 1 ? characterAt(text, end - 2) : "";
  return last.length === 2 ? last : (text[end - 1] as string);
}

export const trim = declare({
  name: "trim",
  summary: "Removes white space, or the characters of a set, from both ends of a key's text.",
  params: [
    KEY,
    {
      name: "cutset",
      type: "str",
      optional: true,
      summary: "a literal: the characters to remove; white space if empty",
    },
  ],
  style: "positional",
  arity: { min: 1, max: 2, tooFew: "func `trim' expected 1 or 2 args" },
  examples: [
    { script: `trim(_)`, input: "  x y ", gives: { message: "x y" } },
    { script: `trim(_, "-+")`, input: "+-a-b--", gives: { message: "a-b" } },
  ],
  bind(call) {
    const target = call.key(0);
    const cutset =
      call.arg(1) === undefined ? "" : literalOr(call, 1, (kind) => `param type expect StringLiteral, got \`${kind}'`);
    const set = new Set(cutset);
    return (run) => {
      const value = target.read(run);
      if (value === undefined) return VOID;
      const text = toText(value, run.memory);
      writeKey(run, target.key, set.size === 0 ? trimSpace(text) : trimSet(text, set));
      return VOID;
    };
  },
});

/**
 * Compiles the regular expression in a string literal. When the expression is wrong, the check of the script
 * fails with an error at the position of the literal.
 */
export function regexArgument(
  call: Call,
  index: number,
  message: (pattern: string, reason: string) => string,
  captures = true,
): Regex {
  const source = call.literal(index);
  try {
    return Regex.compile(source, "", { engine: (parsed) => call.engine(parsed, captures) });
  } catch (error) {
    if (error instanceof RegexSyntaxError) {
      const at = call.placeIn(call.arg(index) as StringLiteral, error.offset);
      call.fail(message(source, error.message), call.arg(index), { at, hint: regexHint(error) });
    }
    throw error;
  }
}

export const replace = declare({
  name: "replace",
  summary: "Replaces every match of an expression in a key's text.",
  params: [
    KEY,
    { name: "regex", type: "str", summary: "a literal in RE2 syntax" },
    { name: "replace_str", type: "str", summary: "a literal; $1 and $name stand for groups, $$ for a dollar" },
  ],
  style: "positional",
  arity: { min: 3, max: 3, tooFew: "func replace expects 3 args" },
  examples: [
    {
      script: `replace(_, "(1[0-9]{2})[0-9]{4}([0-9]{4})", "$1****$2")`,
      input: "13789123014",
      gives: { message: "137****3014" },
    },
  ],
  bind(call) {
    const { key, readInPlace } = call.key(0);
    const regex = regexArgument(call, 1, (pattern, reason) => `regular expression ${pattern} parse err: ${reason}`);
    const template = call.literal(2);
    return (run) => {
      const value = readInPlace(run);
      if (value === undefined) return VOID;
      if (value !== null && isBytes(value) && !regex.test(value.view())) return VOID;
      if (value !== null && isBytes(value)) checkCopies(run, value);
      const text = toText(value, run.memory);
      const count = countPieces(run, () => isAscii(text) && isAscii(template));
      let matched = false;
      const replaced = regex.replace(text, template, (length) => {
        matched = true;
        chargeWork(run, MATCH_WORK);
        count(length);
      });
      if (matched) writeKey(run, key, replaced);
      return VOID;
    };
  },
});

/**
 * Two limits for the results that each call of `match` in a script remembers: the greatest length, in UTF-16
 * units, of a string whose result is remembered, and the largest number of results. Short strings such as levels
 * and priorities occur often, and looking up a remembered result takes less time than a search.
 */
const longestKnown = 12;
const mostKnown = 500;

export const match = declare({
  name: "match",
  summary: "Tells whether an expression matches anywhere in a text.",
  params: [
    { name: "pattern", type: "str", summary: "a literal in RE2 syntax" },
    { name: "s", type: "str", summary: "the text, or the name of a variable or key" },
  ],
  returns: "bool",
  style: "positional",
  arity: { min: 2, max: 2, tooFew: "func match expects 2 args" },
  examples: [
    { script: `add_key(r, match("^G\\\\d+$", _))`, input: "G12", gives: { r: true } },
    { script: `add_key(r, match("^b", "abc"))`, input: "x", gives: { r: false } },
  ],
  bind(call) {
    const regex = regexArgument(call, 0, (_, reason) => `func match: regexp compile failed: ${reason}`, false);
    const node = call.arg(1);
    const named = node?.kind === "Identifier" || node?.kind === "AttrExpr";
    if (!named && node?.kind !== "StringLiteral" && node?.kind !== "CallExpr")
      call.fail(`expect StringLiteral, Identifier or AttrExpr, got ${node?.kind}`, node);
    const value = named ? call.key(1).readInPlace : call.value(1);
    const known = new Map<string, boolean>();
    const lookUp = (text: string): boolean => {
      let matches = known.get(text);
      if (matches === undefined) {
        matches = regex.test(text);
        if (known.size === mostKnown) known.clear();
        known.set(detachString(text), matches);
      }
      return matches;
    };
    return (run) => {
      const text = value(run);
      if (text === undefined) return false;
      if (text === null) return lookUp("");
      if (typeof text === "string") return text.length <= longestKnown ? lookUp(text) : regex.test(text);
      if (!isBytes(text)) return false;
      const short = text.length <= longestKnown ? text.toString() : null;
      return short !== null && isAscii(short) ? lookUp(short) : regex.test(text.view());
    };
  },
});

/** Replaces each character of a string by a star. A Chinese character becomes a wide star. */
function maskOf(text: string): string {
  return isAscii(text) ? "*".repeat(text.length) : mapJoined(text, (c) => (/\p{Script=Han}/u.test(c) ? "＊" : "*"));
}

export const cover = declare({
  name: "cover",
  summary: "Masks the characters of a key's text in a range of positions, with * or, for Han characters, ＊.",
  params: [
    KEY,
    {
      name: "range",
      type: "list",
      summary: "a literal: first and last position, from 1, inclusive; negative from the end",
    },
  ],
  style: "positional",
  arity: { min: 2, max: 2, tooFew: "func cover expects 2 args" },
  examples: [
    { script: `cover(_, [4, 7])`, input: "13812345678", gives: { message: "138****5678" } },
    { script: `cover(_, [-3, -1])`, input: "13789123014", gives: { message: "13789123***" } },
  ],
  bind(call) {
    const { key, read } = call.key(0);
    const range = call.arg(1);
    if (range?.kind !== "ListLiteral") return call.fail(`param range expects ListInitExpr, got ${range?.kind}`, range);
    const [first, last] = range.items;
    if (range.items.length !== 2)
      call.fail(`param between range value \`${listText(range, ", ")}' is not expected`, range);
    if (!isNumber(first) || !isNumber(last))
      return call.fail(`range value \`${listText(range, ", ")}' is not expected`, range);
    const [from, to] = [Math.trunc(Number(first.value)), Math.trunc(Number(last.value))];
    return (run) => {
      const value = read(run);
      if (value === undefined || !isText(value)) return VOID;
      const text = textOf(value);
      const count = characterCount(text);
      const end = to > count ? count : to < 0 ? to + count + 1 : to;
      const start = from === 0 ? 1 : from < 0 ? from + count + 1 : from;
      if (start > end) return VOID;
      const first = Math.max(start, 1);
      const covered = indexBehind(text, 0, first - 1);
      const behind = indexBehind(text, covered, end - first + 1);
      writeKey(run, key, text.slice(0, covered) + maskOf(text.slice(covered, behind)) + text.slice(behind));
      return VOID;
    };
  },
});

export const len = declare({
  name: "len",
  summary: "Length of a text in bytes, of a list in elements, of a map in entries; 0 for anything else.",
  params: [{ name: "val", type: "any", summary: "the value" }],
  returns: "int",
  style: "positional",
  arity: { min: 1, max: 1, tooFew: "func len expected 1" },
  examples: [
    { script: `add_key(r, len(_))`, input: "héllo", gives: { r: 6 } },
    { script: `add_key(r, len([1, [2, 3]]))`, input: "x", gives: { r: 2 } },
  ],
  bind(call) {
    const value = call.value(0);
    return (run) => {
      const held = value(run);
      if (isText(held)) return byteLength(held);
      return isList(held) ? held.length : isDict(held) ? held.size : 0;
    };
  },
});

export const strlen = declare({
  name: "strlen",
  summary: "Length of a text in characters.",
  params: [{ name: "val", type: "str", summary: "the text" }],
  returns: "int",
  style: "positional",
  arity: { min: 1, max: 1, tooFew: "func `strlen` expect 1 arg" },
  examples: [{ script: `add_key(r, strlen(_))`, input: "hello 你好", gives: { r: 8 } }],
  bind(call) {
    const value = call.value(0);
    return (run) => {
      const held = value(run);
      if (!isText(held)) throw call.runFailure("param data type expect string", call.arg(0));
      return characterCount(textOf(held));
    };
  },
});

export const sliceString = declare({
  name: "slice_string",
  summary: "The characters of a text from one index to before another, from 0; empty when they do not fit.",
  params: [
    { name: "name", type: "str", summary: "the text" },
    { name: "start", type: "int", summary: "index of the first character" },
    { name: "end", type: "int", summary: "index after the last character" },
  ],
  returns: "str",
  style: "declared",
  examples: [{ script: `add_key(r, slice_string(_, 0, 2))`, input: "你好world", gives: { r: "你好" } }],
  bind(call) {
    const [text, start, end] = [call.value(0), call.value(1), call.value(2)];
    const mismatch = (index: number, name: string) =>
      call.runFailure(`parameter ${name}: type not match`, call.arg(index));
    return (run) => {
      const [held, from, to] = [text(run), start(run), end(run)];
      if (!isText(held)) throw mismatch(0, "name");
      if (!isInt(from)) throw mismatch(1, "start");
      if (!isInt(to)) throw mismatch(2, "end");
      if (from < 0 || from > to) return "";
      const whole = textOf(held);
      const first = indexBehind(whole, 0, Number(from));
      return detachedSlice(whole, first, indexBehind(whole, first, Number(to) - Number(from)));
    };
  },
});

export const textFunctions: readonly Declaration[] = [
  uppercase,
  lowercase,
  trim,
  replace,
  match,
  cover,
  len,
  strlen,
  sliceString,
];
