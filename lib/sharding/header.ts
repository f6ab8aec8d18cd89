// Reads and writes the header X-Global-Tags: `key=value,key=value`, without escapes
// (docs/reference/gateway.md#the-header).

/** The name of the HTTP header that says to which shard points belong. */
export const headerName = "X-Global-Tags";

/** A key and its value in the header X-Global-Tags. */
export type Pair = readonly [key: string, value: string];

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Parses a header. When a key repeats, its first value counts. Text between commas that has no `=` belongs to the
 * previous value.
 *
 * @example
 * parseHeader("host=a,b,env=prod"); // Map { "host" => "a,b", "env" => "prod" }
 */
export function parseHeader(header: string): Map<string, string> {
  const pairs = new Map<string, string>();
  /**
   * The key that was read last. Text without `=` that follows the next comma is added to its value. Undefined before
   * the first key was read, and when the last key repeats an earlier one.
   */
  let current: string | undefined;
  for (const segment of header.split(",")) {
    const text = trimmed(segment);
    const equals = text.indexOf("=");
    if (equals < 0) {
      if (current !== undefined) pairs.set(current, `${pairs.get(current)},${text}`);
      continue;
    }
    const key = text.slice(0, equals);
    current = key === "" || pairs.has(key) ? undefined : key;
    if (current !== undefined) pairs.set(current, text.slice(equals + 1));
  }
  return pairs;
}

/**
 * Joins several lines of the header in one request into one header value.
 *
 * @example
 * joinHeaderLines(["host=a", "env=prod"]); // "host=a,env=prod"
 */
export function joinHeaderLines(lines: readonly string[]): string {
  return lines.join(",");
}

/**
 * Formats pairs as a header value. Leaves out a pair when its value is empty, or when its key could not be read back
 * from the header.
 *
 * @example
 * formatHeader([["host", "a"], ["env", ""]]); // "host=a"
 */
export function formatHeader(pairs: Iterable<Pair>): string {
  return usablePairs(pairs)
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
}

/**
 * Returns the pairs with cleaned values. Leaves out a pair when its cleaned value is empty, or when its key could not
 * be read back from a header.
 */
export function usablePairs(pairs: Iterable<Pair>): Pair[] {
  const usable: Pair[] = [];
  for (const [key, value] of pairs) {
    const clean = cleanValue(value);
    if (clean !== "" && isUsableKey(key)) usable.push([key, clean]);
  }
  return usable;
}

/** Replaces each sequence of control characters by one space, and removes spaces at both ends. */
export function cleanValue(value: string): string {
  return value.replace(/[\0-\x1f\x7f]+/g, " ").trim();
}

export function isUsableKey(key: string): boolean {
  return key !== "" && !/[,=\0-\x1f\x7f]/.test(key);
}

/**
 * Converts a header value for runtimes that write one byte for each character: each byte of the value's UTF-8 becomes
 * one character.
 *
 * @example
 * toHeaderBytes("ä"); // "\xc3\xa4"
 */
export function toHeaderBytes(text: string): string {
  let result = "";
  for (const byte of encoder.encode(text)) result += String.fromCharCode(byte);
  return result;
}

/**
 * Converts a header value in which each character is one byte of UTF-8 back to the original string.
 *
 * @example
 * fromHeaderBytes("\xc3\xa4"); // "ä"
 */
export function fromHeaderBytes(header: string): string {
  return decoder.decode(Uint8Array.from(header, (character) => character.charCodeAt(0)));
}

const space = 0x20;

/** Removes ASCII spaces around a text, and no other white space. */
function trimmed(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && text.charCodeAt(start) === space) start++;
  while (end > start && text.charCodeAt(end - 1) === space) end--;
  return end - start === text.length ? text : text.slice(start, end);
}
