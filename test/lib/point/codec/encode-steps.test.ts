// The cost of encoding: the number of steps is at most a constant times the bytes of the output and of the encoded
// points in WebAssembly memory.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodePoints } from "../../../../lib/point/codec/decode.ts";
import { encodeTo, type Form } from "../../../../lib/point/codec/encode.ts";
import { PointError } from "../../../../lib/point/errors.ts";
import { logLines, metricLines } from "../../../bench/data/regular.ts";
import { loadCounting } from "../../wasm/load.ts";

const { module, steps } = await loadCounting();
const forms: readonly Form[] = ["lp", "json", "pbjson", "pb"];
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const options = { category: "tracing", now: 1700000000000000000n } as const;

/** Allowed steps that do not depend on the points, for making tables and memory regions. */
const constantSteps = 4096;

interface Cost {
  readonly steps: number;
  /**
   * The size of the output plus the size of the decoded body, in bytes. The body counts, too, because the encoder may
   * read values that it does not write.
   */
  readonly bytes: number;
}

function costOf(body: Uint8Array, form: Form, marked = false): Cost {
  const batch = decodePoints(module, body, "lp", options);
  let bytes = body.length;
  const before = steps();
  if (marked) {
    const address = module.buffer(batch.length * 8);
    module.encoding = { take: (chunk) => void (bytes += chunk.length), metricType: () => "0" };
    module.exports.startEncoding(forms.indexOf(form), 1n);
    module.exports.encodeMarked(batch.base, 0, batch.length, address, 1);
    module.exports.finishEncoding();
    module.exports.stopEncoding();
    module.encoding = null;
    module.refresh();
  } else encodeTo(module, batch, form, (chunk) => void (bytes += chunk.length));
  const taken = steps() - before;
  batch.release();
  return { steps: taken, bytes };
}

function expectBounded({ steps: taken, bytes }: Cost): void {
  expect(taken).toBeLessThanOrEqual(16 * bytes + constantSteps);
}

const hard: readonly [name: string, body: () => string][] = [
  ["the least lines", () => "m f=1\n".repeat(30_000)],
  ["metric lines", () => metricLines(500)],
  ["log lines", () => logLines(500)],
  ["a key of its own in each line", () => Array.from({ length: 20_000 }, (_, i) => `m k${i}=1\n`).join("")],
  [
    "fields in falling order",
    () => `m ${Array.from({ length: 1024 }, (_, i) => `f${9999 - i}=1`).join(",")}\n`.repeat(20),
  ],
  [
    "keys that share a long start",
    () => `m ${Array.from({ length: 1000 }, (_, i) => `${"k".repeat(200)}${9999 - i}=1`).join(",")}`,
  ],
  ["strings of quotes", () => `m f="${'\\"'.repeat(100_000)}"`],
  ["strings of backslashes", () => `m f="${"\\\\".repeat(100_000)}"`],
  ["control characters", () => `m f="${"\u0001".repeat(100_000)}"`],
  ["texts that are not ASCII", () => `m f="${"\u4e2d\u{1f600}".repeat(40_000)}"`],
  ["an array of many", () => `m f=[${"1.5,".repeat(50_000)}1]`],
  ["an array of texts", () => `m f=[${'"a",'.repeat(50_000)}"b"]`],
  ["binaries", () => `m f="${"YWJj".repeat(50_000)}"b`],
  [
    "numbers of 17 digits",
    () => Array.from({ length: 5000 }, (_, i) => `m f=0.${12345678901234567n + BigInt(i)}\n`).join(""),
  ],
  ["very small numbers", () => "m f=5e-324,g=2.2250738585072014e-308\n".repeat(2000)],
  ["escapes in keys and tags", () => "m\\ n,a\\,b=c\\=d e\\ f=1\n".repeat(5000)],
  ["lines that line protocol cannot say", () => "m,t=v f=[]\n".repeat(10_000)],
];

describe("steps of an encoder", () => {
  it("are counted", () => {
    expect(costOf(utf8("m f=1 1\n".repeat(1000)), "lp").steps).toBeGreaterThan(1000);
  });

  it.each(forms.flatMap((form) => hard.map(([name, body]) => [form, name, body] as const)))(
    "are at most 16 a byte: %s, %s",
    (form, _, body) => {
      expectBounded(costOf(utf8(body()), form));
      expectBounded(costOf(utf8(body()), form, true));
    },
  );

  it("are at most 16 a byte for any points", () => {
    const piece = fc.constantFrom(
      ...'m cpu a.b f ,t=v ,a=b =1 =1i =t =1e300 =-0.1 \\ " , ='.split(" "),
      ...' | f=1| f=1,g="x\\"y" 1\n|=[1,2]|=["a"]|="YQ=="b|\n'.split("|"),
    );
    const soup = fc.array(piece, { minLength: 1, maxLength: 120 }).map((parts) => utf8(`m f=1\n${parts.join("")}`));
    fc.assert(
      fc.property(soup, fc.constantFrom(...forms), fc.boolean(), (body, form, marked) => {
        try {
          expectBounded(costOf(body, form, marked));
        } catch (error) {
          if (!(error instanceof PointError)) throw error;
        }
      }),
      { numRuns: 600 },
    );
  });
});
