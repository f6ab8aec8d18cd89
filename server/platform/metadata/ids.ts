// Identifiers of the Open API (Open API document, 1.5) and the secrets of keys (1.6).

import { createHash, randomBytes, randomInt } from "node:crypto";

/** `dsbd_` and 32 hexadecimal digits. */
export function newId(prefix: string): string {
  return `${prefix}_${randomBytes(16).toString("hex")}`;
}

const secretLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** 32 letters and digits, 190 bits. */
export function newSecret(): string {
  return Array.from({ length: 32 }, () => secretLetters[randomInt(secretLetters.length)]).join("");
}

/** What is kept of a secret. It is random and long: a plain hash tells nothing about it. */
export function digestOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
