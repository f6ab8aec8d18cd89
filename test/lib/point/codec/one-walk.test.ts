// The encoder writes the protobuf of a point while it reads the point once. When a point is too long for this,
// the encoder stops and other code measures the lengths first and then writes the point. The tests use sizes
// around the limits, and compare the output with an encoder that builds each protobuf message separately.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodePoints } from "../../../../lib/point/codec/decode.ts";
import { encodePoints, encodeTo } from "../../../../lib/point/codec/encode.ts";
import { Point } from "../../../../lib/point/point.ts";
import { Float, PointArray, type PointValue, Uint } from "../../../../lib/point/value.ts";
import { Key, type PointView } from "../../../../lib/point/view.ts";
import { joined, protobufBytes } from "../../../baseline/protobuf-bytes.ts";
import { loadModule } from "../../wasm/load.ts";

const module = await loadModule();
const now = 1700000000000000000n;
const utf8 = new TextEncoder();

function decode(body: string) {
  return decodePoints(module, utf8.encode(body), "lp", { category: "tracing", now, precision: "n" });
}

/** Expects equal bytes. A comparison of whole buffers is faster than an assertion for each byte. */
function expectSame(got: Uint8Array, expected: Uint8Array): void {
  const at = got.findIndex((byte, i) => byte !== expected[i]);
  expect([got.length, at]).toEqual([expected.length, -1]);
}

function expectExact(points: Iterable<PointView>): void {
  expectSame(encodePoints(module, points, "pb"), protobufBytes(points));
}

function pointWith(...entries: readonly (readonly [key: string, value: PointValue, isTag?: boolean])[]): Point {
  const point = new Point("m", now);
  for (const [key, value, isTag = false] of entries) point.set(key, value, isTag);
  return point;
}

const nameOf = (length: number): string => "abcdefghijklmnopq".repeat(Math.ceil(length / 17)).slice(0, length);

const keyLengths = [
  0, 1, 3, 4, 11, 12, 13, 15, 16, 17, 31, 32, 33, 63, 64, 65, 111, 112, 113, 114, 115, 120, 125, 126, 127, 128, 129,
  300,
];
const textLengths = [
  0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112,
  113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 255, 256, 257, 1000, 16383,
  16384, 16385,
];

describe("a field", () => {
  const values: readonly (readonly [name: string, value: PointValue])[] = [
    ["nil", null],
    ["the least int", -(2n ** 63n)],
    ["an int", 300],
    ["the largest uint", new Uint(2n ** 64n - 1n)],
    ["a float", new Float(-0.1)],
    ["no number", new Float(Number.NaN)],
    ["true", true],
    ["false", false],
    ["a binary", new Uint8Array([0, 255, 1])],
    ["no bytes", new Uint8Array(0)],
    ["an empty list", new PointArray([])],
    ["a list", new PointArray([new Float(1), new Float(2)])],
    ["a list of texts", new PointArray(["", "x".repeat(127), "y".repeat(128)])],
    ["an empty text", ""],
    ["a text", "text"],
  ];

  it.each(values)("with a key of any length is encoded exactly: %s", (_, value) => {
    for (const length of keyLengths) {
      const point = pointWith(["before", 1], [nameOf(length), value], ["behind", "text"]);
      expectExact([point, pointWith([nameOf(length), value, true]), point]);
    }
  });

  it.each([1, 3, 16, 17, 111, 112, 113, 126, 127, 128])(
    "with a text of any length and a key of %d bytes is encoded exactly",
    (length) => {
      const key = nameOf(length);
      for (const isTag of [false, true]) {
        const points = textLengths.map((each) => pointWith([key, nameOf(each), isTag], ["behind", 1]));
        expectExact(points);
      }
    },
  );

  it("with an integer of every number of bytes is encoded exactly", () => {
    const edges = Array.from({ length: 64 }, (_, bit) => 2n ** BigInt(bit)).flatMap((edge) => [
      edge - 1n,
      edge,
      edge + 1n,
    ]);
    for (const edge of edges) {
      const entries: [string, PointValue][] = [["u", new Uint(edge)]];
      if (edge < 2n ** 63n) entries.push(["i", edge], ["n", -edge], ["l", new PointArray([edge, -edge])]);
      const point = pointWith(...entries);
      point.time = BigInt.asIntN(64, edge);
      expectExact([point]);
    }
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (each) =>
        expectExact([pointWith(["i", each])]),
      ),
    );
  });

  it("with metric type, unit and description of any length is encoded exactly", () => {
    for (const length of [0, 1, 15, 16, 17, 127, 128, 300, 20_000]) {
      const point = pointWith(["a", 1], ["b", "text"], ["c", true], ["t", "v", true]);
      for (const key of ["a", "b", "t"]) {
        point.setTraits(key, { metricType: length % 4, unit: nameOf(length), description: nameOf(length + 1) });
      }
      expectExact([point, pointWith(["a", 1])]);
    }
  });
});

describe("a text with escapes", () => {
  it("is encoded exactly when its length needs fewer bytes without the escapes", () => {
    for (const key of ["k", nameOf(16), nameOf(113)]) {
      for (const around of [128 - key.length, 128, 16_384 - key.length, 16_384]) {
        for (let length = around - 12; length < around + 4; length++) {
          for (const quotes of [1, 2, 9]) {
            const text = `${"x".repeat(Math.max(0, length - 2 * quotes))}${'\\"'.repeat(quotes)}`;
            const batch = decode(`m ${key}="${text}",z=1i 7`);
            expectExact(batch);
            batch.release();
          }
        }
      }
    }
  });

  it("is encoded exactly when a point has many such texts", () => {
    const fields = Array.from({ length: 40 }, (_, i) => `f${i}="${'a \\"quoted\\" text '.repeat(i * 3)}",n${i}=${i}i`);
    const batch = decode(`m ${fields.join(",")} 7\nm f="\\""\n`);
    expectExact(batch);
    batch.release();
  });
});

describe("a point", () => {
  it("is encoded exactly when its length needs more or fewer bytes than that of the point before", () => {
    const lengths = [
      ...Array.from({ length: 40 }, (_, i) => 90 + i),
      ...Array.from({ length: 24 }, (_, i) => 16_350 + i),
    ];
    for (const other of [0, 200, 17_000]) {
      expectExact(
        lengths.flatMap((length) => [
          pointWith(["a", nameOf(length >> 1)], ["b", nameOf(length - (length >> 1))]),
          pointWith(["c", nameOf(other >> 1)], ["d", nameOf(other >> 1)]),
        ]),
      );
    }
  });

  it("with a name of any length is encoded exactly, also without time and entries", () => {
    for (const length of [0, 1, 15, 16, 17, 127, 128, 129, 256, 257, 16_384, 40_000, 140_000]) {
      const point = pointWith(["a", 1]);
      point.name = nameOf(length);
      const empty = new Point(nameOf(length), 0n);
      expectExact([point, empty, point]);
    }
  });

  it("with warnings of any length is encoded exactly", () => {
    for (const length of [0, 1, 16, 127, 128, 256, 257, 20_000, 40_000]) {
      const point = pointWith(["a", 1]);
      point.warnings.push(
        { type: nameOf(length), message: "" },
        { type: "", message: nameOf(length) },
        { type: "", message: "" },
      );
      expectExact([point, pointWith(["b", 2])]);
    }
  });

  it("with an added required key and its warning is encoded exactly", () => {
    const batch = decodePoints(module, utf8.encode('m f=1i 7\nm status="ok" 8\nm f=2i 9'), "lp", {
      category: "logging",
      now,
      precision: "n",
    });
    const points = Array.from(batch, (_, i) => batch.point(i));
    expect(points.map(({ warnings }) => warnings.length)).toEqual([1, 0, 1]);
    expectSame(encodePoints(module, batch, "pb"), protobufBytes(points));
    batch.release();
  });

  it("of every length around the limit of one pass is encoded exactly", () => {
    for (const fields of [1, 100, 700, 1000, 1024]) {
      const point = pointWith(
        ...Array.from({ length: fields }, (_, i) => [`field_${i}`, i % 3 ? i : nameOf(i)] as const),
      );
      const long = pointWith(
        ["first", 1],
        ...Array.from({ length: 4 }, (_, i) => [`l${i}`, nameOf(fields * 16)] as const),
      );
      expectExact([point, long, point]);
    }
  });

  it("among points with many different keys is encoded exactly", () => {
    const batch = decode(
      Array.from(
        { length: 300 },
        (_, i) => `m${i},t${i % 7}=v${i} f${i}=${i}i,g=${i}.5,s="${nameOf(i)}" ${i + 1}`,
      ).join("\n"),
    );
    expectExact(batch);
    batch.release();
  });
});

describe("points on a tape", () => {
  const body = Array.from(
    { length: 6 },
    (_, i) => `m,host=web${i},zone=eu a=${i}i,b=${i}u,c=1.5,d=t,e="text",f=[1,2],g="YWI="b,h="q\\"q" ${i + 1}`,
  ).join("\n");

  it("with deleted, changed, renamed and added entries are encoded exactly", () => {
    const batch = decode(body);
    const [host, a, c, e, h] = ["host", "a", "c", "e", "h"].map((text) => new Key(text)) as [Key, Key, Key, Key, Key];
    batch.at(0).delete(host);
    batch.at(0).delete(a);
    for (let i = 0; i < 40; i++) batch.at(1).setField(new Key(`new${i}`), i % 2 ? i : `value ${i}`);
    batch.at(1).setTag(new Key("tag"), nameOf(300));
    batch.at(2).setField(c, new PointArray([true, false]));
    batch.at(2).setField(e, 'quotes "and" \\backslashes\\');
    batch.at(2).setField(h, null);
    batch.at(3).setTag(e, "a tag now");
    batch.at(3).rename(a, new Key(nameOf(128)));
    for (const { key } of [...batch.at(4).entries()]) batch.at(4).delete(new Key(key));
    expectExact(batch);
    batch.release();
  });

  it("with two equal tags and fields, of which one counts, are encoded exactly", () => {
    const batch = decode("m,a=1,a=2,b=3 f=1i,f=2i,g=3i 7\nm,a=1 f=1i 8");
    expectExact(batch);
    batch.release();
  });

  it("are encoded exactly wherever the end of the body lies in a memory page", () => {
    // In memory, a header of 128 bytes is before the body, and a padding of 64 bytes is after it. The test gives the
    // field f each length for which the body ends near the end of a memory page.
    for (let length = 65_536 - 128 - 64 - 20; length < 65_536 - 128 + 20; length++) {
      const end = ',z="the last text"';
      const batch = decode(`m f="${"x".repeat(length - end.length - 6)}"${end}`);
      expectExact(batch);
      batch.release();
    }
    for (const last of ["m,t=v f=t", "m,t=v f=1i", "m,t=v f=1.5", 'm f=""', 'm f="\\""', 'm f="YQ=="b']) {
      const batch = decode(last);
      expectExact(batch);
      batch.release();
    }
  });
});

const chunk = 131_072;
const filler = Array.from({ length: 8 }, (_, i) => pointWith([`f${i}`, nameOf(16_000)]));

describe("an output chunk that fills up", () => {
  /**
   * Encodes filler points and then `last`, so that only `left` bytes of the output chunk are free when `last` begins.
   * Expects the same bytes as from encoding each point alone.
   */
  function expectBehind(left: number, last: readonly Point[]): void {
    const used = encodePoints(module, filler, "pb").length;
    const rest = chunk - left - used - encodePoints(module, [pointWith(["r", nameOf(2000)])], "pb").length + 2000;
    const points = [...filler, pointWith(["r", nameOf(rest)]), ...last];
    const alone = points.map((point) => encodePoints(module, [point], "pb"));
    expect(alone.slice(0, -last.length).reduce((sum, { length }) => sum + length, 0)).toBe(chunk - left);
    expectSame(encodePoints(module, points, "pb"), joined(alone));
  }

  it.each([
    ["a list", pointWith(["l", new PointArray(Array.from({ length: 20 }, (_, i) => i % 2 === 0))])],
    ["a list of texts", pointWith(["l", new PointArray(Array.from({ length: 12 }, () => ""))])],
    ["fields", pointWith(["a", 1], ["b", "text"], ["c", new Float(1)], ["t", "v", true])],
    ["a longer text", pointWith(["s", nameOf(100)], ["t", nameOf(40)])],
    ["a text with quotes", pointWith(["s", `${nameOf(60)}"${nameOf(40)}"`])],
  ])("within a point does not change the written bytes: %s", (_, point) => {
    const { length } = encodePoints(module, [point], "pb");
    point.warnings.push({ type: "", message: "" }, { type: "t", message: "m" });
    for (let left = 0; left < length + 24; left += 1) expectBehind(left, [point, filler[0]!]);
  });
});

describe("a point that is longer than a chunk", () => {
  it.each([
    ["of many fields", pointWith(...Array.from({ length: 4000 }, (_, i) => [`field_${i}`, nameOf(100)] as const))],
    ["of many texts", pointWith(...Array.from({ length: 30 }, (_, i) => [`text_${i}`, nameOf(16_000)] as const))],
  ])("is written in several chunks: %s", (_, point) => {
    const lengths: number[] = [];
    const chunks: Uint8Array[] = [];
    encodeTo(module, [...filler, point], "pb", (each) => {
      lengths.push(each.length);
      chunks.push(each.slice());
    });
    expect(Math.max(...lengths)).toBeLessThan(chunk + 65_536);
    expectSame(joined(chunks), protobufBytes([...filler, point]));
  });
});

describe("a point after one that is too long for one pass", () => {
  it.each([1, 2, 15, 16, 17, 40])("is written as it is alone: %d points between two long ones", (gap) => {
    const long = pointWith(["s", nameOf(40_000)], ["t", 1]);
    const short = Array.from({ length: gap }, (_, i) =>
      pointWith([nameOf(1 + i * 4), nameOf(i)], ["n", i], ["b", i % 2 === 0], ["l", new PointArray([new Float(i)])]),
    );
    expectExact([...short, long, ...short, long, ...short]);
  });
});

describe("the size that the module counts for a point", () => {
  const points = [
    pointWith(["a", 1], ["b", new Uint(2n ** 60n)], ["c", new Float(1)], ["d", true], ["e", null], ["t", "v", true]),
    ...textLengths.map((length) => pointWith([nameOf(length % 130), nameOf(length)], ["q", `"${nameOf(length)}"`])),
    pointWith(["l", new PointArray(["a", "b\\"])], ["b", new Uint8Array(300)]),
    pointWith(...Array.from({ length: 900 }, (_, i) => [`field_${i}`, nameOf(100)] as const)),
    ...Array.from({ length: 40 }, (_, i) => pointWith(["a", i], ["s", nameOf(i)], ["l", new PointArray([i, 2])])),
  ];
  points[0]!.setTraits("a", { metricType: 2, unit: "bytes", description: "of something" });
  points[1]!.warnings.push({ type: "kind", message: "a message" });
  points[2]!.name = nameOf(300);

  /** Returns the length of each encoded point, as the WebAssembly module records it. */
  function sizesOf(form: number, sizes: number): number[] {
    const batch = decodePoints(module, encodePoints(module, points, "pbjson"), "pbjson", {
      category: "tracing",
      now,
      precision: "n",
    });
    batch.layWarnings();
    const address = module.buffer(batch.length * 8);
    module.encoding = { take: () => undefined, metricType: (type) => String(type) };
    module.exports.startEncoding(form, 1n);
    module.exports.encodeMarked(batch.base, 0, batch.length, address, sizes);
    module.exports.finishEncoding();
    module.exports.stopEncoding();
    module.encoding = null;
    module.refresh();
    const found = Array.from({ length: batch.length }, (_, i) => module.u32[(address >>> 2) + 2 * i + 1]!);
    batch.release();
    return found;
  }

  it.each([
    ["as an estimate", 0],
    ["as the length of its message", 1],
    ["as nothing", 2],
  ])("%s, is the same when the point is written as protobuf and as JSON", (_, sizes) => {
    const found = sizesOf(3, sizes);
    expect(found).toHaveLength(points.length);
    expect(found).toEqual(sizesOf(1, sizes));
    expect(found.every((size) => size > 0)).toBe(sizes < 2);
  });
});
