// The fast parser expects that a line has the same keys in the same order (the "shape") as an earlier line. The
// test compares the fast parser with parsing byte by byte: the tags and fields in WebAssembly memory and their
// flags must be equal, also for values that are nearly valid.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type BodyOptions, decodeBody } from "../../../../lib/point/codec/body.ts";
import { lineProtocol } from "../../../../lib/point/codec/line-protocol.ts";
import { PointError } from "../../../../lib/point/errors.ts";
import { defaultLimits } from "../../../../lib/point/limits.ts";
import { entry as entryAt, head, kinds } from "../../../../lib/wasm/tape.ts";
import { loadModule } from "../../wasm/load.ts";

const module = await loadModule();
const now = 1700000000000000000n;

/**
 * Returns the points with their tags and fields as WebAssembly memory contains them. In the result, a string is
 * the offset of its first byte in the body. Returns the error when the decoder refuses the body.
 */
function tapeOf(body: Uint8Array, fast: boolean, options: Omit<BodyOptions, "now"> = { category: "tracing" }): unknown {
  try {
    const batch = decodeBody(module, body, lineProtocol(fast), { ...options, now });
    try {
      const { u32 } = module;
      const entries = Array.from({ length: batch.head(head.entryCount) }, (_, i) => {
        const at = batch.entryAt(i);
        const word = u32[at + entryAt.kind]!;
        const isNumber = (word & 0xff) <= kinds.float || (word & 0xff) === kinds.bool;
        const place = u32[at + entryAt.text]! - batch.head(head.body);
        const number = isNumber ? [u32[at + entryAt.number], u32[at + entryAt.number + 1]] : [];
        return [batch.keyText(u32[at]!), word, place, u32[at + entryAt.length], ...number];
      });
      const points = Array.from(batch, ({ name, time }, i) => [name, time, ...batch.warnings(i)]);
      return [points, entries];
    } finally {
      batch.release();
    }
  } catch (error) {
    if (!(error instanceof PointError)) throw error;
    return error.message;
  }
}

const digits = fc.array(fc.constantFrom(..."0123456789"), { maxLength: 19 }).map((list) => list.join(""));
const number = fc
  .tuple(
    fc.constantFrom("", "", "-"),
    digits,
    fc.constantFrom("", ".", "."),
    digits,
    fc.constantFrom("", "", "i", "u", "e5"),
  )
  .map((parts) => parts.join(""));
const nearly = fc
  .array(fc.constantFrom(...'0123456789..--eEiu+/,= "\\tf\r'), { minLength: 1, maxLength: 20 })
  .map((list) => list.join(""));
const string = fc
  .array(fc.constantFrom("a", "b".repeat(30), '\\"', "\\\\", "é", ",", "=", " ", "\n"), { maxLength: 12 })
  .map((list) => `"${list.join("")}"`);
const plain = fc.oneof(
  fc.tuple(fc.integer(), fc.nat(99)).map(([a, b]) => `${a}.${b}`),
  fc.integer().map((value) => `${value}i`),
  fc.nat().map((value) => `${value}`),
  fc.constantFrom("t", "true", "F", "FALSE"),
);
const value = fc.oneof({ weight: 8, arbitrary: plain }, number, string, { weight: 1, arbitrary: nearly });
const tag = fc.oneof(
  fc.nat(30).map((length) => "v".repeat(length + 1)),
  fc.constantFrom("a", "bc"),
);
const time = fc.oneof(
  { weight: 9, arbitrary: fc.nat().map((at) => ` ${now + BigInt(at)}`) },
  // Times with 19 digits, of which the first three are replaced by other digits, by the characters next to the digits
  // in ASCII (`/` and `:`), or by a letter.
  fc
    .array(fc.constantFrom(..."0001112223456789/:x"), { minLength: 3, maxLength: 3 })
    .map((head) => ` ${head.join("")}0000000000000001`),
  fc.constantFrom(
    "",
    " 17",
    " 9223372036854775807",
    " 9223372036854775806",
    " 17000000000000000000",
    " 1700000000000000x",
    "\r",
  ),
);
const keys = ["a", "key_of_15_bytes", "key_of_16_bytes_", `key_of_many_bytes_${"x".repeat(40)}`];
const body = fc
  .tuple(fc.nat(3), fc.integer({ min: 1, max: 4 }))
  .chain(([tags, fields]) => {
    const line = fc
      .tuple(
        fc.array(tag, { minLength: tags, maxLength: tags }),
        fc.array(value, { minLength: fields, maxLength: fields }),
        fc.oneof({ weight: 9, arbitrary: fc.constant("") }, fc.constantFrom(",", ",b=1", " ", ",a")),
        time,
      )
      .map(([values, given, more, at]) => {
        const tagList = values.map((each, i) => `,t${i}=${each}`).join("");
        return `m${tagList} ${given.map((each, i) => `${keys[i]}=${each}`).join(",")}${more}${at}`;
      });
    return fc.array(line, { minLength: 2, maxLength: 6 });
  })
  .map((lines) => new TextEncoder().encode(lines.join("\n")));

describe("a line that is parsed with the shape of an earlier line", () => {
  it("gives the same tape as parsing it byte by byte", () => {
    fc.assert(
      fc.property(body, (bytes) => {
        expect(tapeOf(bytes, true)).toEqual(tapeOf(bytes, false));
      }),
      { numRuns: 3000 },
    );
  });

  it("keeps a time that needs all 64 bits, and fails when its time is larger", () => {
    const lines = (time: string): Uint8Array => new TextEncoder().encode(`m f=1 ${now}\nm f=1 ${time}`);
    const [points] = tapeOf(lines("9223372036854775806"), true) as [unknown[]];
    expect(points).toEqual([
      ["m", now],
      ["m", 9223372036854775806n],
    ]);
    for (const time of ["9223372036854775807", "9999999999999999999", "18446744073709551617"]) {
      const fault = tapeOf(lines(time), true);
      expect(fault).toMatch(time);
      expect(fault).toBe(tapeOf(lines(time), false));
    }
  });

  it("may use the shape of another body, whatever options that body had", () => {
    const lines = [
      "cpu,host=a,status=b usage=1,date=2i 1",
      `cpu,host=a usage=1,key_of_many_bytes_${"x".repeat(40)}="text" 1`,
      `measurement_of_many_bytes_${"y".repeat(40)},host=a,status=b usage=1,name="n" 1`,
      "cpu usage.user=1,usage=2 1",
      "mem,source=s free=1u 1",
    ];
    const asked = fc.record({
      category: fc.constantFrom("tracing", "logging", "metric", "object"),
      limits: fc
        .record({
          maxTags: fc.integer({ min: 1, max: 3 }),
          maxFieldKey: fc.constantFrom(5, 256),
          maxMeasurement: fc.constantFrom(2, 1024),
          noUint: fc.boolean(),
        })
        .map((some) => ({ ...defaultLimits, ...some })),
    });
    const some = fc.array(fc.constantFrom(...lines), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(fc.tuple(some, asked), { minLength: 2, maxLength: 5 }), (bodies) => {
        for (const [list, options] of bodies) {
          const bytes = new TextEncoder().encode(list.join("\n"));
          expect(tapeOf(bytes, true, options)).toEqual(tapeOf(bytes, false, options));
        }
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ["a few shapes", 20],
    ["more shapes than are kept", 900],
    ["more shapes than a scan has room for", 6000],
  ])("finds its keys among %s, body after body", (_, count) => {
    const list = Array.from(
      { length: count },
      (_, i) => `measurement_${i},tag_with_a_long_key_${i}=v field_with_a_long_key_${i}=${i},b=-${i}i,c="${i}" ${now}`,
    );
    const bytes = new TextEncoder().encode([...list, ...list].join("\n"));
    const expected = tapeOf(bytes, false);
    expect(tapeOf(bytes, true)).toEqual(expected);
    expect(tapeOf(bytes, true)).toEqual(expected);
    expect(module.used).toBe(0);
  });
});
