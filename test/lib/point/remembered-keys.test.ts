import { expect, test } from "vitest";
import { rememberedKeys } from "../../../lib/point/remembered-keys.ts";

test("equal strings give the same Key, and different strings different ones", () => {
  const keyOf = rememberedKeys();
  expect(keyOf("host")).toBe(keyOf("host"));
  expect(keyOf("host").text).toBe("host");
  expect(keyOf("")).not.toBe(keyOf("host"));
});

test("keys beyond the thousandth are kept only while they are among the last", () => {
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
