// Offsets and converted values of captures, computed by the WebAssembly module and by JavaScript. The expected values
// in the table come from Go's strconv. On random texts, batches and fields both implementations must agree.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Grok, lineOffsets } from "../../../lib/grok/grok.ts";
import { compile } from "../../../lib/regex/compile.ts";
import { KernelEngine } from "../../../lib/regex/engines/kernel-engine.ts";
import type { EngineMaker } from "../../../lib/regex/regex.ts";
import { loadModule } from "../wasm/load.ts";
import conversions from "./conversions.jsonl?raw";

const module = await loadModule();
const inModule: EngineMaker = (parsed, captures) => new KernelEngine(compile(parsed, captures), module);
const readers: readonly [name: string, options: { engine?: EngineMaker }][] = [
  ["the module", { engine: inModule }],
  ["JavaScript", {}],
];

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

interface Conversion {
  readonly text: string;
  readonly int: string;
  readonly float: string;
  readonly bool: boolean;
}

const rows = conversions
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Conversion);

function bitsOf(value: number): string {
  if (Number.isNaN(value)) return "nan";
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return view.getBigUint64(0).toString(16).padStart(16, "0");
}

const typed = (type: string): string => `(?s)^%{T:it:${type}}$`;

describe.each(readers)("conversion by %s", (_, options) => {
  it("returns the expected value for every text of the table", () => {
    const patterns = { T: ".*" };
    const [int, float, bool] = ["int", "float", "bool"].map((type) =>
      Grok.compile(typed(type), { patterns, ...options }),
    );
    for (const row of rows) {
      const got = {
        text: row.text,
        int: String(int!.match(row.text, { trim: false })!.it),
        float: bitsOf(float!.match(utf8(row.text), { trim: false })!.it as number),
        bool: bool!.match(row.text, { trim: false })!.it,
      };
      expect(got).toEqual(row);
    }
  });

  it("returns the expected values for the lines of a batch", () => {
    const bytes = utf8(rows.map(({ text }) => text).join("\0\0\0"));
    const lines: number[] = [];
    let at = 0;
    for (const { text } of rows) {
      const end = at + utf8(text).length;
      lines.push(at, end);
      at = end + 3;
    }
    for (const type of ["int", "float", "bool"] as const) {
      const grok = Grok.compile(typed(type), { patterns: { T: ".*" }, ...options });
      const captures = grok.matchBatch(bytes, Uint32Array.from(lines), { trim: false });
      const got = rows.map((row, line) => {
        const value = grok.valueAt(bytes, captures, line, 0);
        return {
          text: row.text,
          [type]: type === "int" ? String(value) : type === "float" ? bitsOf(value as number) : value,
        };
      });
      expect(got).toEqual(rows.map((row) => ({ text: row.text, [type]: row[type] })));
      grok.free();
    }
  });

  it("trims before it converts, unless trim is false", () => {
    const grok = Grok.compile("^<(?P<s>[^,]*),%{N:i:int},%{N:f:float},%{N:b:bool}>$", {
      patterns: { N: "[^,>]*" },
      ...options,
    });
    const text = "<\u00a0é\u3000,\u2003-12 ,\t0x1p-1\u0085, T\n>";
    expect(grok.match(text)).toEqual({ s: "é", i: -12, f: 0.5, b: true });
    expect(grok.match(text, { trim: false })).toEqual({ s: "\u00a0é\u3000", i: 0, f: 0, b: false });
  });

  it("returns a typed zero for an unmatched group, and orders fields by the groups that set them", () => {
    const grok = Grok.compile("(?:%{INT:a:int}-|%{WORD:b}=|%{INT:c:float}!)(?:%{INT:a:int}|%{WORD:d:bool})?", options);
    expect(Object.entries(grok.match("12-")!)).toEqual([
      ["a", 12],
      ["b", ""],
      ["c", 0],
      ["d", false],
    ]);
    expect(Object.entries(grok.match("x=7")!)).toEqual([
      ["b", "x"],
      ["c", 0],
      ["a", 7],
      ["d", false],
    ]);
  });

  it("keeps invalid bytes within the captures", () => {
    const grok = Grok.compile("^(?P<a>.*)=%{NOTSPACE:n:int}$", options);
    const bytes = Uint8Array.of(0x20, 0xff, 0x85, 0x3d, 0x37);
    expect(grok.matchBytes(bytes, true)!.spans).toEqual(Int32Array.of(1, 3, 4, 5));
    const captures = grok.matchBatch(bytes, Uint32Array.of(0, 5));
    expect(captures.offsets).toEqual(Int32Array.of(1, 3, 4, 5));
    expect(captures.ints[1]).toBe(7n);
  });
});

describe("the module and JavaScript", () => {
  const pieces = [
    ..."0017.-+_eExXpPbBoOfFtTaind,; \t\r\n\v\u0085\u00a0\u1680\u2003\u200a\u200b\u2028\u202f\u205f\u3000\ufeffé日😀",
    ...["true", "inf", "nan", "12.00", "0x1", "1e5", "9223372036854775807"],
  ];
  const bytes = fc
    .array(
      fc.oneof(
        { weight: 12, arbitrary: fc.constantFrom(...pieces).map((piece) => Array.from(utf8(piece))) },
        { weight: 1, arbitrary: fc.constantFrom([0xff], [0xc2], [0xe2, 0x80], [0x85], [0xe3, 0x80]) },
      ),
      { maxLength: 120 },
    )
    .map((parts) => Uint8Array.from(parts.flat()));
  const expressions = [
    "%{T:s},%{T:i:int},%{T:f:float},%{T:b:bool}",
    "^%{T:i:int}$",
    "%{T:f:float};|%{T:f}|(?P<f>,)",
    "(?:%{T:s},|%{T:i:int};)*%{T:i}",
    ";",
  ];

  it.each(expressions)("agree on the captures of random lines by %s", (expression) => {
    const patterns = { T: "[^,;]*" };
    const [one, other] = readers.map(([, options]) => Grok.compile(expression, { patterns, ...options })) as [
      Grok,
      Grok,
    ];
    fc.assert(
      fc.property(bytes, fc.boolean(), (text, trim) => {
        const lines = lineOffsets(text);
        expect(one.matchBatch(text, lines, { trim })).toEqual(other.matchBatch(text, lines, { trim }));
        expect(one.matchBytes(text, trim)).toEqual(other.matchBytes(text, trim));
        expect(one.match(text, { trim })).toEqual(other.match(text, { trim }));
        const string = new TextDecoder().decode(text);
        expect(one.match(string, { trim })).toEqual(other.match(string, { trim }));
      }),
      { seed: 20_261_121, numRuns: 400 },
    );
  });

  it("agree on more lines than one call processes, for any order and for bytes in either memory", () => {
    const texts = Array.from({ length: 1500 }, (_, i) =>
      i % 7 === 0 ? `none ${i}` : `id=${i * 7919} took=${i / 8}ms ok=${i % 2 === 0} é${"x".repeat(i % 90)}`,
    );
    texts[800] = `id=5 took=1ms ok=t ${"y".repeat(3_000_000)}`;
    const text = utf8(texts.join("\n"));
    const lines = lineOffsets(text);
    const shuffled = Uint32Array.from({ length: lines.length }, (_, i) => {
      const line = ((i >> 1) * 7) % texts.length;
      return lines[2 * line + (i & 1)]!;
    });
    const expression = "id=%{INT:id:int} took=%{NUMBER:took:float}ms ok=%{WORD:ok:bool} %{GREEDYDATA:rest}";
    const [ours, plain] = readers.map(([, options]) => Grok.compile(expression, options)) as [Grok, Grok];
    const pages = Math.ceil((text.length + 16) / 65536);
    const address = module.takePages(pages);
    module.u8.set(text, address);
    for (const bounds of [lines, shuffled]) {
      const expected = plain.matchBatch(text, bounds);
      expect(expected.matched.reduce((sum, one) => sum + one, 0)).toBe(1500 - 215);
      const same = (captures: typeof expected): boolean =>
        [0, 1, 2].every((i) => {
          const [a, b] = [captures, expected].map((its) => [its.matched, its.offsets, its.ints][i]!) as [
            Uint8Array,
            Uint8Array,
          ];
          return a.length === b.length && a.every((value, at) => value === b[at]);
        });
      expect(same(ours.matchBatch(text, bounds))).toBe(true);
      expect(same(ours.matchBatch(module.u8.subarray(address, address + text.length), bounds))).toBe(true);
    }
    module.givePages(address, pages);
  });

  it("agree when several expressions alternate and free their memory in between", () => {
    const sources = ["%{INT:n:int}", "%{WORD:w} %{INT:n:int}", "%{NUMBER:f:float}$"];
    const ours = sources.map((source) => Grok.compile(source, { engine: inModule }));
    const plain = sources.map((source) => Grok.compile(source));
    for (let round = 0; round < 60; round++) {
      const text = `w${round} ${round * 1000} ${round}.5`;
      const at = round % 3;
      expect(ours[at]!.match(text)).toEqual(plain[at]!.match(text));
      const lines = lineOffsets(utf8(text));
      expect(ours[(at + 1) % 3]!.matchBatch(utf8(text), lines)).toEqual(
        plain[(at + 1) % 3]!.matchBatch(utf8(text), lines),
      );
      if (round % 10 === 0) for (const grok of ours) grok.free();
    }
  });
});

it("lines that lie outside of the bytes are refused", () => {
  const grok = Grok.compile("a");
  expect(() => grok.matchBatch(utf8("abc"), Uint32Array.of(0, 2, 1, 4))).toThrow(
    "line 1 is said to be at 1 to 4 of 3 bytes",
  );
  expect(() => grok.matchBatch(utf8("abc"), Uint32Array.of(2, 1))).toThrow(RangeError);
});
