// Masks secrets in answers of upstream services before anybody reads them, because an answer may quote the token that
// this service sent.

import { maskToken, maskTokens } from "../../lib/sharding/index.ts";

/** Returns the text of a refusal, with `token` and everything that looks like a token masked. */
export function masked(text: string, token: string): string {
  return withoutToken(maskTokens(text), token);
}

function withoutToken(text: string, token: string): string {
  return token === "" ? text : text.replaceAll(token, maskToken(token));
}

/** Length of a token from which it is masked in data. A shorter token may be an ordinary word. */
const shortestToken = 8;

/**
 * Returns the body of an answer with its secrets masked. In a refusal, everything that looks like a token is masked; in
 * data, only `token`.
 */
export function withoutSecrets(body: Uint8Array, status: number, token: string): Uint8Array {
  const isRefusal = status >= 400;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  if (!isRefusal && (token.length < shortestToken || !bytes.includes(token))) return body;
  // In latin1 one byte is one character, so replacing the token leaves all other bytes unchanged.
  const text = bytes.toString("latin1");
  return Buffer.from(isRefusal ? masked(text, token) : withoutToken(text, token), "latin1");
}
