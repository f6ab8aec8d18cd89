// Memory of request bodies that is used again for later bodies.

import { expect, it } from "vitest";

// The module keeps returned memory, also that of other test files in this worker, so this test imports a fresh copy.
const own = "../../../../server/http/body/body-memory.ts?own";
const { giveBack, isAlone, leave, setAlone, takeMemory } = (await import(
  own
)) as typeof import("../../../../server/http/body/body-memory.ts");

const large = 100_000;

it("is as long as was asked for, and shared with nothing", () => {
  const bytes = takeMemory(large);
  expect(bytes.length).toBe(large);
  expect(isAlone(bytes)).toBe(true);
  expect(isAlone(new Uint8Array(new ArrayBuffer(2 * large), 0, large))).toBe(false);
});

it("comes back for a body of about the same length, once", () => {
  const first = takeMemory(large);
  giveBack(first);
  const again = takeMemory(large + 1);
  expect(again.buffer).toBe(first.buffer);
  expect(again.length).toBe(large + 1);
  expect(takeMemory(large).buffer).not.toBe(first.buffer);
});

it("does not come back twice, however often it is given", () => {
  const first = takeMemory(large);
  giveBack(first);
  expect(isAlone(first)).toBe(false);
  giveBack(first);
  expect(takeMemory(large).buffer).toBe(first.buffer);
  expect(takeMemory(large).buffer).not.toBe(first.buffer);
});

it("does not serve a body that is much shorter, or longer", () => {
  const first = takeMemory(10 * large);
  giveBack(first);
  expect(takeMemory(large).buffer).not.toBe(first.buffer);
  expect(takeMemory(20 * large).buffer).not.toBe(first.buffer);
  expect(takeMemory(10 * large).buffer).toBe(first.buffer);
});

it("is the least that fits, and of two alike the one that came last", () => {
  const [wide, first, second] = [19, 10, 10].map((times) => takeMemory(times * large));
  for (const each of [wide, first, second]) giveBack(each);
  expect(takeMemory(10 * large).buffer).toBe(second.buffer);
  expect(takeMemory(10 * large).buffer).toBe(first.buffer);
  expect(takeMemory(10 * large).buffer).toBe(wide.buffer);
});

it("is kept up to 16 MiB in all", () => {
  const given = Array.from({ length: 20 }, () => takeMemory(1024 * 1024));
  for (const each of given) giveBack(each);
  const buffers = given.map(({ buffer }) => buffer);
  const taken = Array.from({ length: 20 }, () => takeMemory(1024 * 1024).buffer);
  expect(taken.filter((memory) => buffers.includes(memory))).toHaveLength(16);
});

it("is not taken from those who made their own", () => {
  const own = new Uint8Array(128 * 1024);
  giveBack(own);
  expect(takeMemory(own.length).buffer).not.toBe(own.buffer);
});

it("is taken from another thread's when that has none of it left", () => {
  const sent = new Uint8Array(128 * 1024);
  setAlone(sent);
  giveBack(sent);
  expect(takeMemory(sent.length).buffer).toBe(sent.buffer);
});

it("is never used again when somebody unknown may read it", () => {
  const read = takeMemory(large);
  leave(read);
  giveBack(read);
  expect(takeMemory(large).buffer).not.toBe(read.buffer);
});
