// Scripts that parse JSON run over decoded points in WebAssembly memory (a "tape") and over points in JavaScript.
// Values, errors and step counts must be equal.

import { describe, expect, it } from "vitest";
import { createMillrace, Key, Point, type PointView, shownValue } from "../../../../lib/index.ts";
import { wasmBytes } from "../../wasm/load.ts";

const mill = await createMillrace({ wasm: await wasmBytes(), timeZone: "UTC", clock: () => 1n });
const category = "network";
const message = new Key("message");

/** Runs a script over a point in WebAssembly memory or in JavaScript, and returns the result. */
function outcome(script: string, point: PointView, maxSteps = 1_000_000, maxBytes = 64 * 1024 * 1024) {
  const { scripts, errors, free } = mill.compile({ "a.p": script }, { category });
  expect([...errors]).toEqual([]);
  const budget = { limit: maxSteps, used: 0 };
  const { error } = mill.run(scripts.get("a.p")!, point, { category, budget, maxBytes });
  free();
  const entries = Array.from(point.entries(), ({ key, value }) => `${key}=${shownValue(value)}`);
  return { entries, error: error?.error ?? null, steps: budget.used };
}

function same(script: string, texts: readonly string[], maxSteps?: number): void {
  for (const text of texts) {
    const point = new Point("m", 1n);
    point.setField(message, text);
    const expected = outcome(script, Point.copyOf(point), maxSteps);
    // A body in line protocol has the message with escapes; a body in protobuf has the message unchanged. The script
    // must give the same result for both bodies.
    for (const form of ["lp", "pb"] as const) {
      const batch = mill.decodePoints(mill.encodePoints([point], form), { category, form });
      expect([text, outcome(script, batch.at(0), maxSteps)]).toEqual([text, expected]);
      batch.release();
    }
  }
}

const texts = [
  '{"a":1,"b":"x","c":true,"d":false,"e":null,"f":[1,"y",{"g":2}],"h":{"i":{"j":"deep"}}}',
  ' { "a" : -0 , "b" : "with \\"quotes\\", \\\\ and \\n\\t\\/" , "h":{ "i" : { } } } ',
  '{"a":"first","a":"last","b":{"b":1},"b":{"b":2}}',
  '{"a":"é 😀 日本","é":"key","b":"e\\"é","h":{"i":"ü"}}',
  '{"a":"\\u00e9\\ud83d\\ude00","b":"\\ud800"}',
  '{"\\u0061":"escaped key","b\\n":1}',
  '{"a":1e2,"b":1.5e-3,"c":12345678901234567890123,"d":0.1,"e":5e-324,"f":[9007199254740993]}',
  '{"a":1e999}',
  '{"a":"tab\tinside"}',
  '{"a":"  spaces  ","b":"\u00a0wide\u3000","__proto__":"p","constructor":1,"h":{"__proto__":2}}',
  '{"10":"ten","2":"two","a":"order"}',
  "[]",
  "{}",
  "[1,[2,[3]],{}]",
  '"text"',
  "12.50",
  "true",
  "null",
  "",
  " ",
  ...[
    "{",
    "}",
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1,',
    '{"a":1,}',
    "[1",
    "[1,",
    "[,]",
    '"a',
    '"a\\',
    '"\\x"',
    "tru",
    "01",
  ],
  ...[
    "1.",
    "1e",
    "-",
    "+1",
    ".5",
    "nul",
    "[1 2]",
    '{"a" 1}',
    "{a:1}",
    "{'a':1}",
    "1 2",
    "\ufeff{}",
    "NaN",
    "[1]]",
    "{}}",
  ],
  "[".repeat(70) + "]".repeat(70),
  `{"a":${"[".repeat(65)}${"]".repeat(65)},"b":1}`,
  `{"a":"${"x".repeat(20_000)}"}`,
  `{"a":"${"x".repeat(63)}é","b":"${"x".repeat(62)}é","c":"${"x".repeat(130)}\\n","d":"é\\t","e":"${"x".repeat(30)}"}`,
  `{"b":1,"${"n".repeat(63)}":2,"${"n".repeat(64)}":3,"${"é".repeat(32)}":4,"z":"${"Z".repeat(68)}"}`,
  `{${Array.from({ length: 300 }, (_, at) => `"k${at}":${at}`).join(",")},"a":"many"}`,
];

/**
 * Returns the text of a script that loops over the members of a JSON map. In each iteration, the variable `k` is
 * the key of a member, `v` is its value, and the script runs the code in `branches`.
 */
const copying = (before: string, branches: string, after = "") =>
  `${before}\nd = load_json(_)\nif value_type(d) == "map" {\n for k in d {\n  v = d[k]\n  ${branches}\n }\n add_key(last, k)\n ${after}\n}`;
const others = "else {\n pt_kvs_set(k, v)\n}";

describe("JSON on a tape", () => {
  it.each([
    'd = load_json(_)\nadd_key(a, d["a"])\nadd_key(b, d["b"])\nadd_key(none, d["none"])',
    'd = load_json(_)\nif d != nil {\n add_key(h, d["h"])\n x = d["h"]["i"]\n add_key(x)\n add_key(j, d["h"]["i"]["j"])\n}',
    'd = load_json(_)\nif d != nil {\n add_key(f, d["f"])\n add_key(g, d["f"][2]["g"])\n}',
    'd = load_json(_)\nadd_key(a, d["a"])\nadd_key(y, d["f"][1])\nadd_key(b, d["b"])',
    'd = load_json(_)\nadd_key(é, d["é"])\nadd_key(p, d["__proto__"])\nadd_key(t, d["constructor"])',
    "d = load_json(_)\nadd_key(all, d)\nadd_key(n, len(d))",
    // In these scripts, the module copies members of the map in unusual cases: to a tag, to a key that the point
    // already has, or from a map inside the map.
    'd = load_json(_)\nset_tag(a, "t")\nadd_key(b, 1)\nadd_key(a, d["a"])\nadd_key(b, d["b"])\nadd_key(c, d["c"])\nset_tag(d)\nadd_key(d, d["d"])',
    'd = load_json(_)\nadd_key(a, d["a"])\nadd_key(i, d["h"]["i"])\nadd_key(b, d["b"]["b"])\nadd_key(c, d["c"])\nrename(z, a)',
    'd = load_json(_)\ne = load_json(_)\nadd_key(a, d["a"])\nadd_key(b, e["b"])\nadd_key(c, d["c"])\nadd_key(e, e["e"])',
    'd = load_json(_)\nif d != nil {\n h = d["h"]\n h["i"] = "new"\n add_key(i, d["h"]["i"])\n add_key(a, d["a"])\n}',
    'if _ == "" {\n d = load_json(_)\n}\nd = load_json(_)\nadd_key(message, d["a"])\nadd_key(b, d["b"])\nadd_key(é, d["é"])\nadd_key(n, d[""])',
    'for x in [1, 2] {\n add_key(a, d["a"])\n d = load_json(_)\n add_key(b, d["b"])\n}',
    'd = load_json(_)\nh = d["h"]\nh["new"] = 1\nadd_key(all, d)\nadd_key(h)',
    'd = load_json(_)\nd["a"] = "changed"\nadd_key(b, d["b"])\nadd_key(all, d)',
    "d = load_json(_)\nfor k in d {\n add_key(last, k)\n add_key(has, k in d)\n}",
    'd = load_json(_)\nadd_key(r, "a" in d)\nadd_key(s, "none" in d)',
    'd = load_json(_)\nadd_key(message, "gone")\nadd_key(a, d["a"])\nadd_key(t, d["a"] + "!")\nadd_key(u, d["a"] == d["a"])',
    'd = load_json(_)\ncache_set("k", d, 100)\nadd_key(kept, cache_get("k"))',
    'd = load_json(_)\ne = load_json(_)\nadd_key(r, d == e)\nadd_key(x, [d["a"], d["h"]])',
    "json(_, a)\njson(_, h.i.j, j)\njson(_, f[-1].g, g)\njson(_, b, b, false)\njson(_, none)",
    "json(_, a, a, true, true)\njson(_, b, b, true, true)",
    // The function `json` uses the value of the last text again.
    'json(_, a)\njson(_, a, b, true, true)\njson(_, a, c)\nadd_key(message, "{\\"a\\": [5]}")\njson(_, a, d)\njson(_, a[0], e)',
    'json(_, h, x)\nd = load_json(_)\nif value_type(d) == "map" {\n d["h"] = 1\n}\njson(_, h, y)\njson(_, f, z)\njson(_, f[2], w)',
    'json(_, h.i, i)\ntext = "{\\"h\\": {\\"i\\": 7}}"\njson(text, h.i, j)\njson(text, h, k)\njson(_, h.i, l)\njson(_, none)',
    "json(_, h.i, i, true, true)\njson(_, .[1], second)\njson(_, h)",
    // Loops over the members of a map. The WebAssembly module runs the iterations of such a loop without JavaScript,
    // as long as the iterations only copy members.
    copying("", "pt_kvs_set(k, v)", "add_key(all, d)"),
    copying('set_tag(c, "t")\nset_tag(b, "t")\nset_tag(h, "t")', "pt_kvs_set(k, v)"),
    copying("set_tag(c)\nset_tag(h)", "pt_kvs_set(k, v)"),
    copying(
      "",
      `if k in ["a", "none"] {\n add_key(first, v)\n} elif k == "b" && v != 1 {\n d["e"] = "changed"\n} ${others}`,
    ),
    copying("", `if k == "b" {\n d = load_json("{\\"e\\": 5, \\"h\\": 6}")\n} elif k == "d" {\n break\n} ${others}`),
    copying("", `if k == "c" {\n continue\n} elif k == "e" {\n exit()\n} ${others}`),
    copying(
      "",
      `if k == "b" {\n x = d["h"]\n if value_type(x) == "map" {\n  x["i"] = 1\n }\n} elif k == "z" {\n} ${others}`,
    ),
    copying("", `if k == "b" {\n d["h"] = nil\n delete(d, "e")\n} elif k == "none" {\n} ${others}`, "add_key(all, d)"),
    copying("", `if k in ["a", "e"] {\n x = d[k]\n add_key(same, x == v)\n} elif k == "h" {\n v = 1\n} ${others}`),
    // These loops also store members in variables, which the module does, too, when nothing else can happen.
    copying(
      "s = nil\nt = 0",
      `if k in ["a", "h", "z"] {\n s = v\n} elif k == "b" {\n t = v\n} ${others}`,
      "add_key(s)\nadd_key(t)",
    ),
    copying("", `if k in ["a", "b"] {\n s = v\n} elif k == "c" {\n} ${others}`, "add_key(s)"),
    copying('if _ == "" {\n s = 1\n}', `if k in ["a", "b"] {\n s = v\n} elif k == "c" {\n} ${others}`, "add_key(s)"),
    copying("s = nil", `if k in ["b", "e"] {\n d = v\n} elif k == "a" {\n s = d\n} ${others}`, "add_key(s)"),
    copying(
      "s = nil",
      `if k in ["a", "h", "f", "z", "c"] && (value_type(v) != "map" || "i" in v) {\n s = v\n} elif k == "b" {\n add_key(was, s)\n} ${others}`,
      'add_key(s)\nif value_type(s) == "map" {\n s["i"] = "changed"\n add_key(s)\n add_key(all, d)\n}',
    ),
    copying(
      "s = nil",
      `if k in ["a", "h"] && value_type(v) != "map" {\n s = v\n} elif k == "a" {\n s = k\n} ${others}`,
      "add_key(s)",
    ),
    copying(
      "s = nil",
      `if k == "h" {\n s = v\n s["i"] = 7\n} elif k == "f" {\n s = v\n} ${others}`,
      "add_key(s)\nadd_key(all, d)",
    ),
    copying(
      "s = 1",
      `if k == "e" {\n s += 1\n} elif k == "a" {\n s = [v]\n} elif k == "b" {\n s = v\n} ${others}`,
      "add_key(s)",
    ),
    copying('v = "outer"', "pt_kvs_set(k, v)", "add_key(v)"),
    copying('k = "outer"', "pt_kvs_set(k, v)"),
    copying("", `if k == "a" {\n add_key(a, v)\n} elif v == true {\n add_key(t, k)\n} ${others}`),
  ])("gives the same result as JSON in JavaScript: %s", (script) => {
    same(script, texts);
  });

  it.each(Array.from({ length: 14 }, (_, steps) => steps + 1))(
    "ends the script at the same statement with a limit of %i steps",
    (steps) => {
      const script = 'd = load_json(_)\nadd_key(a, d["a"])\nadd_key(i, d["h"]["i"])\nadd_key(c, d["c"])\nadd_key(z, 1)';
      const short = texts.filter((text) => text.length < 1000);
      same(script, short, steps);
      same(copying("", `if k == "b" {\n add_key(z, 1)\n} elif k == "y" {\n} ${others}`), short, 3 * steps);
      same(
        copying("s = nil", `if k in ["a", "z"] {\n s = v\n} elif k == "h" {\n} ${others}`, "add_key(s)"),
        short,
        3 * steps,
      );
    },
  );

  it.each([40, 50, 55, 60, 70, 100])(
    "counts the steps to write a list in a loop that copies members: limit of %i steps",
    (steps) => {
      const list = `{"a":["${"x".repeat(396)}"],"b":1,"c":2}`;
      const escaped = `{"a":["${"<".repeat(100)}"],"b":1,"c":2}`;
      same(copying("", "pt_kvs_set(k, v)", "add_key(done, 1)"), [list, escaped], steps);
    },
  );

  it("ends at the copy that exceeds the memory limit, also when one module call makes many copies", () => {
    const copies = Array.from({ length: 64 }, (_, at) => `add_key(x${at}, d["a"])`);
    const point = new Point("m", 1n);
    point.setField(message, `{"a":["${"<".repeat(1000)}"]}`);
    const batch = mill.decodePoints(mill.encodePoints([point], "pb"), { category, form: "pb" });
    const { entries, error } = outcome(["d = load_json(_)", ...copies].join("\n"), batch.at(0), 1_000_000, 100_000);
    batch.release();
    // Each copy of the list takes 6,004 bytes, because each `<` is written as `\u003c`. So 16 copies fit into the limit
    // of 100,000 bytes.
    expect(entries.filter((entry) => entry.startsWith("x"))).toHaveLength(16);
    expect(error).toBe("values of the script exceed 100000 bytes");
  });

  it.each([
    {
      script:
        "h = load_json(_)\ne = h\nfor r in [1, 2, 3] {\nfor k in h {\nv = h[k]\npt_kvs_set(k, v)\n}\n}\nadd_key(done, 1)",
      text: '{"abcdefgg":true}',
      limits: [264, 265, 266, 267],
    },
    { script: 'for r in [1, 2, 3] {\ngroup_in(message, ["a"], "v")\nx = 1\n}', text: "x", limits: [108, 110] },
    {
      script: "for i = 0; i < 100; i += 1 {\nlowercase(message)\n}\nadd_key(done, 1)",
      text: "x".repeat(200),
      limits: [10_000],
    },
  ])("ends at the same line when the memory limit is reached: $script", ({ script, text, limits }) => {
    const { scripts, free } = mill.compile({ "a.p": script }, { category });
    const endOf = (point: PointView, maxBytes: number) => {
      const { error } = mill.run(scripts.get("a.p")!, point, { category, maxBytes });
      return error === null ? "no error" : `${error.error} at line ${error.pos_chain[0]!.ln}`;
    };
    const point = new Point("m", 1n);
    point.setField(message, text);
    const body = mill.encodePoints([point], "pb");
    for (const maxBytes of limits) {
      const batch = mill.decodePoints(body, { category, form: "pb" });
      const end = endOf(batch.at(0), maxBytes);
      batch.release();
      expect(end).toContain("at line");
      expect(end).toBe(endOf(Point.copyOf(point), maxBytes));
    }
    free();
  });

  it("takes the same steps when a string of a JSON text is compared", () => {
    const script = 'd = load_json(_)\nv = d["a"]\nadd_key(r, v == nil)\nadd_key(s, v == v)\nadd_key(t, v != [])';
    same(script, [`{"a":"${"y".repeat(64)}"}`, `{"a":"${"y".repeat(6400)}"}`, '{"a":[1,2]}']);
  });

  it("gives the same result for random texts, valid or broken", () => {
    const [base] = texts;
    const letters = ['"', "\\", "{", "}", "[", "]", ",", ":", "1", "e", ".", "-", " ", "u", "n", "é", "\t", "x"];
    let state = 7;
    const draw = (below: number) => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 4294967296) * below);
    };
    const torn = Array.from({ length: 400 }, () => {
      const at = draw(base!.length);
      return base!.slice(0, at) + letters[draw(letters.length)] + base!.slice(at + draw(3));
    });
    same('d = load_json(_)\nadd_key(r, d == nil)\nif d != nil {\n add_key(b, d["b"])\n add_key(all, d)\n}', torn);
  });

  it("stays valid in the cache after its batch is released", () => {
    const { scripts } = mill.compile(
      { "a.p": 'x = cache_get("k")\nadd_key(x)\nd = load_json(_)\ncache_set("k", d["a"], 100)' },
      { category },
    );
    const run = (text: string) => {
      const batch = mill.decodePoints(new TextEncoder().encode(`m message="${text}" 1`), { category, form: "lp" });
      mill.run(scripts.get("a.p")!, batch.at(0), { category });
      const held = batch.at(0).get(new Key("x"));
      const shown = held === undefined ? null : shownValue(held);
      batch.release();
      return shown;
    };
    run('{\\"a\\":\\"kept\\"}');
    expect(run('{\\"a\\":\\"xxxx\\"}')).toBe('"kept"');
  });
});
