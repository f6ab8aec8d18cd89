// The memory of request bodies: when it may be transferred to another thread, and when it is freed.

import { expect, it } from "vitest";
import { freeOwn, freeWhole, hasOwnMemory, setOwnMemory } from "../../../../server/http/body/own-memory.ts";

const large = 4 * 1024 * 1024;

it.each([
  ["fills its memory", () => new Uint8Array(10), true],
  ["shares its memory", () => new Uint8Array(new ArrayBuffer(20), 0, 10), false],
  [
    "alone has longer memory",
    () => {
      const body = new Uint8Array(new ArrayBuffer(20), 0, 10);
      setOwnMemory(body);
      return body;
    },
    true,
  ],
] as const)("a body that %s can be transferred: %#", (_name, make, expected) => {
  expect(hasOwnMemory(make())).toBe(expected);
});

it.each([
  ["marked and large", true, large, 0],
  ["marked and small", true, 1000, 1000],
  ["not marked", false, large, large],
] as const)("memory that is %s has its length afterwards", (_name, isMarked, length, left) => {
  const body = new Uint8Array(length);
  if (isMarked) setOwnMemory(body);
  freeOwn(body);
  expect(body.buffer.byteLength).toBe(left);
});

it.each([
  ["fills its memory and is large", () => new Uint8Array(large), 0],
  ["fills its memory and is small", () => new Uint8Array(1000), 1000],
  ["shares its memory", () => new Uint8Array(new ArrayBuffer(large), 0, large - 1), large],
] as const)("after bytes that %s were freed, their memory has its length", (_name, make, left) => {
  const chunk = make();
  freeWhole(chunk);
  expect(chunk.buffer.byteLength).toBe(left);
});
