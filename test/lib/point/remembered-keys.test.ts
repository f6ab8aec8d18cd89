import { expect, test } from "vitest";
import { rememberedKeys } from "../../../lib/point/remembered-keys.ts";

test("returns the same Key for equal strings, and different Keys for different strings", () => {
  const keyOf = rememberedKeys();
  expect(keyOf("host")).toBe(keyOf("host"));
  expect(keyOf("host").text).toBe("host");
  expect(keyOf("")).not.toBe(keyOf("host"));
});

test("keeps a Key beyond the first 1,000 only while it is among the most recent ones", () => {
  const keyOf = rememberedKeys();
  for (let at = 0; at < 1000; at++) keyOf(`k${at}`);
  const letterOf = (at: number) => String.fromCharCode(97 + (at % 26));
  const more = keyOf("one more");
  expect(more.text).toBe("one more");
  expect(keyOf("one more")).toBe(more);
  for (let at = 0; at < 10_000; at++) expect(keyOf(`${letterOf(at)}${at}`).text).toBe(`${letterOf(at)}${at}`);
  expect(keyOf("one more")).not.toBe(more);
  expect(keyOf("k0")).toBe(keyOf("k0"));
});
