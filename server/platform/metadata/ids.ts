// Makes the identifiers of the Open API (docs/reference/open-api.md), the secrets of keys and the tokens of workspaces.

import { sha256 } from "../../../lib/digest/index.ts";

/**
 * A buffer of random bytes, each of which is used only once. The buffer is filled with 4096 bytes at a time,
 * because a call of the random generator takes much longer than generating the bytes.
 */
const pool = new Uint8Array(4096);
let used = pool.length;

function random16(): Uint8Array {
  if (used === pool.length) {
    crypto.getRandomValues(pool);
    used = 0;
  }
  used += 16;
  return pool.slice(used - 16, used);
}

/** Returns a random identifier: a prefix such as `dsbd_` and 32 hexadecimal digits. */
export function newId(prefix: string): string {
  return `${prefix}_${hexOf(random16())}`;
}

/**
 * Returns a UUID of version 4. It does not use `crypto.randomUUID`, which browsers do not offer to pages loaded without
 * HTTPS.
 */
export function newUuid(): string {
  const bytes = random16();
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return hexOf(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

const hexOfByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

function hexOf(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += hexOfByte[byte];
  return text;
}

const secretLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const secretLength = 32;

/** Returns a secret of 32 letters and digits (190 random bits). */
export function newSecret(): string {
  let secret = "";
  while (secret.length < secretLength) {
    for (const byte of crypto.getRandomValues(new Uint8Array(secretLength))) {
      // 248 is the largest multiple of 62 that fits into a byte. Larger bytes are skipped, so that every one of the 62
      // characters is equally likely.
      if (byte < 248 && secret.length < secretLength) secret += secretLetters[byte % 62];
    }
  }
  return secret;
}

/**
 * Returns the digest of a secret; the digest is stored instead of the secret. Secrets are long and random, so a
 * plain hash without salt reveals nothing about them.
 */
export function digestOf(secret: string): string {
  return sha256(new TextEncoder().encode(secret));
}

/** Returns a new random token. An agent sends a token with its points, to say to which workspace they belong. */
export function newToken(): string {
  return newId("tkn");
}

/** Returns the id under which the points store keeps the points that were written with the given token. */
export function pointsIdOf(token: string): string {
  return digestOf(token).slice(0, 32);
}
