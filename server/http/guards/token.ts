// Compares secret tokens in constant time: the duration of the comparison does not show at which character the tokens
// differ.

import { timingSafeEqual } from "node:crypto";

/**
 * Returns whether two tokens are equal. The duration of the comparison does not show at which character the tokens
 * differ.
 */
export function isSameToken(asked: string, token: string): boolean {
  const [left, right] = [Buffer.from(asked), Buffer.from(token)];
  return left.length === right.length && timingSafeEqual(left, right);
}
