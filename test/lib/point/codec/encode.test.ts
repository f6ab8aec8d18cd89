// Tests the text output of the encoders against docs/reference/points.md#writing-line-protocol. The same table
// of cases tests the encoders of the WebAssembly module and the plain JavaScript encoders, because the property
// tests compare other encoders with the plain ones.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMillrace } from "../../../../lib/index.ts";
import { Point } from "../../../../lib/point/point.ts";
import { Float, PointArray, type PointValue, Uint } from "../../../../lib/point/value.ts";
import { encodeBase64 } from "../../../../lib/text/base64.ts";
import * as baseline from "../../../baseline/encode.ts";
import { jsonFloat, plainFloat } from "../../../baseline/float.ts";
import { loadModule } from "../../wasm/load.ts";
import { encodersOf } from "../encoders.ts";

const now = 1700000000000000000n;
const hi = new Uint8Array([0x68, 0x69]);

function point(fields: Readonly<Record<string, PointValue>>, tags: Readonly<Record<string, string>> = {}, name = "m") {
  const made = new Point(name, now);
  for (const [key, value] of Object.entries(fields)) made.set(key, value, false);
  for (const [key, value] of Object.entries(tags)) made.set(key, value, true);
  return made;
}

const both = [
  ["the module", encodersOf(await loadModule())],
  ["plain JavaScript", baseline],
] as const;

describe.each(both)("line protocol output, %s", (_, { encodeLineProtocol }) => {
  it.each([
    [
      "E394",
      point(
        { z: 1, B: true, _: new Uint(2), a: new Float(1.5), d: hi, de: new Uint8Array(), x: null },
        { t2: "x", t1: "y", e: "" },
      ),
      'm,t1=y,t2=x B=true,_=2u,a=1.5,d="aGk="b,de=""b,z=1i',
    ],
    [
      "E395",
      point({ "a b": 1, "a,b": 1, "a=b": 1, 'a"b': 1, "a\\b": 1 }),
      String.raw`m a\ b=1i,a\"b=1i,a\,b=1i,a\=b=1i,a\b=1i`,
    ],
    [
      "E396",
      point({ f: 1 }, { "t a": "v a", "t,a": "v,a", "t=a": "v=a", 't"a': 'v"a', "t\\a": "v\\a" }),
      String.raw`m,t\ a=v\ a,t"a=v"a,t\,a=v\,a,t\=a=v\=a,t\a=v\a f=1i`,
    ],
    ["E397", point({ f: 1 }, {}, 'm a,b=c"d\\e'), String.raw`m\ a\,b=c"d\e f=1i`],
    ["E398", point({ f: 1 }, {}, "m\\,x"), String.raw`m\,x f=1i`],
    ["E399", point({ s: 'a"b\\c\nd\te,f=g h', e: "" }), 'm e="",s="a\\"b\\\\c\nd\te,f=g h"'],
    [
      "E400",
      point({
        f1: new Float(1),
        f2: new Float(0.1),
        f3: new Float(1e21),
        f4: new Float(1e-7),
        f5: new Float(-0),
        f6: new Float(100),
      }),
      "m f1=1,f2=0.1,f3=1000000000000000000000,f4=0.0000001,f5=-0,f6=100",
    ],
    [
      "E401",
      point({
        i: new PointArray([1, 2]),
        u: new PointArray([new Uint(7)]),
        f: new PointArray([new Float(1.5), new Float(2)]),
        b: new PointArray([true]),
        s: new PointArray(['x,"y']),
        d: new PointArray([hi]),
      }),
      String.raw`m b=[true],d=["aGk="b],f=[1.5,2],i=[1i,2i],s=["x,\"y"],u=[7u]`,
    ],
    ["E403", point({ n: new Float(Number.NaN), g: 1 }), "m g=1i"],
  ])("%s", (_, made, line) => {
    expect(encodeLineProtocol([made])).toBe(`${line} 1700000000000000000`);
  });

  it("leaves out points that cannot be written", () => {
    const good = "m f=1i 1700000000000000000";
    const bad = point({}, { t: "v" });
    expect(encodeLineProtocol([bad, point({ f: 1 }), bad, point({ f: 1 })])).toBe(`${good}\n${good}`);
    expect(encodeLineProtocol([point({ "": 1 })])).toBe("");
    expect(encodeLineProtocol([point({ "": null, f: 1 })])).toBe(good);
    expect(encodeLineProtocol([point({ f: new Float(Number.NaN), g: new PointArray([]) })])).toBe("");
    const late = point({ f: 1 });
    late.time = 9223372036854775807n;
    expect(encodeLineProtocol([late])).toBe("");
  });

  it("counts the escaped bytes of the series for its length limit", () => {
    const ofLength = (length: number) => point({ f: 1 }, { t: "v".repeat(length - 4) });
    expect(encodeLineProtocol([ofLength(65536)])).toBe("");
    expect(encodeLineProtocol([ofLength(65535)])).toHaveLength(65535 + 25);
    const escaped = (commas: number) => point({ f: 1 }, { t: ",".repeat(commas) + "v".repeat(65531 - 2 * commas) });
    expect(encodeLineProtocol([escaped(100)])).toHaveLength(65535 + 25);
    expect(encodeLineProtocol([point({ f: 1 }, { t: ",".repeat(32766) })])).toBe("");
  });

  it.each([
    ["u", "1700000000123456"],
    ["ms", "1700000000123"],
    ["s", "1700000000"],
    ["m", "28333333"],
    ["h", "472222"],
    ["n", "1700000000123456789"],
    ["x", "1700000000123456789"],
  ])("writes the time in %s", (precision, time) => {
    const made = point({ f: 1 });
    made.time = 1700000000123456789n;
    expect(encodeLineProtocol([made], precision)).toBe(`m f=1i ${time}`);
  });

  it("sorts by bytes, not by UTF-16 units", () => {
    expect(encodeLineProtocol([point({ "\u{1f30a}": 1, "\uffee": 2, a: 3 })])).toBe(
      "m a=3i,\uffee=2i,\u{1f30a}=1i 1700000000000000000",
    );
  });
});

describe.each(both)("JSON output, %s", (_, { encodeJson, encodePbjson }) => {
  const made = point(
    { arr: new PointArray([1, 2]), cores: 8, cpu_load: new Float(0.5), nil: null, raw: hi, up: true, u: new Uint(7) },
    { host: "", z: 'a"\n' },
    "web",
  );

  it("sorts members, keeps empty tags, leaves out nil", () => {
    expect(encodeJson([made])).toBe(
      String.raw`[{"measurement":"web","tags":{"host":"","z":"a\"\n"},"fields":{"arr":[1,2],"cores":8,"cpu_load":0.5,"raw":"aGk=","u":7,"up":true},"time":1700000000000000000}]`,
    );
    expect(encodeJson([new Point("m", 0n)])).toBe('[{"measurement":"m","fields":{}}]');
  });

  it("writes PBJSON in entry order, with warnings when there are any", () => {
    expect(encodePbjson([made])).toBe(
      String.raw`[{"name":"web","fields":[{"key":"arr","a":{"@type":"type.googleapis.com/point.Array","arr":[{"i":"1"},{"i":"2"}]}},{"key":"cores","i":"8"},{"key":"cpu_load","f":0.5},{"key":"nil"},{"key":"raw","d":"aGk="},{"key":"up","b":true},{"key":"u","u":"7"},{"key":"host","s":"","is_tag":true},{"key":"z","s":"a\"\n","is_tag":true}],"time":"1700000000000000000"}]`,
    );
    const warned = new Point("m", 1n);
    warned.warnings.push({ type: "t", message: "x" });
    expect(encodePbjson([warned])).toBe('[{"name":"m","fields":[],"time":"1","warns":[{"type":"t","message":"x"}]}]');
  });
});

describe("floats as text", () => {
  it.each([
    [1e21, "1000000000000000000000", "1e+21"],
    [1.5e300, `15${"0".repeat(299)}`, "1.5e+300"],
    [-1.25e-9, "-0.00000000125", "-1.25e-9"],
    [1e-7, "0.0000001", "1e-7"],
    [0.000001, "0.000001", "0.000001"],
    [123456789012345680000, "123456789012345680000", "123456789012345680000"],
    [-0, "-0", "-0"],
    [5e-324, `0.${"0".repeat(323)}5`, "5e-324"],
  ])("%d", (value, plain, json) => {
    expect([plainFloat(value), jsonFloat(value)]).toEqual([plain, json]);
  });

  it("reads back as the same double", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) =>
        Object.is(Number(plainFloat(value)), value),
      ),
    );
  });
});

it("writes base64 as btoa does", () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => encodeBase64(bytes) === btoa(String.fromCharCode(...bytes))));
});

describe("points without their warnings", async () => {
  const mill = await createMillrace();
  const bodies = {
    // The points of this body have no measurement, and the first one has a field and a tag with the same name. So
    // decoding corrects them and adds warnings.
    "that are corrected on the tape": ["json", '[{"tags":{"a":"t"},"fields":{"a":1,"f":2}},{"fields":{"g":1}}]'],
    "that lack a field of their category": ["lp", "HOST,a=b v=1i 1\n"],
  } as const;

  it.each(Object.entries(bodies))("%s are encoded without creating the warnings", (_, [form, text]) => {
    const body = new TextEncoder().encode(text);
    const points = mill.decodePoints(body, { category: "object", form, now });
    const { used } = mill.memory();
    for (const as of ["pb", "pbjson"] as const) {
      const written = mill.encodePoints(points, as, { withoutWarnings: true });
      expect(mill.memory().used).toBe(used);
      const bare = Array.from(points, (each) => {
        const copy = Point.copyOf(each);
        copy.warnings.length = 0;
        return copy;
      });
      expect(bytesToText(written)).toBe(bytesToText(mill.encodePoints(bare, as)));
    }
    // The first encoding includes the warnings and stores them in WebAssembly memory. The second encoding, with
    // `withoutWarnings`, must leave the warnings out.
    expect(bytesToText(mill.encodePoints(points, "pbjson"))).toContain('"warns":[');
    expect(bytesToText(mill.encodePoints(points, "pbjson", { withoutWarnings: true }))).not.toContain("warns");
    points.release();
  });
});

const bytesToText = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
