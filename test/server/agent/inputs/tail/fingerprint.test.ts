import { expect, it } from "vitest";
import { fingerprintOf, hasFingerprint, noFingerprint } from "../../../../../server/agent/inputs/tail/fingerprint.ts";

/**
 * Returns an object that takes the place of an open file with the content `text`. Each read returns at most `most`
 * bytes.
 */
function fileOf(text: string, most = Number.POSITIVE_INFINITY): Parameters<typeof fingerprintOf>[0] {
  const bytes = Buffer.from(text);
  const read = async (into: Buffer, offset: number, length: number, from: number) => ({
    bytesRead: bytes.copy(into, offset, from, Math.min(from + Math.min(length, most), bytes.length)),
    buffer: into,
  });
  return { read } as unknown as Parameters<typeof fingerprintOf>[0];
}

it.each<[before: string, after: string, isSame: boolean]>([
  ["abc", "abc", true],
  ["abc", "abcdef", true],
  ["abc", "abd", false],
  ["abc", "ab", false],
  ["", "", true],
  ["", "abc", true],
  ["x".repeat(1024), `${"x".repeat(1024)}a`, true],
  [`${"x".repeat(1024)}a`, `${"x".repeat(1024)}b`, true],
  [`${"x".repeat(1023)}a`, `${"x".repeat(1023)}b`, false],
])("recognizes whether a file is the same (case %#)", async (before, after, isSame) => {
  expect(await hasFingerprint(fileOf(after), await fingerprintOf(fileOf(before)))).toBe(isSame);
});

it("covers the first 1,024 bytes, also when reads return fewer bytes", async () => {
  const text = "0123456789".repeat(200);
  const whole = await fingerprintOf(fileOf(text));
  expect(whole.bytes).toBe(1024);
  expect(await fingerprintOf(fileOf(text, 7))).toEqual(whole);
  expect(await fingerprintOf(fileOf(""))).toEqual(noFingerprint);
});
