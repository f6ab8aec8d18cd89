// Tests how points are packed into bodies of limited size (docs/reference/points.md#batches): a table of
// examples, and rules that are true for every wire format and every mode.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type BatchOptions, createBatcher, encodeBatches } from "../../../../lib/point/codec/batches.ts";
import { decodeInWindows, decodePoints } from "../../../../lib/point/codec/decode.ts";
import { encodePoints, type Form } from "../../../../lib/point/codec/encode.ts";
import { Point } from "../../../../lib/point/point.ts";
import { Float, PointArray } from "../../../../lib/point/value.ts";
import { Key } from "../../../../lib/point/view.ts";
import { encodeWithProtobufjs } from "../../../baseline/protobuf.ts";
import { seeded } from "../../../bench/data/dice.ts";
import { loadModule } from "../../wasm/load.ts";

const module = await loadModule();
const now = 1700000000000000000n;
const forms: readonly Form[] = ["lp", "json", "pbjson", "pb"];
const utf8 = new TextEncoder();
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/**
 * Each point is `m,t=a f=1i,s="hello"` and a time: 40 bytes of line protocol, a protobuf message of 42 bytes, an
 * estimated size of 57 bytes.
 */
const ten = Array.from({ length: 10 }, (_, i) => {
  const point = new Point("m", (1700000000n + BigInt(i)) * 1_000_000_000n);
  point.setTag(new Key("t"), "a");
  point.setField(new Key("f"), 1);
  point.setField(new Key("s"), "hello");
  return point;
});

function lengthsOf(form: Form, options: BatchOptions): number[] {
  return Array.from(encodeBatches(module, ten, form, options), ({ bytes }) => bytes.length);
}

describe("batches that are read in place without a copy", () => {
  const options: readonly BatchOptions[] = [{}, { maxPoints: 3 }, { maxBytes: 100 }, { bufferBytes: 200 }];

  it.each(forms)("equal the copied batches, also with a second batcher and used memory: %s", (form) => {
    for (const its of options) {
      const expected = Array.from(encodeBatches(module, ten, form, its), ({ bytes, points }) => [text(bytes), points]);
      const [first, second] = [createBatcher(module, form, its), createBatcher(module, form, its)];
      const seen: [unknown[], unknown[]] = [[], []];
      for (const [from, to] of [
        [0, 1],
        [1, 8],
        [8, 10],
      ] as const) {
        for (const [at, batcher] of [first, second].entries()) {
          batcher.each(ten.slice(from, to), ({ bytes, points }) => seen[at]!.push([text(bytes), points]));
        }
      }
      for (const [at, batcher] of [first, second].entries()) {
        batcher.each(undefined, ({ bytes, points }) => seen[at]!.push([text(bytes), points]));
      }
      expect(seen).toEqual([expected, expected]);
    }
  });
});

describe("ten points of the documentation, packed with limits", () => {
  it.each([
    ["none", {}, [440], [409]],
    ["3 points", { maxPoints: 3 }, [132, 132, 132, 44], [122, 122, 122, 40]],
    ["100 bytes", { maxBytes: 100 }, [88, 88, 88, 88, 88], [81, 81, 81, 81, 81]],
    ["4 points and 150 bytes", { maxPoints: 4, maxBytes: 150 }, [132, 132, 132, 44], [122, 122, 122, 40]],
    ["a buffer of 200", { bufferBytes: 200 }, [132, 132, 132, 44], [164, 164, 82]],
    ["a buffer of 60", { bufferBytes: 60 }, Array(10).fill(44), Array(10).fill(41)],
  ] as const)("%s", (_, options, protobuf, lines) => {
    expect(lengthsOf("pb", options)).toEqual(protobuf);
    expect(lengthsOf("lp", options)).toEqual(lines);
  });

  it("are refused or left out when a buffer of 40 bytes is too small, unless each is sent alone", () => {
    expect(() => lengthsOf("pb", { bufferBytes: 40 })).toThrow(
      "too small buffer: need at least 57 bytes, only 40 available",
    );
    expect(() => lengthsOf("lp", { bufferBytes: 40 })).toThrow(/^too small buffer$/);
    const batches = encodeBatches(module, ten, "pb", { bufferBytes: 40, ignoreLarge: true });
    expect([...batches]).toEqual([]);
    expect(batches.ignored).toBe(10);
    const alone = { bufferBytes: 40, largeAlone: true };
    expect(lengthsOf("pb", alone)).toEqual(Array(10).fill(44));
    expect(lengthsOf("lp", alone)).toEqual(Array(10).fill(41));
  });

  it("are no longer packed when the callback that counts the written bytes throws", () => {
    const counts: number[] = [];
    const written = (bytes: number) => {
      counts.push(bytes);
      throw new RangeError("enough");
    };
    expect(() => lengthsOf("lp", { maxPoints: 2, written })).toThrow("enough");
    expect(counts).toEqual([encodePoints(module, ten, "lp").length]);
    expect(lengthsOf("lp", { bufferBytes: 40, largeAlone: true })).toHaveLength(10);
  });

  it("are packed by their exact size of 42 bytes each", () => {
    expect(lengthsOf("pb", { maxBytes: 84, exactSizes: true })).toEqual([88, 88, 88, 88, 88]);
    expect(lengthsOf("pb", { maxBytes: 85, exactSizes: true })).toEqual([132, 132, 132, 44]);
    expect(lengthsOf("json", { maxBytes: 85, exactSizes: true })).toHaveLength(4);
  });

  it("move to the next batch when their messages do not fit into the buffer", () => {
    // 4 points of 42 bytes have 168 bytes together. But in a body, each point's message needs 2 bytes more, for its
    // protobuf tag and its length. So with a limit of 168 bytes, a body has only 3 points, which take 132 bytes.
    expect(lengthsOf("pb", { bufferBytes: 168, exactSizes: true })).toEqual([132, 132, 132, 44]);
    // In a body, 5 points need 220 bytes, which is more than the limit of 211. So the encoder removes one point from
    // the body.
    expect(lengthsOf("pb", { bufferBytes: 42 * 5 + 1, exactSizes: true })).toEqual([176, 176, 88]);
    // In a body, 30 points need 1320 bytes, and the limit is 1260. The encoder first removes one point from the
    // body, and then removes two points at once. So the body has 27 points, although 28 would fit.
    const many = [...ten, ...ten, ...ten];
    const batches = encodeBatches(module, many, "pb", { bufferBytes: 42 * 30, exactSizes: true });
    expect(Array.from(batches, ({ points }) => points)).toEqual([27, 3]);
    expect(() => lengthsOf("pb", { bufferBytes: 44, exactSizes: true })).toThrow("need at least 45 bytes, only 44");
  });
});

/** Returns the estimated size of a point, by the formula of docs/reference/points.md. */
function estimate(point: Point): number {
  let size = utf8.encode(point.name).length;
  for (const { key, value } of point.entries()) {
    size += utf8.encode(key).length + 13;
    if (typeof value === "string") size += utf8.encode(value).length;
    else if (value instanceof Uint8Array) size += value.length;
    else if (typeof value === "boolean") size += 1;
    else if (value !== null) size += 8;
  }
  return size + point.warnings.reduce((sum, { type, message }) => sum + type.length + message.length, 0);
}

function randomPoints(count: number, seed: number): Point[] {
  const random = seeded(seed);
  return Array.from({ length: count }, (_, i) => {
    const point = new Point(`m${i % 3}`, now + BigInt(i));
    if (random() < 0.5) point.setTag(new Key("host"), `h${Math.floor(random() * 100)}`);
    if (random() < 0.9) point.setField(new Key("s"), 'text "q" \u4e2d\n'.repeat(random() * 12));
    if (random() < 0.5) point.setField(new Key("x"), new Float(random()));
    if (random() < 0.2) point.setField(new Key("b"), true);
    if (random() < 0.2) point.setField(new Key("d"), new Uint8Array(5));
    if (random() < 0.1) point.setField(new Key("n"), null);
    if (random() < 0.1) point.warnings.push({ type: "nil_field", message: "nil field(n)" });
    return point;
  });
}

describe("batches", () => {
  const modes = fc.record({
    maxPoints: fc.constantFrom(0, 1, 2, 7, 100),
    maxBytes: fc.constantFrom(0, 0, 1, 200, 1000),
    bufferBytes: fc.constantFrom(0, 0, 100, 300, 1000, 100_000),
    exactSizes: fc.boolean(),
    ignoreLarge: fc.constant(true),
    largeAlone: fc.boolean(),
  });

  it("contain every point once, in order, within the limits", () => {
    fc.assert(
      fc.property(fc.nat(60), fc.nat(1000), fc.constantFrom(...forms), modes, (count, seed, form, options) => {
        const points = randomPoints(count, seed);
        const batches = encodeBatches(module, points, form, options);
        const all = [...batches];
        expect(all.reduce((sum, each) => sum + each.points, 0) + batches.ignored + batches.unwritable).toBe(count);
        for (const { bytes, points: size } of all) {
          expect(size).toBeGreaterThan(0);
          const isAlone = options.largeAlone && size === 1;
          if (options.bufferBytes > 0 && !isAlone) expect(bytes.length).toBeLessThanOrEqual(options.bufferBytes);
          else if (options.maxBytes === 0 && options.maxPoints > 0) expect(size).toBeLessThanOrEqual(options.maxPoints);
        }
        if (options.largeAlone) expect(batches.ignored).toBe(0);
        if (batches.ignored > 0) return;
        const whole = encodePoints(module, points, form);
        if (form === "pb") expect(all.flatMap(({ bytes }) => [...bytes])).toEqual([...whole]);
        else if (form === "lp") {
          const lines = all.map(({ bytes }) => text(bytes).replace(/\n$/, ""));
          expect(lines.join("\n")).toBe(text(whole));
        } else expect(all.flatMap(({ bytes }) => JSON.parse(text(bytes)))).toEqual(JSON.parse(text(whole)));
      }),
      { numRuns: 300 },
    );
    expect(module.used).toBe(0);
  });

  it("end when the sum of the estimated sizes reaches the limit", () => {
    const points = randomPoints(200, 4);
    let [sum, count] = [0, 0];
    const expected: number[] = [];
    for (const point of points) {
      sum += estimate(point);
      count++;
      if (sum < 500) continue;
      expected.push(count);
      [sum, count] = [0, 0];
    }
    if (count > 0) expected.push(count);
    const got = encodeBatches(module, points, "pb", { maxBytes: 500 });
    expect(Array.from(got, (each) => each.points)).toEqual(expected);
    const exact = encodeBatches(module, points, "pb", { maxBytes: 1, exactSizes: true });
    expect(Array.from(exact, ({ bytes }) => bytes.length)).toEqual(
      points.map((point) => encodeWithProtobufjs([point]).length),
    );
  });

  it("count an array with its type and the message of each element", () => {
    const point = new Point("m", now);
    point.setField(new Key("a"), new PointArray([1, 300]));
    // The size of the point in bytes: 1 for its name; 14 for its field, 1 of them for the key of the field; 31 for the
    // type URL of the array; 2 and 3 for the two elements of the array, and 2 more for the message around each element.
    const limit = 1 + 14 + 31 + (2 + 2) + (2 + 3);
    expect([...encodeBatches(module, [point, point], "pb", { maxBytes: limit })]).toHaveLength(2);
    expect([...encodeBatches(module, [point, point], "pb", { maxBytes: limit + 1 })]).toHaveLength(1);
  });

  it("continue across the windows of a body, and across single points", () => {
    const lines = Array.from({ length: 5000 }, (_, i) => `m,t=a f=${i}i,s="a \\"b\\"" ${now}`).join("\n");
    const body = utf8.encode(lines);
    const options = { category: "tracing", now } as const;
    const batch = decodePoints(module, body, "lp", options);
    const each = function* () {
      for (const point of batch) yield point;
    };
    for (const points of [batch, each(), decodeInWindows(module, body, "lp", options)]) {
      const counts: number[] = [];
      let length = 0;
      for (const { bytes, points: size } of encodeBatches(module, points, "lp", { maxPoints: 1500 })) {
        counts.push(size);
        length += bytes.length + 1;
      }
      expect(counts).toEqual([1500, 1500, 1500, 500]);
      expect(length).toBe(body.length + 1);
    }
    batch.release();
    expect(module.used).toBe(0);
  });

  it("leave out and count points that line protocol cannot express", () => {
    const batches = encodeBatches(module, [ten[0]!, new Point("empty", now), ten[1]!], "lp", { maxPoints: 2 });
    expect(Array.from(batches, ({ points }) => points)).toEqual([2]);
    expect(batches.unwritable).toBe(1);
  });
});
