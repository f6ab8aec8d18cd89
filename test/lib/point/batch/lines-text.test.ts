// When a program reads the strings of a long body one after the other, the library decodes a long part of the
// body to one JavaScript string. The strings that the program gets are slices of this string.

import { afterEach, expect, it, vi } from "vitest";
import { createMillrace, Key } from "../../../../lib/index.ts";

const mill = await createMillrace();
const field = new Key("f");
const count = 20_000;
const nameOf = (at: number) => `m${at}`;
const textOf = (at: number) => `v${at * 7}`;
const text = Array.from({ length: count }, (_, at) => `${nameOf(at)},t=x f="${textOf(at)}"`).join("\n");
const body = new TextEncoder().encode(text);

afterEach(() => vi.restoreAllMocks());

/**
 * Reads names and fields of the points in the given order. Returns how many bytes were decoded in all, and the largest
 * number of bytes that were decoded at once.
 */
function decodedBy(order: readonly number[]): { readonly bytes: number; readonly most: number } {
  const points = mill.decodePoints(body, { category: "logging", form: "lp" });
  const decode = vi.spyOn(TextDecoder.prototype, "decode");
  for (const at of order) {
    const point = points.at(at);
    // In each line, the field comes after the name of the point. The test reads the name, then the field, and then
    // the name again. So the last read is at an earlier place in the body than the read before it.
    const read = [point.name, point.get(field), point.name];
    if (read[0] !== nameOf(at) || read[1] !== textOf(at) || read[2] !== nameOf(at)) expect(read).toEqual(at);
  }
  const lengths = decode.mock.calls.map(([bytes]) => (bytes as Uint8Array).length);
  points.release();
  return { bytes: lengths.reduce((sum, length) => sum + length, 0), most: Math.max(...lengths) };
}

const forward = Array.from({ length: count }, (_, at) => at);

it("decodes a body part by part and almost only once when it is read forward", () => {
  const { bytes, most } = decodedBy(forward);
  expect(most).toBe(64 * 1024);
  expect(bytes).toBeLessThan(1.2 * body.length);
});

it.each([
  ["backward", forward.toReversed()],
  ["in leaps", forward.map((at) => (at * 7919) % count)],
])("decodes a body only a few times when it is read %s", (_how, order) => {
  expect(decodedBy(order).bytes).toBeLessThan(7 * body.length);
});
