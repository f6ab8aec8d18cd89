// Puts the values of variables into a query. The query names a variable by `#{code}`, anywhere but in a comment.

import { all, nameText } from "../variables.ts";

type Values = Readonly<Record<string, string>>;

/** A piece of a query. A text in quotes, a name in backquotes and a comment are one piece each. */
interface Piece {
  readonly kind: "variable" | "comment" | "raw" | "string" | "name" | "word" | "space" | "other";
  readonly text: string;
}

/**
 * Matches one piece of a query, by the rules of DQL (docs/reference/query.md#names-texts-and-numbers), except that
 * `#{code}` is a variable and not the beginning of a comment. A text without its closing quote reaches to the end of
 * the query.
 */
const pieces =
  /(?<variable>#\{[^}\n]*\})|(?<comment>#[^\n\r]*)|(?<raw>\b(?:re|b64)(?:'[^']*'?|"[^"]*"?|`[^`]*`?))|(?<string>'(?:[^'\\]|\\[\s\S])*'?|"(?:[^"\\]|\\[\s\S])*"?)|(?<name>`[^`]*`?)|(?<word>[A-Za-z_\u0080-\uffff@][\w.@\u0080-\uffff]*)|(?<space>\s+)|(?<other>>=|<=|!=|=~|!~|==|[\s\S])/gi;

function piecesOf(query: string): Piece[] {
  return Array.from(query.matchAll(pieces), ({ 0: text, groups = {} }) => {
    const kind = Object.keys(groups).find((name) => groups[name] !== undefined) as Piece["kind"];
    return { kind, text };
  });
}

/**
 * Returns a query with the values of its variables. Inside quotes, special characters of a value are escaped. Outside
 * of quotes, a value becomes a text when it stands after a comparison operator, otherwise a name. A comparison with a
 * variable whose value is "all" becomes `true`, or `false` when the operator excludes the value (as `!=` does).
 * Comments and variables without a value are left unchanged.
 */
export function fillQuery(query: string, values: Values): string {
  let filled = "";
  for (const { kind, text } of withoutAll(piecesOf(query), values)) {
    if (kind === "variable") {
      const value = chosenValue(text.slice(2, -1), values);
      filled += value === null ? text : bareText(value, filled);
    } else if (kind === "string") filled += filledIn(text, values, (value) => quoted(value, text[0]!));
    else if (kind === "name") filled += filledIn(text, values, (value) => value.replaceAll("`", ""));
    else if (kind === "raw") filled += filledIn(text, values, (value) => rawText(value, text));
    else filled += text;
  }
  return filled;
}

function chosenValue(code: string, values: Values): string | null {
  return Object.hasOwn(values, code) ? values[code]! : null;
}

function filledIn(text: string, values: Values, write: (value: string) => string): string {
  return text.replace(/#\{([^}\n]*)\}/g, (whole, code: string) => {
    const value = chosenValue(code, values);
    return value === null ? whole : write(value);
  });
}

function quoted(text: string, quote: string): string {
  return text
    .replace(/[\\\n\r\t\0]/g, (each) => ({ "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0" })[each] ?? "\\\\")
    .replaceAll(quote, `\\${quote}`);
}

/**
 * Returns a value in the form in which it can be written into re'...' or b64'...'. A backslash cannot escape a
 * quote there, so a quote in the value becomes a hexadecimal escape (in re'...') or is left out (in b64'...').
 */
function rawText(value: string, text: string): string {
  const quote = /['"`]/.exec(text)![0];
  const code = `\\x${quote.charCodeAt(0).toString(16)}`;
  return value.replaceAll(quote, /^re/i.test(text) ? code : "");
}

const plainNumber = /^-?\d+(?:\.\d+)?$/;
const duration = /^(?:\d+(?:ns|us|ms|mo|[smhdwy]))+$/;
/**
 * Matches the text before a value when this text ends with a comparison operator, so that the value is the right side
 * of a comparison.
 */
const comparing = /(?:[=<>~]|\b(?:in|notin|not_in|match|notmatch|not_match)\s*[[(][^\])]*)\s*$/i;

/**
 * Returns the value of a variable as a query must contain it outside of quotes. `before`: the query up to the variable.
 */
function bareText(value: string, before: string): string {
  if (plainNumber.test(value)) return value;
  if (comparing.test(before)) return `'${quoted(value, "'")}'`;
  return duration.test(value) ? value : nameText(value);
}

/** Replaces each comparison with a variable whose value is "all" by `true` or `false`. */
function withoutAll(list: readonly Piece[], values: Values): readonly Piece[] {
  const result: Piece[] = [];
  for (let at = 0; at < list.length; at++) {
    const operator = operatorAt(list, at);
    const right = operator === null ? null : rightOf(list, at + operator.length);
    const start = right === null ? -1 : leftOf(result);
    if (
      operator === null ||
      right === null ||
      start < 0 ||
      !right.variables.some((code) => chosenValue(code, values) === all)
    ) {
      result.push(list[at]!);
      continue;
    }
    result.splice(start);
    result.push({ kind: "word", text: operator.excludes ? "false" : "true" });
    at = right.end - 1;
  }
  return result;
}

interface Operator {
  /** Number of pieces of the query that make up the operator. */
  readonly length: number;
  /** Whether the operator excludes the value on its right side, as `!=` does. */
  readonly excludes: boolean;
}

const setWords = new Set(["in", "match"]);
const excludingWords = new Set(["notin", "not_in", "notmatch", "not_match"]);

/** Returns the comparison operator whose first piece is `list[at]`; null when no operator begins there. */
function operatorAt(list: readonly Piece[], at: number): Operator | null {
  const { kind, text } = list[at]!;
  if (kind === "other") {
    if (/^(?:=|==|=~)$/.test(text)) return { length: 1, excludes: false };
    return /^(?:!=|!~)$/.test(text) ? { length: 1, excludes: true } : null;
  }
  if (kind !== "word") return null;
  const word = text.toLowerCase();
  if (setWords.has(word)) return { length: 1, excludes: false };
  if (excludingWords.has(word)) return { length: 1, excludes: true };
  const second = next(list, at + 1);
  const isSet = word === "not" && setWords.has(list[second]?.text.toLowerCase() ?? "");
  return isSet ? { length: second - at + 1, excludes: true } : null;
}

/** Returns the index of the first piece of the query, from index `at` on, that is neither white space nor a comment. */
function next(list: readonly Piece[], at: number): number {
  let index = at;
  while (/^(?:space|comment)$/.test(list[index]?.kind ?? "")) index++;
  return index;
}

interface RightSide {
  /**
   * Codes (names) of the variables that stand for a whole value on the right side of the comparison, and not only for a
   * part of a text.
   */
  readonly variables: readonly string[];
  /** Index of the first piece of the query after the right side of the comparison. */
  readonly end: number;
}

/**
 * Returns the right side of a comparison: one value, a list, or a function such as `re('#{host}')`. Null when its
 * closing bracket is missing. Leaves out variables that are only a part of a text.
 */
function rightOf(list: readonly Piece[], from: number): RightSide | null {
  let at = next(list, from);
  const isCall = list[at]?.kind === "word" && list[next(list, at + 1)]?.text === "(";
  if (isCall) at = next(list, at + 1);
  const opening = list[at]?.text;
  if (opening !== "[" && opening !== "(") {
    const code = list[at] === undefined ? null : codeOf(list[at]);
    return code === null ? null : { variables: [code], end: at + 1 };
  }
  const end = closingOf(list, at);
  if (end < 0) return null;
  return { variables: elementsOf(list.slice(at + 1, end)).flatMap((piece) => codeOf(piece) ?? []), end: end + 1 };
}

/**
 * Returns the elements of a list that consist of one piece each. An inner query consists of several pieces, so it is
 * left out.
 */
function elementsOf(list: readonly Piece[]): readonly Piece[] {
  const elements: Piece[][] = [[]];
  for (const piece of list)
    if (piece.text === ",") elements.push([]);
    else if (piece.kind !== "space" && piece.kind !== "comment") elements.at(-1)!.push(piece);
  return elements.flatMap((each) => (each.length === 1 ? each : []));
}

/**
 * Returns the code (name) of a variable when a piece of the query is nothing but this variable, with or without quotes;
 * null otherwise.
 */
function codeOf({ kind, text }: Piece): string | null {
  if (kind === "variable") return text.slice(2, -1);
  const inner = kind === "string" ? text : kind === "raw" ? text.replace(/^\w+/, "") : "";
  return /^(['"`])#\{([^}\n]*)\}\1$/.exec(inner)?.[2] ?? null;
}

function closingOf(list: readonly Piece[], from: number): number {
  let depth = 0;
  for (let at = from; at < list.length; at++) {
    const { kind, text } = list[at]!;
    if (kind !== "other") continue;
    if (text === "[" || text === "(") depth++;
    else if ((text === "]" || text === ")") && --depth === 0) return at;
  }
  return -1;
}

/**
 * Returns the index at which the left side of a comparison begins: a key or a call at the end of `list`, the pieces of
 * the query before the operator.
 */
function leftOf(list: readonly Piece[]): number {
  let at = list.length - 1;
  while (/^(?:space|comment)$/.test(list[at]?.kind ?? "")) at--;
  if (list[at]?.text === ")") {
    let depth = 0;
    for (; at >= 0; at--) {
      if (list[at]!.kind !== "other") continue;
      if (list[at]!.text === ")") depth++;
      else if (list[at]!.text === "(" && --depth === 0) break;
    }
    return list[at - 1]?.kind === "word" ? at - 1 : at;
  }
  return list[at]?.kind === "word" || list[at]?.kind === "name" ? at : -1;
}
