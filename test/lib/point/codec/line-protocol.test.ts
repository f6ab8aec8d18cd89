// Compares the two line protocol parsers of the WebAssembly module, line by line, with the decoder in plain JavaScript.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CategoryName, categories } from "../../../../lib/point/category.ts";
import { decodeBody } from "../../../../lib/point/codec/body.ts";
import { lineProtocol } from "../../../../lib/point/codec/line-protocol.ts";
import { PointError } from "../../../../lib/point/errors.ts";
import type { Limits } from "../../../../lib/point/limits.ts";
import type { Point } from "../../../../lib/point/point.ts";
import { encodeBase64 } from "../../../../lib/text/base64.ts";
import { decodeLineProtocolInJs } from "../../../baseline/line-protocol.ts";
import { loadModule } from "../../wasm/load.ts";
import { encodersOf } from "../encoders.ts";

interface Options {
  readonly category?: CategoryName;
  readonly precision?: string;
  readonly strict?: boolean;
  readonly limits?: Limits;
}

const now = 1700000000000000000n;
const module = await loadModule();
const { encodePbjson } = encodersOf(module);
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

function decode(body: string | Uint8Array, fast: boolean, options: Options = {}): Point[] {
  const bytes = typeof body === "string" ? utf8(body) : body;
  const batch = decodeBody(module, bytes, lineProtocol(fast), { category: "tracing", now, ...options });
  try {
    return Array.from({ length: batch.length }, (_, i) => batch.point(i));
  } finally {
    batch.release();
  }
}

/** Returns the complete result of a decoder for a body as a string. */
function answer(run: () => Point[]): string {
  try {
    return encodePbjson(run());
  } catch (error) {
    if (!(error instanceof PointError)) throw error;
    const places = error.lines.map((line) => [
      line.line,
      line.pos,
      line.offset,
      line.lineNumber,
      line.column,
      line.reason,
    ]);
    return `${error.message}\n${JSON.stringify(places)}`;
  }
}

function expectAgreement(body: Uint8Array, options: Options & { category: CategoryName }): void {
  const expected = answer(() => decodeLineProtocolInJs(body, { now, ...options }));
  for (const fast of [true, false]) expect(answer(() => decode(body, fast, options))).toBe(expected);
}

const options = fc.record({
  category: fc.constantFrom(...categories),
  precision: fc.constantFrom("", "n", "u", "ms", "s", "m", "h"),
  strict: fc.boolean(),
});

/** Fragments from which random lines are made, chosen so that random lines reach the cases in which parsers differ. */
const piece = fc.constantFrom(
  ...'m cpu a b.c f g status name date source , , , = = = \\ " " [ ] # \t \r \n é 中 t true F i u'.split(" "),
  " ",
  " ",
  " ",
  "\n",
  "\r\n",
  "\0",
  ",t=v",
  ",host=a,zone=b",
  " f=1",
  " f=1i,g=2.5",
  "=1",
  "=-1.5e3",
  '="x"',
  '="a\\"b\\\\"',
  '="eA=="b',
  "=[1i,2i]",
  '=["a,b"]',
  "=[]",
  "=t",
  "=9007199254740993i",
  "=0.1234567890123456789",
  "=18446744073709551615u",
  "\\ ",
  "\\,",
  "\\=",
  " 1700000000",
  " 1700000000123456789",
  " 0",
  " -5",
  "\xff",
);
const pieces = fc
  .array(piece, { maxLength: 24 })
  .map((parts) => utf8(parts.join("")).map((byte) => (byte === 0xbf ? 0xff : byte)));

describe("the decoder of the module, compared with the decoder in plain JavaScript,", () => {
  it("agrees on quotes and backslashes at every offset of a block", () => {
    const anyText = (ending: string, length: number): string => `a="${"x".repeat(length)}${ending}",b=1i 1700000000`;
    for (const ending of [
      '\\"',
      "\\\\",
      '\\"\\"',
      '\\"\\"\n',
      "\\\\\\\\",
      '\\\\\\"',
      '\\"\n',
      '\\"\\\\\n',
      "\\x",
      '\\"x\\"',
    ]) {
      const lines = Array.from({ length: 140 }, (_, length) => `m ${anyText(ending, length)}`);
      for (const body of [...lines, lines.join("\n")]) expectAgreement(utf8(body), { category: "tracing" });
    }
  });

  it("agrees on quotes outside of strings, and on keys that end in a backslash", () => {
    const bodies = [
      'm a=[x \\"q\\"]b",c=t',
      'm a=["x\\"]"]',
      "m \\\\=f,t=v",
      "m \\\\=f,t=t",
      "m \\\\=f,t",
      "m a\\\\=x",
    ];
    for (const body of bodies) expectAgreement(utf8(body), { category: "metric" });
  });

  it("agrees on bodies made of random pieces of lines", () => {
    fc.assert(fc.property(pieces, options, expectAgreement), { numRuns: 3000 });
  });

  it("agrees on valid lines with a few changed bytes", () => {
    const good = 'cpu,host=a\\ b,zone=eu\\,1 usage=12.5,free=3i,msg="a \\"q\\" b",ok=true,big=1u 1700000000\n';
    const body = utf8(good.repeat(3));
    const byte = fc.constantFrom(...utf8(' ,="\\\n\r\t[]#ntifu019.-eb'), 0, 0xff);
    const edits = fc.array(fc.tuple(fc.nat(body.length - 1), byte, fc.constantFrom("set", "insert", "remove")), {
      minLength: 1,
      maxLength: 3,
    });
    const edited = edits.map((list) => {
      const bytes = [...body];
      for (const [at, value, how] of list) {
        if (how === "insert") bytes.splice(at, 0, value);
        else if (how === "remove") bytes.splice(at, 1);
        else bytes[at] = value;
      }
      return new Uint8Array(bytes);
    });
    fc.assert(fc.property(edited, options, expectAgreement), { numRuns: 3000 });
  });

  it("agrees on any bytes", () => {
    fc.assert(fc.property(fc.uint8Array({ minLength: 1, maxLength: 64 }), options, expectAgreement), { numRuns: 2000 });
  });

  it("agrees on corrections under small limits", () => {
    const key = fc.array(
      fc.constantFrom(..."a b . _ é 中 \\\n \\\\x source date name status".split(" "), "\\ ", "\\="),
      {
        minLength: 1,
        maxLength: 4,
      },
    );
    const text = fc.array(fc.constantFrom(..."v . é 中 😀 \\\n \\x".split(" ")), { minLength: 1, maxLength: 6 });
    const value = fc.oneof(
      text.map((parts) => `"${parts.join("")}"`),
      fc.constantFrom("1", "2i", "3u", "18446744073709551615u", "t", "[]", "[1u]", '""', '"\\"\\\\"', '"é\\"😀\\"a"'),
      fc.uint8Array({ minLength: 1, maxLength: 9 }).map((bytes) => `"${encodeBase64(bytes)}"b`),
    );
    const tag = fc.tuple(key, text).map(([k, v]) => `,${k.join("")}=${v.join("")}`);
    const field = fc.tuple(key, value).map(([k, v]) => `${k.join("")}=${v}`);
    const line = fc
      .tuple(
        fc.constantFrom("m", "mé中"),
        fc.array(tag, { maxLength: 4 }),
        fc.array(field, { minLength: 1, maxLength: 5 }),
      )
      .map(([name, tags, fields]) => `${name}${tags.join("")} ${fields.join(",")} 1`);
    const small = fc.integer({ min: 0, max: 6 });
    const limits = fc.record({
      maxTags: fc.integer({ min: 0, max: 3 }),
      maxFields: fc.integer({ min: 0, max: 3 }),
      maxTagKey: small,
      maxFieldKey: small,
      maxTagValue: small,
      maxFieldValue: small,
      maxMeasurement: small,
      noUint: fc.boolean(),
    });
    const category = fc.constantFrom(...categories);
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 4 }), limits, category, (lines, limits, category) => {
        expectAgreement(utf8(lines.join("\n")), { category, limits });
      }),
      { numRuns: 800 },
    );
  });

  it("agrees on bodies of lines that share measurements and keys", () => {
    const key = fc.constantFrom(
      "a",
      "b",
      "c",
      "d",
      "a_key_of_16_byte",
      "a_key_of_15_byt",
      "a_key_that_is_longer_than_16_bytes",
      "a.b",
    );
    const keys = fc.uniqueArray(key, { minLength: 1, maxLength: 5 });
    const value = fc.constantFrom(
      "1",
      "2i",
      "-3i",
      "0.25",
      "-12.5",
      "1e3",
      "t",
      "False",
      '"x"',
      '"a\\"b"',
      "123456789012345678i",
      "5u",
    );
    const line = fc
      .tuple(
        fc.constantFrom("m", "n", "a", "measurement_of_20_byt"),
        keys,
        fc.nat(3),
        fc.array(value, { minLength: 5, maxLength: 5 }),
      )
      .map(([name, all, tagCount, values]) => {
        const tags = all.slice(0, Math.min(tagCount, all.length - 1));
        const fields = all.slice(tags.length).map((each, i) => `${each}=${values[i]}`);
        return `${name}${tags.map((each, i) => `,${each}=${values[i]!.replaceAll('"', "")}`).join("")} ${fields.join(",")} 1`;
      });
    const bodies = fc
      .tuple(fc.array(line, { minLength: 1, maxLength: 6 }), fc.array(fc.nat(), { minLength: 1, maxLength: 30 }))
      .map(([lines, order]) => utf8(order.map((at) => lines[at % lines.length]).join("\n")));
    fc.assert(fc.property(bodies, options, expectAgreement), { numRuns: 600 });
  });

  it("reads every decimal as JavaScript does", () => {
    const digits = fc.stringMatching(/^-?[0-9]{0,22}(\.[0-9]{0,22})?([eE][+-]?[0-9]{1,3})?$/);
    fc.assert(
      fc.property(fc.oneof(digits, fc.double({ noNaN: true }).map(String)), (text) => {
        expectAgreement(utf8(`m f=${text},g=[${text}] 1`), { category: "tracing" });
      }),
      { numRuns: 3000 },
    );
  });
});
