// Compares secret tokens in a time that does not show where they differ.

import { timingSafeEqual } from "node:crypto";

/** Returns whether two tokens are equal. The time that the comparison takes does not show where they differ. */
export function isSameToken(asked: string, token: string): boolean {
  const [left, right] = [Buffer.from(asked), Buffer.from(token)];
  return left.length === right.length && timingSafeEqual(left, right);
}
