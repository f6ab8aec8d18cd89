// The easy layer: functions that take and return plain objects.

import { beforeAll, describe, expect, it } from "vitest";
import {
  createMillrace,
  type EncodeInput,
  Float,
  type Form,
  type Millrace,
  PointError,
  type RunInput,
  ScriptError,
  type Time,
  Uint,
} from "../../../lib/index.ts";
import { wasmBytes } from "../wasm/load.ts";

const clock = () => 1_700_000_000_123_456_789n;
const inspect = Symbol.for("nodejs.util.inspect.custom");
let mill: Millrace;
beforeAll(async () => {
  mill = await createMillrace({ wasm: await wasmBytes(), clock, timeZone: "UTC" });
});

describe("script", () => {
  const web = () => mill.script(`grok(_, "%{IP:client} %{WORD:method} %{NUMBER:ms:float}")`);

  it("accepts a plain object and returns a plain object", () => {
    expect(web().run({ message: "10.0.0.7 GET 12.5" })).toEqual({
      name: "__default",
      time: new Date(1_700_000_000_123),
      tags: {},
      fields: { client: "10.0.0.7", method: "GET", ms: 12.5, message: "10.0.0.7 GET 12.5" },
      dropped: false,
      created: [],
    });
  });

  it.each([
    ["a line of text", "10.0.0.7 GET 12.5", { client: "10.0.0.7" }, {}],
    ["a point with fields", { fields: { message: "10.0.0.7 GET 12.5" }, tags: { t: "x" } }, { ms: 12.5 }, { t: "x" }],
    ["a field named name", { name: "n", message: "10.0.0.7 GET 12.5" }, { name: "n", method: "GET" }, {}],
    ["a key from hostile JSON", JSON.parse('{ "__proto__": 1, "message": "x" }'), { message: "x" }, {}],
  ])("accepts %s", (_, input, fields, tags) => {
    const result = web().run(input as never);
    expect(result.fields).toMatchObject(fields);
    expect(result.tags).toEqual(tags);
    expect(Object.getPrototypeOf(result.fields)).toBe(Object.prototype);
  });

  it("does not change its input, and accepts points of a batch and its own results", () => {
    const input = { message: "10.0.0.7 GET 1" };
    const first = web().run(input);
    expect(input).toEqual({ message: "10.0.0.7 GET 1" });
    expect(web().run(first).fields).toEqual(first.fields);
    const points = mill.decode('web message="10.0.0.7 GET 2" 1', { category: "logging" });
    expect(web().run(points.at(0)).fields.ms).toBe(2);
    expect(points.at(0).has("ms")).toBe(false);
    points.release();
  });

  it("reads numbers as floats, bigints as ints, and whole numbers as ints with the option wholeNumbers", () => {
    expect(mill.script("add_key(b, a + 1)").run({ a: 1n }).fields.b).toBe(2n);
    expect(mill.script("add_key(b, a + 1)").run({ a: 1 }).fields.b).toBe(2);
    expect(mill.script("add_key(b, a + 1)", { wholeNumbers: "int" }).run({ a: 1 }).fields.b).toBe(2n);
  });

  it("returns dropped and created points, and a run error with its position", () => {
    expect(mill.script("drop()").run({ a: 1 }).dropped).toBe(true);
    const [created] = mill.script('create_point("n", {"t": "x"}, {"f": 1}, category = "M")').run({ a: 1 }).created;
    expect(created).toMatchObject({
      category: "metric",
      name: "n",
      tags: { t: "x" },
      fields: { f: 1n },
      dropped: false,
    });
    const failed = mill.script("add_key(a, 2)\nfor ;; {}", { maxSteps: 100 }).run({ a: 1n });
    expect(failed.error).toBeInstanceOf(ScriptError);
    expect(failed.error!.message).toContain("script.p:2:1: script exceeded 100 steps");
    expect(failed.fields.a).toBe(2n);
  });

  it("throws a ScriptError with the position of a mistake, also for a mistake in a used script", () => {
    const error = caught(() => mill.script("drop(", { name: "web.p" }));
    expect(error).toBeInstanceOf(ScriptError);
    expect((error as ScriptError).message).toMatch(/^web\.p:1:\d+: /);
    expect((error as ScriptError).error.pos_chain[0]).toMatchObject({ file: "web.p", ln: 1 });
    expect(() => mill.script('use("b.p")', { scripts: { "b.p": "drop(" } })).toThrow(ScriptError);
    expect(mill.script('use("b.p")', { scripts: { "b.p": "add_key(b, 1)" } }).run({}).fields).toEqual({ b: 1n });
  });

  it("maps the status of logs only", () => {
    const status = (category: "metric" | "logging" | undefined, input: RunInput) =>
      mill.script("exit()", { category }).run(input).fields.status;
    expect(status(undefined, { status: "w" })).toBe("w");
    expect(status("logging", { status: "w" })).toBe("warning");
    expect(status(undefined, "text")).toBe("unknown");
    expect(status("metric", "text")).toBeUndefined();
  });
});

describe("grok", () => {
  it("accepts own patterns, and matches strings, bytes and buffers", () => {
    const grok = mill.grok("%{IP:client} %{MINE:rest}", { patterns: { MINE: ".*" } });
    const bytes = new TextEncoder().encode("10.0.0.7 x");
    for (const input of ["10.0.0.7 x", bytes, bytes.buffer]) {
      expect(grok.match(input)).toEqual({ client: "10.0.0.7", rest: "x" });
    }
    expect(grok.match("x")).toBeNull();
  });
});

describe("decode", () => {
  const line = "cpu,host=a load=0.5,n=9007199254740993i 1700000000";
  const object = {
    name: "cpu",
    time: new Date(1_700_000_000_000),
    tags: { host: "a" },
    fields: { load: 0.5, n: 9007199254740993n },
  };

  it("accepts a string, bytes or a buffer", () => {
    const bytes = new TextEncoder().encode(line);
    for (const body of [line, bytes, bytes.buffer]) {
      const points = mill.decode(body);
      expect(Array.from(points, (point) => point.toObject())).toEqual([object]);
      points.release();
      const fast = mill.decodePoints(body);
      expect(fast.length).toBe(1);
      fast.release();
    }
  });

  it("returns points that stay valid together and can be read and changed", () => {
    const points = mill.decode("cpu,host=a load=1\ncpu,host=b load=2", { now: 5n });
    const [a, b] = [...points];
    expect([a!.get("load"), b!.get("load"), b!.get("nothing")]).toEqual([1, 2, undefined]);
    expect([a!.isTag("host"), a!.has("load"), a!.nanoseconds]).toEqual([true, true, 5n]);
    a!.setField("n", 3n);
    a!.setField("f", 3);
    a!.setTag("zone", "x");
    a!.name = "mem";
    a!.time = new Date(2000);
    expect(b!.delete("load")).toBe(true);
    expect(a!.rename("load", "l")).toBe(true);
    expect(mill.encode(points, "lp", { as: "text" })).toBe("mem,host=a,zone=x f=3,l=1,n=3i 2000000000");
    points.release();
  });

  it("returns times in nanoseconds with the option time, and small ints as numbers with the option ints", () => {
    const points = mill.decode("cpu a=1i,b=2u,c=9007199254740993i 1700000000123456789");
    expect(points.toObjects({ time: "ns", ints: "number" })).toEqual([
      {
        name: "cpu",
        time: 1_700_000_000_123_456_789n,
        tags: {},
        fields: { a: 1, b: 2, c: 9007199254740993n },
      },
    ]);
    expect(points.at(0).toObject().fields).toEqual({ a: 1n, b: new Uint(2), c: 9007199254740993n });
    points.release();
  });

  it("keeps the exact value of each field through JSON", () => {
    const body =
      '[{"measurement":"m","tags":{"t":"x"},"fields":{"f":1.5,"s":"text","b":true},"time":1700000000123456789}]';
    const points = mill.decode(body, { form: "json", category: "logging" });
    const [point] = [...points];
    point!.setField("i", -9223372036854775808n);
    point!.setField("u", new Uint(18446744073709551615n));
    point!.setField("whole", 1);
    point!.setField("zero", -0);
    point!.setField("bytes", new Uint8Array([1, 2, 255]));
    point!.setField("list", [1n, 9007199254740993n]);
    const json = JSON.stringify(points);
    expect(JSON.parse(json)[0]).toMatchObject({
      time: "2023-11-14T22:13:20.123456789Z",
      fields: {
        i: { $int: "-9223372036854775808" },
        u: { $uint: "18446744073709551615" },
        zero: { $float: "-0" },
        bytes: { $binary: "AQL/" },
        list: [{ $int: "1" }, { $int: "9007199254740993" }],
        whole: 1,
      },
    });
    for (const copy of [JSON.parse(json), points.toObjects({ time: "ns" }), points] as EncodeInput[]) {
      const again = mill.decode(mill.encode(copy, "pb"), { form: "pb", category: "logging" });
      expect(again.toJSON()).toEqual(JSON.parse(json));
      again.release();
    }
    points.release();
  });

  it("shows each point on one line in a console, and marks released points", () => {
    const points = mill.decode("cpu,host=a load=0.5,n=1i 1700000000");
    const shown = (value: unknown): string => (value as Record<symbol, () => string>)[inspect]!();
    expect(shown(points)).toBe('DecodedPoints (1) [\n  cpu {host="a"} load=0.5 n=1i 2023-11-14T22:13:20.000Z\n]');
    const point = points.at(0);
    expect(shown(point)).toBe('cpu {host="a"} load=0.5 n=1i 2023-11-14T22:13:20.000Z');
    points.release();
    expect([shown(points), shown(point)]).toEqual(["DecodedPoints (released)", "DecodedPoint (released)"]);
  });

  it("throws a PointError for a wrong body", () => {
    expect(() => mill.decode("cpu load=")).toThrow(PointError);
  });

  it("uses the default for each limit that is not given", () => {
    const points = mill.decode("cpu,a=1,b=2 f=1", { limits: { maxTags: 1 } });
    expect(points.at(0).toObject().tags).toEqual({ a: "1" });
    expect(points.at(0).warnings.length).toBe(1);
    points.release();
  });
});

describe("a released batch", () => {
  it("throws on every use, and may be released again", () => {
    const points = mill.decode("cpu load=1");
    const point = points.at(0);
    const { batch } = points;
    const some = batch.select([0]);
    const cursor = batch.at(0);
    points.release();
    points.release();
    const uses: (() => unknown)[] = [
      () => points.length,
      () => points.at(0),
      () => [...points],
      () => points.toObjects(),
      () => points.toJSON(),
      () => point.get("load"),
      () => point.toObject(),
      () => point.setField("a", 1),
      () => point.name,
      () => batch.length,
      () => batch.at(0),
      () => batch.point(0),
      () => batch.warnings(0),
      () => batch.withField(),
      () => batch.correct(0),
      () => batch.select([]),
      () => [...batch],
      () => some.length,
      () => some.at(0),
      () => cursor.name,
      () => [...cursor.entries()],
      () => mill.encodePoints(batch),
      () => mill.encode(points),
    ];
    for (const use of uses) expect(use, String(use)).toThrow("the batch has been released");
  });

  it("is released at the end of the block that declares it with using", () => {
    const before = mill.memory().used;
    let escaped: { readonly length: number };
    {
      using points = mill.decode("cpu load=1");
      using batch = mill.decodePoints("cpu load=1");
      expect(points.length + batch.length).toBe(2);
      escaped = points;
    }
    expect(() => escaped.length).toThrow("the batch has been released");
    expect(mill.memory().used).toBe(before);
  });
});

describe("encode", () => {
  const encoded = (point: unknown, form?: Form): string => mill.encode([point] as EncodeInput, form, { as: "text" });

  it("accepts plain objects, and returns bytes or text", () => {
    const point = { name: "cpu", tags: { host: "a" }, fields: { load: 0.5, n: 9007199254740993n }, time: new Date(1) };
    const text = "cpu,host=a load=0.5,n=9007199254740993i 1000000";
    expect(mill.encode([point], "lp", { as: "text" })).toBe(text);
    expect(mill.encode(new Set([point]))).toEqual(new TextEncoder().encode(text));
    expect(mill.encode([], "lp", { as: "text" })).toBe("");
  });

  it.each<[FieldTable[0], string]>([
    [1, "1"],
    [1n, "1i"],
    [-0, "-0"],
    [18446744073709551615n, "18446744073709551615u"],
    [new Uint(1), "1u"],
    [new Float(2), "2"],
    [{ $int: "-5" }, "-5i"],
    ["text", '"text"'],
    [true, "true"],
  ])("writes the field %s as %s", (value, text) => {
    expect(encoded({ name: "m", fields: { f: value }, time: 1n })).toBe(`m f=${text} 1`);
  });

  it("reads whole numbers as ints with the option wholeNumbers", () => {
    const point = { name: "m", fields: { a: 1, b: 1.5 }, time: 1n };
    expect(mill.encode([point], "lp", { as: "text", wholeNumbers: "int" })).toBe("m a=1i,b=1.5 1");
  });

  it.each<[Time, bigint]>([
    [new Date(5), 5_000_000n],
    [5, 5_000_000n],
    [5.25, 5_250_000n],
    [5n, 5n],
    ["1970-01-01T00:00:00.000000005Z", 5n],
    ["1970-01-01T01:00:01+01:00", 1_000_000_000n],
  ])("accepts the time %s", (time, ns) => {
    expect(encoded({ name: "m", fields: { a: 1 }, time })).toBe(`m a=1 ${ns}`);
  });

  it("uses the clock when a point has no time, and leaves out undefined values", () => {
    const point = { name: "m", tags: { t: undefined }, fields: { a: 1, b: undefined } };
    expect(encoded(point)).toBe("m a=1 1700000000123456789");
  });

  const good = { name: "m", fields: { a: 1 } };
  it.each<[string, unknown, string]>([
    ["no point", 5, "points[0] must be a plain object { name, time, tags, fields } or a point; got 5"],
    ["NaN", { ...good, fields: { a: Number.NaN } }, "points[0].fields.a must be a finite number"],
    ["a Date", { ...good, fields: { a: new Date(0) } }, "got a Date. Write its milliseconds"],
    ["a map", { ...good, fields: { "a b": new Map() } }, 'points[0].fields["a b"] must be'],
    ["an object", { ...good, fields: { a: { b: 1 } } }, "A field holds no object"],
    ["a mixed list", { ...good, fields: { a: [1, "x"] } }, "elements of different kinds"],
    ["a huge int", { ...good, fields: { a: 2n ** 64n } }, "a bigint of 64 bits"],
    ["a tag that is a number", { ...good, tags: { a: 1 } }, "points[0].tags.a must be a string; got 1"],
    ["a key twice", { ...good, tags: { a: "x" } }, 'points[0] has "a" both as a tag and as a field'],
    ["an invalid Date", { ...good, time: new Date(Number.NaN) }, "points[0].time must be a Date"],
    ["a far time", { ...good, time: 2n ** 63n }, "points[0].time must be a time from 1677 to 2262"],
    ["no field", { name: "m", tags: { a: "x" } }, "points[0] must have a field with a value"],
    ["an empty key", { ...good, fields: { "": 1 } }, "points[0] must not have an empty key"],
    ["an empty name", { ...good, name: "" }, "points[0].name must not be empty"],
    ["a name that is a number", { ...good, name: 5 }, "points[0].name must be a string; got 5"],
  ])("refuses %s", (_, point, text) => {
    const error = caught(() => encoded(point));
    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).message).toContain(text);
    expect((error as Error).message).toMatch(/^encode: /);
  });

  it("refuses text output for protobuf, and suggests the form that was meant", () => {
    expect(() => encoded(good, "pb")).toThrow('encode: as must be "bytes" for "pb"');
    expect(() => encoded(good, "protobuf" as Form)).toThrow(
      'encode: form must be one of "lp", "json", "pbjson", "pb"; got "protobuf". Did you mean "pb"?',
    );
    expect(() => mill.decode("m a=1", { category: "logs" as never })).toThrow('Did you mean "logging"?');
    expect(() => mill.decode("m a=1", { precision: "seconds" })).toThrow('Did you mean "s"?');
  });
});

type FieldTable = [import("../../../lib/index.ts").FieldInput];

function caught(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}
