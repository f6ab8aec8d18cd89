// Finds the bytes of a value in a JSON body by the path of the value, such as element 3, member `fields`, entry
// 0.

export type JsonPath = readonly (string | number)[];

export interface JsonRange {
  readonly from: number;
  readonly to: number;
}

const decoder = new TextDecoder();
const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Returns the range of bytes of the value at a path, in a body that is valid JSON. If the value does not exist, returns
 * the range of the innermost existing value on the path.
 */
export function jsonRange(body: Uint8Array, path: JsonPath): JsonRange {
  let range: JsonRange = { from: blank(body, 0), to: valueEnd(body, 0) };
  for (const step of path) {
    const inner = [...partsOf(body, range.from)].findLast(({ name }) => name === step);
    if (inner === undefined) break;
    range = inner;
  }
  return range;
}

/** Returns the offset of the next byte that is not white space. */
function blank(body: Uint8Array, at: number): number {
  while (at < body.length && (body[at] === 0x20 || (body[at]! >= 9 && body[at]! <= 13))) at++;
  return at;
}

function stringEnd(body: Uint8Array, from: number): number {
  let at = from + 1;
  while (at < body.length && body[at] !== quote) at += body[at] === backslash ? 2 : 1;
  return Math.min(at + 1, body.length);
}

/** Skips white space and the value after it. Returns the offset after the value. */
function valueEnd(body: Uint8Array, from: number): number {
  let at = blank(body, from);
  if (body[at] === quote) return stringEnd(body, at);
  if (body[at] !== openList && body[at] !== openObject) {
    while (at < body.length && !isEnd(body[at]!)) at++;
    return at;
  }
  let depth = 0;
  do {
    const byte = body[at]!;
    if (byte === openList || byte === openObject) depth++;
    else if (byte === closeList || byte === closeObject) depth--;
    at = byte === quote ? stringEnd(body, at) : at + 1;
  } while (depth > 0 && at < body.length);
  return at;
}

const isEnd = (byte: number): boolean =>
  byte === comma || byte === closeList || byte === closeObject || byte === 0x20 || (byte >= 9 && byte <= 13);

/** Yields the elements of the list, or the members of the object, that begins at `from`. */
function* partsOf(body: Uint8Array, from: number): Generator<JsonRange & { readonly name: string | number }> {
  const isList = body[from] === openList;
  if (!isList && body[from] !== openObject) return;
  let at = blank(body, from + 1);
  for (let index = 0; at < body.length && body[at] !== closeList && body[at] !== closeObject; index++) {
    let name: string | number = index;
    if (!isList) {
      const end = stringEnd(body, at);
      name = JSON.parse(decoder.decode(body.subarray(at, end))) as string;
      at = blank(body, end);
      if (body[at] === colon) at++;
    }
    const start = blank(body, at);
    const to = valueEnd(body, start);
    yield { name, from: start, to };
    at = blank(body, to);
    if (body[at] === comma) at = blank(body, at + 1);
    else return;
  }
}
