// In line protocol and JSON, the encoders sort the tags and fields of a point by the bytes of their keys. The
// WebAssembly module gives each key of a batch a rank and sorts by rank; the encoder in JavaScript compares the
// keys. The test checks that both encoders write the same order.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeInWindows, decodePoints } from "../../../../lib/point/codec/decode.ts";
import { encodePoints, encodeTo } from "../../../../lib/point/codec/encode.ts";
import { Key } from "../../../../lib/point/view.ts";
import { encodeJson, encodeLineProtocol } from "../../../baseline/encode.ts";
import { loadCounting, loadModule } from "../../wasm/load.ts";

const module = await loadModule();
const { module: counting, steps } = await loadCounting();
const now = 1700000000000000000n;
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

interface Shape {
  readonly tags?: readonly string[];
  readonly fields: readonly string[];
}

/** Returns a body of simple JSON, in which keys may contain any character. */
function bodyOf(shapes: readonly Shape[]): Uint8Array {
  const members = (keys: readonly string[], value: string): string =>
    `{${keys.map((key) => `${JSON.stringify(key)}:${value}`).join(",")}}`;
  const elements = shapes.map(
    ({ tags = [], fields }, at) =>
      `{"measurement":"m","tags":${members(tags, '"v"')},"fields":${members(fields, "1.5")},"time":${at + 1}}`,
  );
  return utf8(`[${elements.join(",")}]`);
}

function expectSorted(shapes: readonly Shape[]): void {
  const batch = decodePoints(module, bodyOf(shapes), "json", { category: "tracing", now });
  const points = range(batch.length).map((i) => batch.point(i));
  expect(points.length).toBe(shapes.length);
  expect(textOf(encodePoints(module, batch, "lp"))).toBe(encodeLineProtocol(points));
  expect(textOf(encodePoints(module, batch, "json"))).toBe(encodeJson(points));
  // Encodes each point of the batch alone. The module has already ranked the keys, because the test has encoded all
  // points together before.
  for (const [i, point] of points.entries()) {
    expect(textOf(encodePoints(module, batch, "lp", { from: i, to: i + 1 }))).toBe(encodeLineProtocol([point]));
  }
  batch.release();
}

const backwards = (count: number, start = ""): string[] =>
  range(count).map((i) => `${start}${String(count - i).padStart(4, "0")}`);

const cases: readonly [name: string, shapes: readonly Shape[]][] = [
  ["one field", [{ fields: ["a"] }]],
  ["tags before fields", [{ tags: ["z", "y"], fields: ["b", "a"] }]],
  ["keys of which one begins the other", [{ fields: ["aa", "a", "aaa", "aaaaaaaa", "aaaaaaaaa"] }]],
  ["keys with NUL, which looks like no byte", [{ fields: ["a\0\0", "a", "a\0", "\0", "a\0b"] }]],
  ["the same first 8 bytes", [{ fields: ["eight---b", "eight---", "eight---a", "eight--"] }]],
  ["the same first 16 bytes", [{ fields: ["sixteen bytes---b", "sixteen bytes---", "sixteen bytes---a"] }]],
  ["the same first 200 bytes", [{ fields: backwards(20, "k".repeat(200)) }]],
  ["letters beyond ASCII", [{ fields: ["é", "z", "日志", "журнал", "🌊", "\u{ffff}", "~"] }]],
  [
    "a key of a tag and of a field elsewhere",
    [
      { tags: ["x"], fields: ["b"] },
      { tags: ["b"], fields: ["x"] },
    ],
  ],
  [
    "other keys in each point",
    range(50).map((i) => ({ tags: [`t${99 - i}`, `t${i}`], fields: [`f${i}`, `f${49 - i}x`] })),
  ],
  ...[3, 4, 5, 127, 128, 129, 130, 255, 1000].map((count): [string, Shape[]] => [
    `${count} fields in falling order`,
    [{ fields: backwards(count) }, { tags: ["t"], fields: backwards(count - 1) }],
  ]),
  ["tags and fields in a long point", [{ tags: backwards(15, "t"), fields: backwards(200, "f") }]],
  [
    "more keys than a first point may rank",
    [...range(300).map((i) => ({ fields: [`k${i}`] })), { fields: ["k9", "k10", "k1"] }],
  ],
];

describe("keys in line protocol and JSON", () => {
  it.each(cases)("are sorted: %s", (_, shapes) => {
    expectSorted(shapes);
  });

  it("are sorted in random points", () => {
    const key = fc.oneof(
      fc.constantFrom(
        "a",
        "b",
        "ab",
        "usage_user",
        "usage_system",
        "usage_user_total",
        "container_memory_a",
        "container_memory_b",
      ),
      fc
        .string({ minLength: 1, maxLength: 20, unit: "binary" })
        .filter((key) => key.isWellFormed() && !/[\n\\]/.test(key)),
    );
    const shape = fc
      .tuple(fc.uniqueArray(key, { maxLength: 12 }), fc.uniqueArray(key, { minLength: 1, maxLength: 40 }))
      .map(([tags, fields]) => ({ tags: tags.filter((tag) => !fields.includes(tag)), fields }));
    fc.assert(fc.property(fc.array(shape, { minLength: 1, maxLength: 12 }), expectSorted), { numRuns: 300 });
  });

  it("are sorted after keys were added to a batch that was already encoded", () => {
    const batch = decodePoints(module, bodyOf(range(30).map((i) => ({ fields: [`m${i}`, "m", `l${i}`] }))), "json", {
      category: "tracing",
      now,
    });
    for (const added of ["zz", "a", "m1", "m\0", "lz"]) {
      expect(textOf(encodePoints(module, batch, "lp"))).toBe(encodeLineProtocol(range(30).map((i) => batch.point(i))));
      for (let i = 0; i < batch.length; i += 3) batch.at(i).setField(new Key(`${added}${i % 2}`), 1);
    }
    expect(textOf(encodePoints(module, batch, "json"))).toBe(encodeJson(range(30).map((i) => batch.point(i))));
    batch.release();
  });

  it("are sorted in windows, each of which has its own keys", () => {
    const shapes = range(4000).map((i) => ({ fields: [`k${4000 - i}`, `k${i}x`, "k"] }));
    const body = bodyOf(shapes);
    const whole = decodePoints(module, body, "json", { category: "tracing", now });
    const expected = encodeLineProtocol(range(whole.length).map((i) => whole.point(i)));
    whole.release();
    const windows = decodeInWindows(module, body, "json", { category: "tracing", now }, 600);
    let count = 0;
    const parts: string[] = [];
    for (const window of windows) {
      count++;
      parts.push(textOf(encodePoints(module, window, "lp")));
      window.release();
    }
    expect(count).toBeGreaterThan(3);
    expect(parts.join("\n")).toBe(expected);
  });

  it("are sorted in a bounded number of steps when keys are added between encoding single points", () => {
    const count = 3000;
    const lines = range(count).map((i) => `m k${i}=1,j${count - i}=2 ${i + 1}`);
    const batch = decodePoints(counting, utf8(lines.join("\n")), "lp", { category: "tracing", now });
    const before = steps();
    let bytes = 0;
    for (let i = 0; i < count; i++) {
      batch.at(i).setField(new Key(`n${i}`), 1);
      encodeTo(counting, batch, "lp", (chunk) => void (bytes += chunk.length), { from: i, to: i + 1 });
    }
    // If the module ranked all 9000 keys again for each point, this would take hundreds of steps for each key.
    expect((steps() - before) / count).toBeLessThan(20_000);
    expect(bytes).toBeGreaterThan(count * 20);
    batch.release();
  });
});
