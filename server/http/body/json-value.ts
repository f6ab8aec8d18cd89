// Functions that check JSON text before it is parsed, and functions that check parsed JSON values.

/** Deepest nesting of a JSON value that is accepted. The limit makes recursion over such a value safe. */
export const maxDepth = 1000;

/** Returns whether JSON text is nested too deeply. The result has no meaning for text that is not JSON. */
export function isTooDeep(bytes: Uint8Array): boolean {
  return extentOf(bytes).depth > maxDepth;
}

/**
 * Returns two properties of JSON text: the depth of its nesting, and roughly the number of values in it, from
 * which the cost of parsing can be estimated. The result has no meaning for text that is not JSON.
 */
export function extentOf(bytes: Uint8Array): { readonly depth: number; readonly values: number } {
  let depth = 0;
  let deepest = 0;
  let values = 1;
  let inText = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (inText) {
      if (byte === 0x5c) at++;
      else if (byte === 0x22) inText = false;
    } else if (byte === 0x22) inText = true;
    else if (byte === 0x2c) values++;
    else if (byte === 0x5b || byte === 0x7b) {
      values++;
      if (++depth > deepest) deepest = depth;
    } else if (byte === 0x5d || byte === 0x7d) depth--;
  }
  return { depth: deepest, values };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
