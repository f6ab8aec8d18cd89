import { expect, test } from "vitest";
import { bigintOf, integer } from "../../../lib/text/integer.ts";

const edges = [0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x1fffff00000000, Number.MAX_SAFE_INTEGER];

test.each(edges.flatMap((edge) => [edge, edge - 1, -edge, -edge - 1]).filter(Number.isSafeInteger))(
  "bigintOf(%d) equals BigInt of the number, and integer() returns the number again",
  (value) => {
    expect(bigintOf(value)).toBe(BigInt(value));
    expect(integer(bigintOf(value))).toBe(value === 0 ? 0 : value);
  },
);

test("integer() returns a bigint for an integer beyond the safe range", () => {
  for (const value of [2n ** 53n, -(2n ** 53n), 2n ** 64n - 1n]) expect(integer(value)).toBe(value);
});
