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
 * Minimum length in characters of a token that is masked in the answer to a successful request. A shorter token
 * is not masked there, because it could be an ordinary word.
 */
const shortestToken = 8;

/**
 * Returns the body of an answer with its secrets masked. If the status is 400 or more, everything that looks
 * like a token is masked. With any other status, only `token` itself is masked.
 */
export function withoutSecrets(body: Uint8Array, status: number, token: string): Uint8Array {
  const isRefusal = status >= 400;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  if (!isRefusal && (token.length < shortestToken || !bytes.includes(token))) return body;
  // The encoding latin1 maps each byte to one character and back. So all bytes outside of the token stay
  // unchanged.
  const text = bytes.toString("latin1");
  return Buffer.from(isRefusal ? masked(text, token) : withoutToken(text, token), "latin1");
}
