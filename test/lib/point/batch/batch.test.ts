// A batch of decoded points: reading points from WebAssembly memory (the "tape"), changing points, adding and deleting
// their tags and fields, and data that stays valid after the batch is released.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Batch } from "../../../../lib/point/batch/batch.ts";
import type { BodyOptions } from "../../../../lib/point/codec/body.ts";
import { decodePoints } from "../../../../lib/point/codec/decode.ts";
import { Point } from "../../../../lib/point/point.ts";
import { Float, PointArray, type PointValue, Uint } from "../../../../lib/point/value.ts";
import { Key, type PointView } from "../../../../lib/point/view.ts";
import { type Bytes, isBytes } from "../../../../lib/text/bytes.ts";
import { loadModule } from "../../wasm/load.ts";
import { encodersOf } from "../encoders.ts";

const module = await loadModule();
const { encodeLineProtocol, encodePbjson } = encodersOf(module);
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

function decode(body: string | Uint8Array, options: Partial<BodyOptions> = {}) {
  const bytes = typeof body === "string" ? utf8(body) : body;
  return decodePoints(module, bytes, "lp", { category: "tracing", now: 1700000000000000000n, ...options });
}

const get = (point: PointView, key: string) => point.get(new Key(key));

describe("reading", () => {
  it("returns the value of each kind", () => {
    const batch = decode(
      'm,t=v i=-42i,big=9007199254740993i,u=18446744073709551615u,f=1,g=0.1234567890123456789,s="a\\"b",b=T,d="aGk="b,a=[1i,2i] 1',
    );
    const point = batch.at(0);
    expect(["i", "big", "u", "f", "g", "b", "d", "a", "t", "no"].map((key) => get(point, key))).toEqual([
      -42,
      9007199254740993n,
      new Uint(18446744073709551615n),
      new Float(1),
      new Float(0.12345678901234568),
      true,
      new Uint8Array([104, 105]),
      new PointArray([1, 2]),
      "v",
      undefined,
    ]);
    expect(String(get(point, "s"))).toBe('a"b');
    expect(String(get(point, "s"))).toBe('a"b');
    expect(point.isTag(new Key("t"))).toBe(true);
    expect(point.isTag(new Key("i"))).toBe(false);
    expect([point.name, point.time]).toEqual(["m", 1000000000n]);
    batch.release();
  });

  it("lists fields in line order, then tags by key", () => {
    const batch = decode("m,z=1,b=2 y=1,a=2,y=3 1");
    expect([...batch.at(0).entries()].map(({ key }) => key)).toEqual(["y", "a", "b", "z"]);
    expect(get(batch.at(0), "y")).toEqual(new Float(3));
    batch.release();
  });

  it("keeps bytes that are not UTF-8", () => {
    const batch = decode(new Uint8Array([...utf8('m s="'), 0xff, 0xc3, ...utf8('" 1')]));
    const text = get(batch.at(0), "s") as Bytes;
    expect(isBytes(text)).toBe(true);
    expect([...text.view()]).toEqual([0xff, 0xc3]);
    expect(String(text)).toBe("\ufffd\ufffd");
    batch.release();
  });

  it("works with one Key in several batches", () => {
    const key = new Key("a");
    const [one, two] = [decode("m x=1,y=2,a=3i 1"), decode("m a=4i 1")];
    expect([one.at(0).get(key), two.at(0).get(key), one.at(0).get(key)]).toEqual([3, 4, 3]);
    one.release();
    two.release();
  });
});

describe("edits", () => {
  it("make an absent key visible once it is set", () => {
    const batch = decode("m a=1i 1\nm a=2i 1");
    const [first, second] = [new Key("new"), new Key("new")];
    expect(batch.at(1).has(first)).toBe(false);
    batch.at(1).setField(second, "x");
    expect(String(batch.at(1).get(first))).toBe("x");
    expect(batch.at(0).has(first)).toBe(false);
    batch.release();
  });

  it("can set the text of one entry on another entry without a copy", () => {
    const batch = decode('m s="é",t="plain" 1');
    const point = batch.at(0);
    point.setField(new Key("copy"), get(point, "s")!);
    point.setTag(new Key("tag"), get(point, "s") as Bytes);
    expect(encodeLineProtocol([point])).toBe('m,tag=é copy="é",s="é",t="plain" 1000000000');
    batch.release();
  });

  const keys = ["a", "b", "c", "d", "new1", "new2"].map((text) => new Key(text));
  const key = fc.constantFrom(...keys);
  const value: fc.Arbitrary<PointValue> = fc.oneof(
    fc.integer(),
    fc.bigInt({ min: -(2n ** 63n), max: -(2n ** 60n) }),
    fc.string({ unit: "binary" }).map((text) => text.toWellFormed()),
    fc.boolean(),
    fc.constant(null),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => new Float(number)),
    fc.bigInt({ min: 2n ** 63n, max: 2n ** 64n - 1n }).map((number) => new Uint(number)),
    fc.uint8Array({ maxLength: 5 }),
    fc.array(fc.integer(), { minLength: 1, maxLength: 3 }).map((list) => new PointArray(list)),
  );
  const edit = fc.oneof(
    fc.tuple(key, value).map(
      ([k, v]) =>
        (point: PointView) =>
          point.setField(k, v),
    ),
    fc.tuple(key, fc.string()).map(
      ([k, v]) =>
        (point: PointView) =>
          point.setTag(k, v),
    ),
    key.map((k) => (point: PointView) => point.delete(k)),
    fc.tuple(key, key).map(
      ([k, to]) =>
        (point: PointView) =>
          point.rename(k, to),
    ),
    fc.string().map((name) => (point: PointView) => void (point.name = name)),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((time) => (point: PointView) => void (point.time = time)),
  );

  it("leave a cursor with the same entries in the same order as a Point", () => {
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 30 }), (edits) => {
        const batch = decode('m,d=tag a=1i,b="text",c=2.5 1\nm other=1i 1');
        const point = batch.point(0);
        for (const apply of edits) expect(apply(batch.at(0))).toEqual(apply(point));
        expect(encodePbjson([batch.at(0)])).toBe(encodePbjson([point]));
        for (const k of keys)
          expect([batch.at(0).has(k), batch.at(0).isTag(k)]).toEqual([point.has(k), point.isTag(k)]);
        expect(encodeLineProtocol([batch.at(1)])).toBe("m other=1i 1000000000");
        batch.release();
      }),
      { numRuns: 1500 },
    );
  });
});

describe("corrections", () => {
  const answer = (body: string, options: Partial<BodyOptions>) => {
    const batch = decode(body, options);
    const points = Array.from({ length: batch.length }, (_, i) => ({
      line: encodeLineProtocol([batch.at(i)]),
      warnings: batch.warnings(i).map(({ type }) => type),
    }));
    batch.release();
    return points;
  };

  it("add a missing status to a log on the tape, with a warning", () => {
    expect(answer('m s="x" 1\nm status="ok" 1\nm,status=ok f=1 1', { category: "logging" })).toEqual([
      { line: 'm s="x",status="unknown" 1000000000', warnings: ["add_required_kv"] },
      { line: 'm status="ok" 1000000000', warnings: [] },
      { line: "m,status=ok f=1 1000000000", warnings: [] },
    ]);
  });

  it("drop strings and binary values of metrics and nothing else", () => {
    expect(answer('m,t=v a="x",b=1,c="aGk="b 1\nm b=2 1', { category: "metric" })).toEqual([
      { line: "m,t=v b=1 1000000000", warnings: ["invalid_field_value_type", "invalid_field_value_type"] },
      { line: "m b=2 1000000000", warnings: [] },
    ]);
  });

  it("keep the last of equal tags, with a warning", () => {
    expect(answer("m,b=1,a=2,b=3 f=1 1", {})).toEqual([
      { line: "m,a=2,b=3 f=1 1000000000", warnings: ["key_name_conflict"] },
    ]);
  });

  it("replace dots in keys outside of metrics, and add required fields after them", () => {
    expect(answer('m,a.b=v c.d=1,a_b="lost" 1', { category: "object" })).toEqual([
      {
        line: 'm a_b="lost",c_d=1,name="default" 1000000000',
        warnings: ["dot_in_key", "invalid_tag_key", "invalid_tag_key", "add_required_kv"],
      },
    ]);
  });
});

describe("lifetime", () => {
  it("a copied point and detached text stay valid after the batch is released", () => {
    const batch = decode('m s="é" 1');
    const point = batch.point(0);
    const text = (get(batch.at(0), "s") as Bytes).detach();
    batch.release();
    decode('n s="x" 1').release();
    expect(encodeLineProtocol([point])).toBe('m s="é" 1000000000');
    expect(String(text)).toBe("é");
    expect(point).toBeInstanceOf(Point);
  });

  it("text and cursor of a released batch throw an error", () => {
    const batch = decode('m s="é" 1');
    const point = batch.at(0);
    const text = get(point, "s") as Bytes;
    batch.release();
    expect(() => text.view()).toThrow("released");
    expect(() => String(text)).toThrow("released");
    expect(() => get(point, "s")).toThrow("released");
    expect(() => point.name).toThrow("released");
  });

  it("an index outside of the batch is refused", () => {
    const batch = decode("m f=1 1");
    expect(() => batch.at(1)).toThrow(RangeError);
    batch.release();
  });
});

describe("bodies in parts", () => {
  it("give the same points as the whole body when they are split at line ends", () => {
    const line = fc.constantFrom(
      "m f=1 1",
      "m,t=a,b=c f=1i,g=t 1700000000",
      'm s="a\\"b" 5',
      "# comment",
      "",
      "  m  x=1u  7 ",
      "m\\ n,a.b=1 f=[1i] 9",
      'm s="two\nlines" 3',
    );
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 12 }), fc.constantFrom("\n", "\r\n"), (parts, end) => {
        const points = (body: string) => {
          if (body === "") return [];
          const batch = decode(body);
          const copies = Array.from({ length: batch.length }, (_, i) => batch.point(i));
          batch.release();
          return copies;
        };
        expect(encodePbjson(points(parts.join(end)))).toBe(encodePbjson(parts.flatMap((part) => points(part))));
      }),
      { numRuns: 500 },
    );
  });
});

it("stores warnings that many points share only once on the heap", () => {
  const heapOf = (points: number) => {
    const body = new TextEncoder().encode(`[${Array(points).fill('{"fields":{"a":1}}').join()}]`);
    const batch = decodePoints(module, body, "json", { category: "logging", now: 1n });
    if (!(batch instanceof Batch)) throw new Error("the points lie elsewhere");
    const before = batch.heapBytes;
    encodePbjson(batch);
    expect(batch.warnings(points - 1).map(({ type }) => type)).toEqual(["invalid_measurement", "add_required_kv"]);
    const taken = batch.heapBytes - before;
    batch.release();
    return taken;
  };
  expect(heapOf(10)).toBeGreaterThan(0);
  expect(heapOf(1000)).toBe(heapOf(10));
});
