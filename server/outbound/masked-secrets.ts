// Texts of the services behind this one, which may quote the token that this one sent: masked before anybody else reads them.

import { maskToken, maskTokens } from "../../lib/sharding/token.ts";

/** Returns a refusal without `token`, and without whatever else looks like a token. */
export function masked(text: string, token: string): string {
  return withoutToken(maskTokens(text), token);
}

function withoutToken(text: string, token: string): string {
  return token === "" ? text : text.replaceAll(token, maskToken(token));
}

/** In data, a shorter one may be a word. */
const shortestToken = 8;

/** Returns the body of an answer as `masked` does when it is a refusal; of data only `token` is masked. */
export function withoutSecrets(body: Uint8Array, status: number, token: string): Uint8Array {
  const isRefusal = status >= 400;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  if (!isRefusal && (token.length < shortestToken || !bytes.includes(token))) return body;
  // One byte is one character: all others stay as they are.
  const text = bytes.toString("latin1");
  return Buffer.from(isRefusal ? masked(text, token) : withoutToken(text, token), "latin1");
}
