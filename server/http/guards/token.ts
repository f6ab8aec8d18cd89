// Compares secrets.

import { timingSafeEqual } from "node:crypto";

/** In a time that does not depend on where they differ. */
export function isSameToken(asked: string, token: string): boolean {
  const [left, right] = [Buffer.from(asked), Buffer.from(token)];
  return left.length === right.length && timingSafeEqual(left, right);
}
