import { expect, test } from "vitest";
import { rememberedKeys } from "../../../lib/point/remembered-keys.ts";

test("equal strings give the same Key, and different strings different ones", () => {
  const keyOf = rememberedKeys();
  expect(keyOf("host")).toBe(keyOf("host"));
  expect(keyOf("host").text).toBe("host");
  expect(keyOf("")).not.toBe(keyOf("host"));
});

test("a Key beyond the thousandth is made anew each time", () => {
  const keyOf = rememberedKeys();
  for (let at = 0; at < 1000; at++) keyOf(`k${at}`);
  expect(keyOf("one more")).not.toBe(keyOf("one more"));
  expect(keyOf("one more").text).toBe("one more");
  expect(keyOf("k0")).toBe(keyOf("k0"));
});
