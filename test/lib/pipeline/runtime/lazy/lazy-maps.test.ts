// Maps and lists of JSON texts are lazy (parsed only when used) when the point lies in WebAssembly memory, and
// ordinary values when the point is a JavaScript object. This difference must not change what a script does:
// tags, fields, times, errors, steps and traces are equal.

import { describe, expect, it } from "vitest";
import { createMillrace, createTrace, Key, Point, type PointView, shownValue } from "../../../../../lib/index.ts";
import { wasmBytes } from "../../../wasm/load.ts";

const mill = await createMillrace({ wasm: await wasmBytes(), timeZone: "UTC", clock: () => 1n });
const category = "logging";
const message = new Key("message");

function shown(point: PointView): string[] {
  const entries = Array.from(
    point.entries(),
    ({ key, value, isTag }) => `${isTag ? "tag " : ""}${key}=${shownValue(value)}`,
  );
  return [String(point.time), ...entries];
}

/**
 * Runs a script over a point and returns the result. With `probes`, the result also has a trace of what each statement
 * did.
 */
function outcome(script: string, point: PointView, probes: boolean) {
  const { scripts, errors, free } = mill.compile({ "a.p": script }, { category, probes });
  expect([...errors]).toEqual([]);
  const budget = { limit: 1_000_000, used: 0 };
  const probe = probes ? createTrace() : undefined;
  const { error } = mill.run(scripts.get("a.p")!, point, { category, budget, probe });
  free();
  return { point: shown(point), error: error?.error ?? null, steps: budget.used, trace: probe?.steps };
}

function same(script: string, texts: readonly string[], probes = false): void {
  const points = texts.map((text) => {
    const point = new Point("m", 1n);
    point.setTag(new Key("t"), "tag");
    point.setField(message, text);
    return point;
  });
  for (const form of ["lp", "pb"] as const) {
    const batch = mill.decodePoints(mill.encodePoints(points, form), { category, form, precision: "n" });
    for (const [at, text] of texts.entries()) {
      const expected = outcome(script, Point.copyOf(batch.at(at)), probes);
      expect([text, outcome(script, batch.at(at), probes)]).toEqual([text, expected]);
    }
    batch.release();
  }
}

const texts = [
  '{"b":1,"a":"x","c":true,"d":false,"e":null,"f":[1,"y",{"h":2,"g":[]},[]],"h":{"z":{"j":"deep"},"i":{}}}',
  ' { "h" : { "b" : [ 1 , 2.50 ] , "a" : { } } , "f" : [ ] , "a" : [ { } , [ [ ] ] ] } ',
  '{"h":{"b":1,"a":2,"b":3,"a":{"x":1,"x":2}},"a":{"k":1},"h":{"b":4,"b":5},"f":[{"y":1,"y":2}]}',
  '{"h":{"n":[0,-0,1e2,1e20,1e21,1.5e-3,1e-6,1e-7,9.5e-10,-1e-7,1E+30,9007199254740993,-9007199254740991]}}',
  '{"h":{"n":[12345678901234567890123,0.1,5e-324,1.7976931348623157e308,123456.789,0.000001234,4.0,100,1e1]}}',
  '{"h":{"a":"1e400"},"f":[1e400]}',
  '{"h":{"<k>":"a<b>&c","é":"ü","s":"\u2028|\u2029|\u2027|\u2030","q":"\\"\\\\\\/\\b\\f\\n\\r\\t"},"a":"\\"\\b","f":["\\f<"]}',
  '{"h":{"long":"0123456789abcde<0123456789abcdef&0123456789abcdef0123456789\\n0123456789abcdef"},"a":"😀"}',
  '{"h":{"u":"😀日本é","v":["日本"]},"é":{"a":"x"},"日本":1,"f":["é"]}',
  '{"":1,"h":{"":{"":""}},"message":"m","_":"under","time":"2020-01-01T00:00:00Z","status":"E","t":{"b":1,"a":2}}',
  '{"t":[1,{"a":"tag"}],"h":"tag","a":5}',
  '{"abcdefgh":1,"abcdefghi":2,"abcdefg":3,"abcdefghij":4,"abcdefghijklmnopq":5,"abcdefghijklmnop":6,"ab":7}',
  `{"h":{${Array.from({ length: 80 }, (_, at) => `"k${at}":${at}`).join(",")}},"a":1}`,
  `{${Array.from({ length: 80 }, (_, at) => `"k${80 - at}":{"v":[${at}]}`).join(",")},"h":{}}`,
  `{${Array.from({ length: 30 }, (_, at) => `"k${30 - at}":{"v":[${at}]}`).join(",")},"h":{}}`,
  `{"h":${"[".repeat(40)}{"a":1}${"]".repeat(40)},"f":[${'{"a":['.repeat(20)}${"]}".repeat(20)}]}`,
  `{"h":{"v":"${"x".repeat(5000)}"},"a":"${"<".repeat(500)}"}`,
  `{"h":{"v":"${"x".repeat(20_000)}"},"a":1}`,
  "[1,2]",
  "{}",
  '{"a":1',
];

const everyMember = "for k in d {\n v = d[k]\n pt_kvs_set(k, v)\n}";
const scripts = [
  `d = load_json(_)\nif d != nil {\n${everyMember}\n}`,
  `d = load_json(_)\nif d != nil {\n${everyMember}\n${everyMember}\nadd_key(all, d)\n}`,
  "d = load_json(_)\nfor k in d {\n delete(d, 'h')\n delete(d, 'a')\n pt_kvs_set('x' + k, d[k])\n}\nadd_key(all, d)",
  "d = load_json(_)\nfor k in d {\n d[k] = k\n d['new'] = 1\n pt_kvs_set(k, d[k])\n}\nadd_key(n, len(d))",
  "d = load_json(_)\nif 'h' in d {\n h = d['h']\n add_key(one, h)\n h['b'] = 'new'\n add_key(two, h)\n add_key(all, d)\n}",
  "d = load_json(_)\nif 'h' in d {\n h = d['h']\n add_key(one, h)\n add_key(two, h)\n add_key(all, d)\n add_key(eq, h == d['h'])\n}",
  "d = load_json(_)\nif d != nil {\n f = d['f']\n add_key(one, f)\n f[0] = 'new'\n add_key(two, f)\n add_key(all, d)\n}",
  "d = load_json(_)\nif d != nil {\n g = d['f'][2]\n g['h'] = 3\n add_key(g)\n add_key(f, d['f'])\n add_key(all, d)\n}",
  "d = load_json(_)\nif d != nil {\n f = d['f']\n a = append(f, d)\n add_key(a)\n add_key(f)\n}",
  "d = load_json(_)\nif d != nil {\n d['h'] = d\n add_key(all, d)\n}",
  "d = load_json(_)\nx = d['h']\nadd_key(message, '{\"h\":{\"other\":1}}')\ne = load_json(_)\nadd_key(x)\nadd_key(y, e['h'])\nadd_key(d)",
  "d = load_json(_)\ne = load_json(_)\nif d != nil {\n delete(d, 'h')\n add_key(d)\n add_key(e)\n}",
  "d = load_json(_)\nh = d['h']\nset_tag(t, h)\nadd_key(t, d['f'])\nset_tag(u)\nadd_key(u, d['h'])\nadd_key(u, d['a'])",
  "d = load_json(_)\nif d != nil {\n pt_kvs_set('r', d, raw=true)\n m = pt_kvs_get('r', raw=true)\n delete(d, 'h')\n add_key(m)\n}",
  "d = load_json(_)\nif d != nil {\n pt_kvs_set('l', d['f'], raw=true)\n pt_kvs_set('g', d['h'], as_tag=true)\n}",
  "d = load_json(_)\nfor k in d {\n for j in d {\n  if k == j {\n   pt_kvs_set(j, d[k])\n  }\n }\n add_key(type, value_type(d[k]))\n}",
  "d = load_json(_)\nfor k in d {\n if k == 'f' {\n  break\n }\n}\nadd_key(f, d['f'])\nadd_key(a, d['a'])\nadd_key(none, d['none'])",
  "d = load_json(_)\nfor k in d['h'] {\n pt_kvs_set(k, d['h'][k])\n}\ncreate_point('p', {}, {'h': d['h'], 'a': d['a']})",
  "d = load_json(_)\ncache_set('k', d, 100)\nadd_key(kept, cache_get('k'))\nstrfmt(s, '%v', d)\nadd_key(h, d['h'])",
];

describe("lazy maps and lists", () => {
  it.each(scripts)("give the same result as ordinary maps and lists: %s", (script) => {
    same(script, texts);
  });

  it.each(scripts)("give the same result in a trace: %s", (script) => {
    same(
      script,
      texts.filter((text) => text.length < 1000),
      true,
    );
  });

  it("give the same result for random documents", () => {
    let state = 11;
    const below = (limit: number): number => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 4294967296) * limit);
    };
    const words = [
      "a",
      "b",
      "<",
      "é",
      "",
      "h",
      "\\n",
      "\\\\",
      "\\/",
      "日本",
      "abcdefgh",
      "abcdefgi",
      "0123456789abcdef&",
    ];
    const numbers = ["0", "-0", "1", "-7.50", "1e3", "1e-9", "123456789012345678", "0.1", "1e21", "2.5E-7"];
    const word = () => `"${words[below(words.length)]}${words[below(words.length)]}"`;
    const space = () => (below(4) === 0 ? " " : "");
    const value = (depth: number): string => {
      const kind = below(depth > 4 ? 4 : 8);
      if (kind === 0) return ["true", "false", "null"][below(3)]!;
      if (kind < 2) return numbers[below(numbers.length)]!;
      if (kind < 4) return word();
      const items = Array.from({ length: below(5) }, () => value(depth + 1));
      if (kind < 6) return `[${space()}${items.join(`,${space()}`)}${space()}]`;
      return `{${space()}${items.map((item) => `${word()}${space()}:${item}`).join(`${space()},`)}}`;
    };
    const documents = Array.from({ length: 300 }, () => `{"h":${value(0)},"f":[${value(1)}],${word()}:${value(1)}}`);
    same(scripts[1]!, documents);
    same(scripts[5]!, documents);
  });

  it("stay valid while the memory grows", () => {
    const point = new Point("m", 1n);
    const long = JSON.stringify({ z: { y: "<".repeat(900), x: ["é", 1.5] }, a: { b: "x".repeat(900) } });
    point.setField(message, long);
    const { scripts: compiled } = mill.compile({ "a.p": scripts[1]! }, { category });
    const points = Array.from({ length: 3000 }, () => point);
    const batch = mill.decodePoints(mill.encodePoints(points, "lp"), { category, form: "lp", precision: "n" });
    const expected = outcome(scripts[1]!, Point.copyOf(batch.at(0)), false);
    const before = mill.memory().size;
    mill.runAll(compiled.get("a.p")!, batch, { category }, ({ error }) => expect(error).toBeNull());
    expect(mill.memory().size).toBeGreaterThan(before);
    for (const at of [0, 1500, 2999]) expect(shown(batch.at(at))).toEqual(expected.point);
    batch.release();
  });

  it("count the text that they write toward the memory limit", () => {
    const { scripts: compiled } = mill.compile(
      { "a.p": 'd = load_json(_)\nfor i = 0; i < 1000; i += 1 {\n add_key(h, d["h"])\n}' },
      { category },
    );
    const point = new Point("m", 1n);
    point.setField(message, `{"h":{"v":"${"x".repeat(5000)}"}}`);
    const batch = mill.decodePoints(mill.encodePoints([point], "lp"), { category, form: "lp", precision: "n" });
    const { error } = mill.run(compiled.get("a.p")!, batch.at(0), { category, maxBytes: 1_000_000 });
    expect(error?.error).toBe("values of the script exceed 1000000 bytes");
    batch.release();
  });

  it("stay valid in the cache after their batch was released", () => {
    const { scripts: compiled } = mill.compile(
      { "a.p": 'x = cache_get("d")\nadd_key(x)\nd = load_json(_)\ncache_set("d", d, 100)' },
      { category },
    );
    const run = (text: string): string | null => {
      const point = new Point("m", 1n);
      point.setField(message, text);
      const batch = mill.decodePoints(mill.encodePoints([point], "lp"), { category, form: "lp", precision: "n" });
      mill.run(compiled.get("a.p")!, batch.at(0), { category });
      const held = batch.at(0).get(new Key("x"));
      const text_ = held === undefined ? null : shownValue(held);
      batch.release();
      return text_;
    };
    run('{"b":[1,"x"],"a":{"c":"kept"}}');
    expect(run('{"z":"other document"}')).toBe(JSON.stringify('{"a":{"c":"kept"},"b":[1,"x"]}'));
  });
});

describe("map literals", () => {
  it("create a new map in each iteration of a loop", () => {
    const script = mill.script(
      'r = ""\nfor i = 0; i < 3; i += 1 {\n m = {"b": 1, "a": "x", "a": nil}\n r = r + format_int(len(m), 10)\n' +
        ' for k in m {\n  r = r + k\n }\n m["c"] = i\n delete(m, "b")\n add_key(m)\n}\nadd_key(r)',
    );
    expect(script.run({ message: "" }).fields).toMatchObject({ r: "2ab2ab2ab", m: '{"a":null,"c":2}' });
  });
});
