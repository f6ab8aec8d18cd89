// Compares secret tokens.

import { timingSafeEqual } from "node:crypto";

/** Returns whether two tokens are equal. The time taken does not depend on where they differ. */
export function isSameToken(asked: string, token: string): boolean {
  const [left, right] = [Buffer.from(asked), Buffer.from(token)];
  return left.length === right.length && timingSafeEqual(left, right);
}
