// Finds the position of the error in a wrong line of line protocol. The library reports which line is wrong and why;
// this file parses the line again and returns the first part that breaks a rule of
// docs/reference/points.md#line-protocol.

/**
 * A range of bytes in a line; `to` is the offset after the last byte. The range is empty where something is missing.
 */
export interface LinePlace {
  readonly from: number;
  readonly to: number;
}

const maxInt = 2n ** 63n;
const maxUint = 2n ** 64n;
/**
 * Returns the line decoded as Latin-1. In Latin-1 each byte becomes one character, so an index in the text
 * equals the byte offset in the line.
 */
const latin = (line: Uint8Array): string => {
  let text = "";
  for (let at = 0; at < line.length; at += 8192) text += String.fromCharCode(...line.subarray(at, at + 8192));
  return text;
};

/** Returns the first wrong part of the line; null when this parser finds no error. */
export function placeInLine(line: Uint8Array): LinePlace | null {
  const text = latin(line);
  const fieldsFrom = behindTags(text);
  if (typeof fieldsFrom !== "number") return fieldsFrom;
  const timeFrom = behindFields(text, fieldsFrom);
  if (typeof timeFrom !== "number") return timeFrom;
  return wrongTime(text, timeFrom);
}

/** Returns the index of the next character that is one of `ends` and has no backslash before it. */
function until(text: string, from: number, ends: string): number {
  let at = from;
  while (at < text.length && !ends.includes(text[at]!)) at += text[at] === "\\" ? 2 : 1;
  return Math.min(at, text.length);
}

/** Skips the measurement and the tags. Returns the index of the first field, or the range of the error. */
function behindTags(text: string): number | LinePlace {
  let at = until(text, 0, ", ");
  if (at === 0) return { from: 0, to: 0 };
  while (text[at] === ",") {
    const keyFrom = at + 1;
    const keyTo = until(text, keyFrom, "=, ");
    if (text[keyTo] !== "=") return { from: keyFrom, to: keyTo };
    if (keyTo === keyFrom) return { from: keyFrom, to: keyFrom + 1 };
    at = until(text, keyTo + 1, "=, ");
    if (text[at] === "=") return { from: at, to: at + 1 };
    if (at === keyTo + 1) return { from: keyTo, to: at };
  }
  const rest = at + /^ */.exec(text.slice(at))![0].length;
  return rest === text.length ? { from: text.length, to: text.length } : rest;
}

/** Skips the fields. Returns the index after the last field, or the range of the error. */
function behindFields(text: string, from: number): number | LinePlace {
  let at = from;
  for (;;) {
    const keyTo = until(text, at, "=, ");
    if (text[keyTo] !== "=") return { from: at, to: keyTo };
    if (keyTo === at) return { from: at, to: at + 1 };
    const valueFrom = keyTo + 1;
    const valueTo = valueEnd(text, valueFrom);
    if (typeof valueTo !== "number") return valueTo;
    if (valueTo === valueFrom) return { from: keyTo, to: valueTo };
    if (!isValue(text.slice(valueFrom, valueTo))) return { from: valueFrom, to: valueTo };
    if (text[valueTo] !== ",") return valueTo;
    at = valueTo + 1;
  }
}

/**
 * Returns the index after the value, or the range of the error: a quote or bracket that is not closed, or a wrong
 * character after a closing quote or bracket.
 */
function valueEnd(text: string, from: number): number | LinePlace {
  const open = text[from];
  if (open !== '"' && open !== "[") return until(text, from, ", ");
  const close = open === '"' ? until(text, from + 1, '"') : listEnd(text, from);
  // The quote or bracket is not closed. The value may continue over many lines, but the editor marks only its first
  // line.
  if (close >= text.length) return { from, to: from + /^.*/.exec(text.slice(from))![0].length };
  const end = close + (open === '"' && text[close + 1] === "b" ? 2 : 1);
  return end < text.length && !", ".includes(text[end]!) ? { from: end, to: end + 1 } : end;
}

/** Returns the index of the bracket that closes a list. */
function listEnd(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== "]") at = text[at] === '"' ? until(text, at + 1, '"') + 1 : at + 1;
  return at;
}

const kinds: readonly (readonly [kind: string, form: RegExp])[] = [
  ["i", /^-?\d+i$/],
  ["u", /^\d+u$/],
  ["f", /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/],
  ["b", /^(?:t|T|true|True|TRUE|f|F|false|False|FALSE)$/],
  ["d", /^"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?"b$/],
  ["s", /^"(?:[^"\\]|\\[\s\S])*"$/],
];

function kindOf(value: string): string | undefined {
  const kind = kinds.find(([, form]) => form.test(value))?.[0];
  if (kind !== "i" && kind !== "u") return kind;
  if (value.length > 22) return undefined;
  const number = BigInt(value.slice(0, -1));
  const fits = kind === "u" ? number < maxUint : number < maxInt && number >= -maxInt;
  return fits ? kind : undefined;
}

function isValue(value: string): boolean {
  if (!value.startsWith("[")) return kindOf(value) !== undefined;
  const elements = value.slice(1, -1).match(/"(?:[^"\\]|\\[\s\S])*"b?|[^,\s]+/g) ?? [];
  const found = elements.map(kindOf);
  return found.every((kind) => kind !== undefined && kind === found[0]);
}

/**
 * Checks the text after the fields of a line, which must be empty or a time. Returns the range of the error; null when
 * the text is correct.
 */
function wrongTime(text: string, from: number): LinePlace | null {
  const [, blanks, time, rest] = /^( *)([^ ]*) *(.*)$/s.exec(text.slice(from).trimEnd())!;
  const timeFrom = from + blanks!.length;
  const timeTo = timeFrom + time!.length;
  if (time !== "" && !/^-?\d+$/.test(time!)) return { from: timeFrom, to: timeTo };
  if (rest !== "") return { from: text.lastIndexOf(rest!), to: text.lastIndexOf(rest!) + rest!.length };
  return time === "" ? null : { from: timeFrom, to: timeTo };
}
