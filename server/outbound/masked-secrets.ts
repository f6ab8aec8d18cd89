// Masks secrets in texts of upstream services, which may quote the token that this service sent, before anybody reads
// them.

import { maskToken, maskTokens } from "../../lib/sharding/index.ts";

/** Returns a refusal in which `token` and everything that looks like a token is masked. */
export function masked(text: string, token: string): string {
  return withoutToken(maskTokens(text), token);
}

function withoutToken(text: string, token: string): string {
  return token === "" ? text : text.replaceAll(token, maskToken(token));
}

/** Least length of a token that is masked in data: a shorter one may be a word. */
const shortestToken = 8;

/** Returns the body of an answer with masked secrets: in a refusal all that `masked` masks, in data only `token`. */
export function withoutSecrets(body: Uint8Array, status: number, token: string): Uint8Array {
  const isRefusal = status >= 400;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  if (!isRefusal && (token.length < shortestToken || !bytes.includes(token))) return body;
  // In latin1 one byte is one character, so all other bytes stay as they are.
  const text = bytes.toString("latin1");
  return Buffer.from(isRefusal ? masked(text, token) : withoutToken(text, token), "latin1");
}
