// Computes the values of a statement's literals (docs/reference/query.md#names-texts-and-numbers). The lexer (lexer.ts)
// has already checked their syntax.

import { decodeBase64 } from "../../text/base64.ts";
import { stringValue } from "../../text/string-literal.ts";

const unitNs: Readonly<Record<string, bigint>> = {
  y: 31_536_000_000_000_000n,
  w: 604_800_000_000_000n,
  d: 86_400_000_000_000n,
  h: 3_600_000_000_000n,
  m: 60_000_000_000n,
  s: 1_000_000_000n,
  ms: 1_000_000n,
  us: 1_000n,
  ns: 1n,
};
/** Units of durations, from large to small; `mo` (month) is allowed only in intervals. */
const units = ["y", "mo", "w", "d", "h", "m", "s", "ms", "us", "ns"];
const highestInt = 9223372036854775807n;

/**
 * Returns the value of a quoted string. The string has no invalid escapes, because the lexer has already refused them.
 */
export function stringText(token: string): string {
  // DQL allows an escaped backquote in a string. The function that is called here also reads the strings of
  // scripts, and refuses this escape. So the escape is replaced by `\x60`, the code of the backquote.
  const read = stringValue(token.replace(/\\(.)/g, (pair, escaped) => (escaped === "`" ? "\\x60" : pair)));
  return "value" in read ? read.value : "";
}

/** Returns the nanoseconds of a duration such as `1h30m`. */
export function durationNs(text: string): bigint {
  let sum = 0n;
  for (const [, count, unit] of text.matchAll(/([0-9]+)(ms|us|ns|[ywdhms])/g)) sum += BigInt(count!) * unitNs[unit!]!;
  return sum;
}

/** Returns whether the units of a duration are ordered from large to small, and no unit occurs twice. */
export function isOrderedDuration(text: string): boolean {
  const order = [...text.matchAll(/[0-9]+(ms|mo|us|ns|[ywdhms])/g)].map(([, unit]) => units.indexOf(unit!));
  return order.every((place, at) => at === 0 || place > order[at - 1]!);
}

/** Returns the value of a number: a bigint when it fits into int64, otherwise a JS number (a float). `007` is octal. */
export function numberOf(text: string): bigint | number {
  const lower = text.toLowerCase();
  if (lower === "inf") return Number.POSITIVE_INFINITY;
  if (lower === "nan") return Number.NaN;
  const int = intOf(lower);
  if (int === null) return Number(text);
  return int <= highestInt ? int : Number(int);
}

function intOf(text: string): bigint | null {
  if (/^0x[0-9a-f]+$/.test(text)) return BigInt(text);
  if (/^0[0-7]+$/.test(text)) return BigInt(`0o${text.slice(1)}`);
  // `08` is not a valid octal number; it is read as a decimal float.
  return /^(?:0|[1-9][0-9]*)$/.test(text) ? BigInt(text) : null;
}

/**
 * Decodes standard base64 to a string of UTF-8; returns undefined when the input is not base64 or the bytes are not
 * UTF-8.
 */
export function base64Text(base64: string): string | undefined {
  const bytes = decodeBase64(new TextEncoder().encode(base64));
  if (bytes === undefined) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Decodes a base64 literal that the lexer has accepted to a string. */
export function bytesText(base64: string): string {
  return base64Text(base64) ?? "";
}
