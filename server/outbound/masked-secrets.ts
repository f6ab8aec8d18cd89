// Masks secrets in answers of upstream services before the answers are logged or passed on, because an answer may quote
// the token that this service sent.

import { maskToken, maskTokens } from "../../lib/sharding/index.ts";

/** Returns the error text of a refused request, with `token` and everything that looks like a token masked. */
export function masked(text: string, token: string): string {
  return withoutToken(maskTokens(text), token);
}

function withoutToken(text: string, token: string): string {
  return token === "" ? text : text.replaceAll(token, maskToken(token));
}

/**
 * Least number of characters of a token that is masked in the answer to a successful request. A shorter token may be an
 * ordinary word.
 */
const shortestToken = 8;

/**
 * Returns the body of an answer with its secrets masked. When the status is 400 or more, everything that looks like a
 * token is masked, otherwise only `token`.
 */
export function withoutSecrets(body: Uint8Array, status: number, token: string): Uint8Array {
  const isRefusal = status >= 400;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  if (!isRefusal && (token.length < shortestToken || !bytes.includes(token))) return body;
  // In latin1 one byte is one character, so replacing the token leaves all other bytes unchanged.
  const text = bytes.toString("latin1");
  return Buffer.from(isRefusal ? masked(text, token) : withoutToken(text, token), "latin1");
}
