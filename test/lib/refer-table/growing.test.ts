// Typed arrays that grow: they keep their content, and can become as large as the JavaScript engine allows.

import { describe, expect, it } from "vitest";
import { freeArray, withRoom } from "../../../lib/refer-table/growing.ts";

const mebibyte = 2 ** 20;

describe("an array that grows", () => {
  it("is reused while its buffer can grow, and then replaced by a longer copy", () => {
    let array = new Uint32Array(4);
    array.set([1, 2, 3, 4]);
    const first = withRoom(array, 5);
    expect(first).not.toBe(array);
    array = withRoom(first, 100_000);
    expect(array).toBe(first);
    expect(array.length).toBeGreaterThanOrEqual(100_000);
    expect([...array.subarray(0, 6)]).toEqual([1, 2, 3, 4, 0, 0]);
    array = withRoom(array, 4_000_000);
    expect(first.length).toBe(0);
    expect([...array.subarray(0, 6)]).toEqual([1, 2, 3, 4, 0, 0]);
    freeArray(array);
  });

  it("still grows when a multiple of its size cannot be reserved", () => {
    // The test writes to only a small part of the array, so the operating system provides memory for this part only.
    let array = withRoom(new Uint8Array(1), 400 * mebibyte);
    array[1] = 7;
    for (const size of [450, 550]) {
      array = withRoom(array, size * mebibyte);
      expect(array.length).toBeGreaterThanOrEqual(size * mebibyte);
      expect(array[1]).toBe(7);
    }
    freeArray(array);
  });
});
