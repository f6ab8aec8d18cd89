// The header X-Global-Tags: `key=value,key=value`, nothing escaped (docs/reference/gateway.md#the-header).

export const headerName = "X-Global-Tags";

export type Pair = readonly [key: string, value: string];

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Of a repeated key the first counts; text without `=` belongs to the value before it. */
export function parseHeader(header: string): Map<string, string> {
  const pairs = new Map<string, string>();
  /** The key whose value is still growing; undefined before the first, and for one that does not count. */
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

/** Header lines of one request as one text. */
export function joinHeaderLines(lines: readonly string[]): string {
  return lines.join(",");
}

/** Pairs that are empty or cannot be written are left out. */
export function formatHeader(pairs: Iterable<Pair>): string {
  return usablePairs(pairs)
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
}

/** Values cleaned; without pairs whose value is empty then, or whose key would not be read back. */
export function usablePairs(pairs: Iterable<Pair>): Pair[] {
  const usable: Pair[] = [];
  for (const [key, value] of pairs) {
    const clean = cleanValue(value);
    if (clean !== "" && isUsableKey(key)) usable.push([key, clean]);
  }
  return usable;
}

/** Runs of control characters become one space, spaces around it go. */
export function cleanValue(value: string): string {
  return value.replace(/[\0-\x1f\x7f]+/g, " ").trim();
}

export function isUsableKey(key: string): boolean {
  return key !== "" && !/[,=\0-\x1f\x7f]/.test(key);
}

/** The text as hosts take it that write one byte per character: each byte of its UTF-8 as a character. */
export function toHeaderBytes(text: string): string {
  let result = "";
  for (const byte of encoder.encode(text)) result += String.fromCharCode(byte);
  return result;
}

/** The text of a header whose characters are the bytes of UTF-8. */
export function fromHeaderBytes(header: string): string {
  return decoder.decode(Uint8Array.from(header, (character) => character.charCodeAt(0)));
}

/** Of ASCII spaces. */
function trimmed(text: string): string {
  return text.replace(/^ +| +$/g, "");
}
