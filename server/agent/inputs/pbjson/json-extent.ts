// Limits the memory that parsing a JSON body may take, by counting its values and its nesting before the body is
// parsed.

import { extentOf, maxDepth } from "../../../http/body/json-value.ts";

/**
 * Largest number of JSON values in a body. The limit is needed because a value takes far more bytes in memory than in
 * the body.
 */
export const maxValues = 4_000_000;

/** Returns the reason why a body of JSON or JSON lines may not be parsed; undefined when it may be parsed. */
export function reasonNotToParse(body: Uint8Array): string | undefined {
  const { depth, values } = extentOf(body);
  if (depth > maxDepth) return `nested deeper than ${maxDepth}`;
  return values > maxValues ? `more than ${maxValues} values in one body` : undefined;
}
