// Computes the values of a statement's literals (docs/reference/query.md#names-texts-and-numbers). lexer.ts has already checked their form.

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
/** Units in order; `mo` is allowed in intervals only. */
const units = ["y", "mo", "w", "d", "h", "m", "s", "ms", "us", "ns"];
const highestInt = 9223372036854775807n;

/** Returns the value of a quoted string; the lexer has reported invalid escapes. */
export function stringText(token: string): string {
  // A backquote may be escaped here, but not in scripts.
  const read = stringValue(token.replace(/\\(.)/g, (pair, escaped) => (escaped === "`" ? "\\x60" : pair)));
  return "value" in read ? read.value : "";
}

/** Returns the nanoseconds of a duration such as `1h30m`. */
export function durationNs(text: string): bigint {
  let sum = 0n;
  for (const [, count, unit] of text.matchAll(/([0-9]+)(ms|us|ns|[ywdhms])/g)) sum += BigInt(count!) * unitNs[unit!]!;
  return sum;
}

/** Returns whether the units run from large to small, each at most once. */
export function isOrderedDuration(text: string): boolean {
  const order = [...text.matchAll(/[0-9]+(ms|mo|us|ns|[ywdhms])/g)].map(([, unit]) => units.indexOf(unit!));
  return order.every((place, at) => at === 0 || place > order[at - 1]!);
}

/** Returns an int64 as a bigint, any other number as a JS number: `007` is octal, a number beyond int64 is a float. */
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
  // `08` is not octal; as a decimal it is a float.
  return /^(?:0|[1-9][0-9]*)$/.test(text) ? BigInt(text) : null;
}

/** Returns the text of standard base64; undefined when it is not base64 or not UTF-8. */
export function base64Text(base64: string): string | undefined {
  const bytes = decodeBase64(new TextEncoder().encode(base64));
  if (bytes === undefined) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Returns the text of a base64 literal that the lexer has accepted. */
export function bytesText(base64: string): string {
  return base64Text(base64) ?? "";
}
