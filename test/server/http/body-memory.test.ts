// Memory of bodies that is used again.

import { expect, it } from "vitest";
import { giveSpare, isAlone, takeMemory } from "../../../server/http/body-memory.ts";

const large = 100_000;

it("is as long as was asked for, and shared with nothing", () => {
  const bytes = takeMemory(large);
  expect(bytes.length).toBe(large);
  expect(isAlone(bytes)).toBe(true);
  expect(isAlone(new Uint8Array(new ArrayBuffer(2 * large), 0, large))).toBe(false);
});

it("comes back for a body of about the same length, once", () => {
  const memory = takeMemory(large).buffer as ArrayBuffer;
  giveSpare(memory);
  const again = takeMemory(large + 1);
  expect(again.buffer).toBe(memory);
  expect(again.length).toBe(large + 1);
  expect(takeMemory(large).buffer).not.toBe(memory);
});

it("does not serve a body that is much shorter, or longer", () => {
  const memory = takeMemory(10 * large).buffer as ArrayBuffer;
  giveSpare(memory);
  expect(takeMemory(large).buffer).not.toBe(memory);
  expect(takeMemory(20 * large).buffer).not.toBe(memory);
  expect(takeMemory(10 * large).buffer).toBe(memory);
});

it("is kept up to 16 MiB in all", () => {
  const given = Array.from({ length: 20 }, () => takeMemory(1024 * 1024).buffer as ArrayBuffer);
  for (const memory of given) giveSpare(memory);
  const taken = Array.from({ length: 20 }, () => takeMemory(1024 * 1024).buffer);
  expect(taken.filter((memory) => given.includes(memory as ArrayBuffer))).toHaveLength(16);
});

it("is not taken from those who made their own", () => {
  const memory = new ArrayBuffer(large);
  giveSpare(memory);
  expect(takeMemory(large).buffer).not.toBe(memory);
});
