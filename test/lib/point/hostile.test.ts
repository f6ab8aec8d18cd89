// Hostile bodies: whatever the bytes of a body are, the decoder takes at most 64 steps per byte to decode or
// refuse the body, and reads no byte after it. The decoder returns the same points for a body as for its lines
// one by one.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { categories } from "../../../lib/point/category.ts";
import { type BodyOptions, decodeBody } from "../../../lib/point/codec/body.ts";
import { decodePoints } from "../../../lib/point/codec/decode.ts";
import { lineProtocol } from "../../../lib/point/codec/line-protocol.ts";
import { PointError } from "../../../lib/point/errors.ts";
import { pageSize, type WasmModule } from "../../../lib/wasm/module.ts";
import { head } from "../../../lib/wasm/tape.ts";
import { loadCounting, loadModule } from "../wasm/load.ts";
import { encodersOf } from "./encoders.ts";

const { module: counting, steps } = await loadCounting();
const plain = await loadModule();
const { encodePbjson } = encodersOf(plain);
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const defaults: BodyOptions = { category: "logging", now: 1700000000000000000n };

/**
 * Number of steps that a body may take in addition to the steps that depend on its size. The decoder takes these steps
 * to mark the keys that a category requires or refuses, and to make tables.
 */
const constantSteps = 4096;

/** Decodes a body, which may be refused, and returns the number of steps. */
function stepsOf(body: Uint8Array, options: BodyOptions = defaults, fast = true): number {
  const before = steps();
  try {
    decodeBody(counting, body, lineProtocol(fast), options).release();
  } catch (error) {
    if (!(error instanceof PointError)) throw error;
  }
  return steps() - before;
}

const category = fc.constantFrom(...categories);
const piece = fc.constantFrom(
  ...'m cpu a.b f= ,t=v ,a=b =1 =1i =t \\ " [ ] , = # 1e5 0.1 -'.split(" "),
  ...' |\n|\r\n|\t| f=1| f=1 1\n|="x"|=[1,2]|\\\n|\\"|\\,'.split("|"),
  "m,t=v f=1,g=2i 1\n",
);
const soup = fc.array(piece, { maxLength: 200 }).map((parts) => utf8(parts.join("")));
const bytes = fc.uint8Array({ minLength: 1, maxLength: 300 });
const anyBody = fc.oneof(bytes, soup).filter((body) => body.length > 0);

// The module makes its table of powers of ten when it first parses a number with many digits. This call makes the table
// before the tests count steps.
stepsOf(utf8("m f=2212239449728585270 1"));

describe("steps", () => {
  it("are counted", () => {
    expect(stepsOf(utf8("m f=1 1\n".repeat(1000)))).toBeGreaterThan(3000);
  });

  it("are at most 64 a byte for any bytes", () => {
    fc.assert(
      fc.property(anyBody, category, fc.boolean(), (body, category, fast) => {
        expect(stepsOf(body, { ...defaults, category }, fast)).toBeLessThanOrEqual(64 * body.length + constantSteps);
      }),
      { numRuns: 600 },
    );
  });

  const hard: readonly [name: string, body: () => string][] = [
    ["tags in falling order", () => `m${Array.from({ length: 16000 }, (_, i) => `,${99999 - i}=v`).join("")} f=1`],
    [
      "tags that share a long start",
      () => `m${Array.from({ length: 400 }, (_, i) => `,${"k".repeat(150)}${999 - i}=v`).join("")} f=1`,
    ],
    ["equal tags", () => `m${",t=v".repeat(16000)} f=1`],
    ["a field over and over", () => `m ${Array.from({ length: 50000 }, () => "f=1").join(",")}`],
    ["fields of their own", () => `m ${Array.from({ length: 50000 }, (_, i) => `f${i}=1`).join(",")}`],
    ["shapes of their own", () => Array.from({ length: 5000 }, (_, i) => `m a${i}=1,b${i * 7}=2`).join("\n")],
    ["five shapes in turn", () => Array.from({ length: 5000 }, (_, i) => `m ${"abcde".slice(i % 5)}=1,z=1`).join("\n")],
    ["shapes that fail at the end", () => "m,a=1,b=2,c=3 d=4,e=5,f=1e5 x\n".repeat(3000)],
    ["measurements of their own", () => Array.from({ length: 20000 }, (_, i) => `m${i} f=1`).join("\n")],
    ["a string that is never closed", () => `m f="${"x".repeat(200000)}`],
    ["strings that are never closed", () => 'm f="x\n'.repeat(30000)],
    ["strings of quotes", () => `m f="${'\\"'.repeat(100000)}" 1`],
    ["strings of backslashes", () => `m f="${"\\\\".repeat(100000)}`],
    ["brackets that are never closed", () => `m f=${"[".repeat(100000)}`],
    ["arrays of arrays", () => "m f=[[1],[2]]\n".repeat(10000)],
    ["an array of many", () => `m f=[${"1,".repeat(100000)}1] 1`],
    ["an array in quotes", () => `m f=["${"],".repeat(50000)}"] 1`],
    [
      "numbers that leave a doubt",
      () => `m f=[${Array.from({ length: 5000 }, () => "1.00000000000000011102230246251565404").join(",")}]`,
    ],
    [
      "small numbers that leave a doubt",
      () => `m f=[${Array.from({ length: 5000 }, () => "2.47032822920623272088e-324").join(",")}]`,
    ],
    [
      "long numbers that leave a doubt",
      () =>
        `m f=${Array.from({ length: 50 }, () => `0.${"0".repeat(300)}24703282292062327208${"1".repeat(750)}`).join(",g=")}`,
    ],
    ["binaries", () => `m ${Array.from({ length: 5000 }, (_, i) => `f${i}="YWJjZA=="b`).join(",")}`],
    ["dots in keys", () => "m,a.b=1 c.d=2,e.f=3\n".repeat(5000)],
    ["keys that are cut", () => `m,${"k".repeat(300)}=1 ${"f".repeat(300)}=2\n`.repeat(300)],
    ["values with newlines", () => `m,t=${"\\\n".repeat(400)} f=1\n`.repeat(100)],
    ["escapes in keys", () => `m,${"\\,".repeat(100)}=1 ${"\\=".repeat(100)}=2\n`.repeat(300)],
    ["blank lines and comments", () => " \t\n#x\n\n".repeat(30000)],
    ["spaces before fields", () => `m${" ".repeat(100000)}f=1`],
    ["carriage returns", () => "\r\n".repeat(50000)],
    ["lines that fail", () => "m\n".repeat(50000)],
  ];

  it.each(hard)("are at most 64 a byte for %s", (_, make) => {
    const body = utf8(make());
    for (const category of ["metric", "logging"] as const) {
      expect(stepsOf(body, { ...defaults, category })).toBeLessThanOrEqual(64 * body.length + constantSteps);
    }
  });
});

/**
 * A function that makes the WebAssembly module decode the body of a batch, and returns the result of the module. `base`
 * is the address of the batch in memory.
 */
type Scan = (module: WasmModule, base: number) => number;

const scans: Readonly<Record<string, Scan>> = {
  "line protocol": ({ exports }, base) => exports.scanBody(base, 1, 0xffffffff),
  "line protocol, exactly": ({ exports }, base) => exports.scanBody(base, 0, 0xffffffff),
  JSON: ({ exports }, base) => exports.scanJson(base, 0xffffffff),
  protobuf: ({ exports }, base) => exports.scanProtobuf(base, 0xffffffff),
};

/**
 * Decodes a body and returns the content of the batch. The body is stored at its usual place, or at the very end of
 * memory, where reading beyond its padding causes a trap.
 */
function scanned(module: WasmModule, body: Uint8Array, scan: Scan, isAtEnd: boolean): string {
  const { exports } = module;
  const base = exports.createBatch(body.length) >>> 0;
  module.refresh();
  const padding = 64;
  const start = isAtEnd ? module.size - padding - body.length : module.u32[(base >>> 2) + head.body]!;
  try {
    module.u8.fill(0xff, start - (isAtEnd ? 64 : 0), start);
    module.u8.set(body, start);
    module.u8.fill(0x0a, start + body.length, start + body.length + padding);
    for (const word of [head.body, head.nextLine, head.behind]) module.u32[(base >>> 2) + word] = start;
    const { size } = module;
    const answer = scan(module, base);
    if (isAtEnd) expect(module.exports.memory.buffer.byteLength).toBe(size);
    const word = (at: number) => module.u32[(base >>> 2) + at]!;
    return `${answer}: ${word(head.pointCount)} ${word(head.entryCount)} ${word(head.failureCount)} ${word(head.attention)}`;
  } finally {
    exports.freeBatch(base);
  }
}

const jsonPiece = fc.constantFrom(
  ...'[ ] { } , " [{ }] }, null tru fals 1 -0. 1e 1e9 "" "a" "\\u00e "\\ud800\\u \\ {} "a":1 "a":null "a":[1,2] "a":["x",'.split(
    " ",
  ),
  ...[
    '[{"measurement":"m",',
    '"fields":{',
    '[{"name":"m","fields":[',
    '{"key":"k","',
    'd":"AA',
    '"type":"SUM',
    '"time":',
  ],
  '"a":{"@type":"type.googleapis.com/point.Array","arr":[{"i":1}',
);
const jsonSoup = fc.array(jsonPiece, { maxLength: 20 }).map((parts) => utf8(parts.join("")));
const wirePiece = fc.constantFrom(
  ...[
    [0x0a],
    [0x12],
    [0x0a, 4],
    [0x12, 2],
    [0x21],
    [0x18, 0xff],
    [0x3a, 9],
    [0x5a, 40],
    [0x7b],
    [0x7c],
    [0x08, 0x80],
    [0xff],
    [0],
  ],
);
const wireSoup = fc.array(wirePiece, { maxLength: 30 }).map((parts) => Uint8Array.from(parts.flat()));

describe("memory after the end of a body", () => {
  it.each(Object.keys(scans))(
    "is not read: a body at the end of memory decodes like any other body: %s",
    async (name) => {
      const module = await loadModule();
      const load = (): void => decodePoints(module, utf8("m f=1 1\n"), "lp", defaults).release();
      load();
      module.exports.memory.grow(16);
      module.refresh();
      expect(module.size % pageSize).toBe(0);
      const body = fc.oneof(bytes, name === "JSON" ? jsonSoup : name === "protobuf" ? wireSoup : soup);
      fc.assert(
        fc.property(body, (each) => {
          load();
          const expected = scanned(module, each, scans[name]!, false);
          load();
          expect(scanned(module, each, scans[name]!, true)).toBe(expected);
        }),
        { numRuns: 600 },
      );
    },
  );
});

describe("warnings", () => {
  it("are written by a new instance, whose memory grows while it encodes", async () => {
    const module = await loadModule();
    const batch = decodePoints(module, utf8("m,t=a,t=b f=1"), "lp", defaults);
    const [{ warns }] = JSON.parse(encodersOf(module).encodePbjson([batch.at(0)]));
    expect(warns).toEqual(batch.warnings(0));
    expect(warns).toHaveLength(2);
    batch.release();
  });
});

describe("a body", () => {
  it("gives the same points and failures as its lines one by one", () => {
    const line = fc
      .array(fc.constantFrom(...'m,t=v| f=1|,g=2i|,s="a b"|,s="a\\"b"| 1|\\ x| |#'.split("|")), { maxLength: 6 })
      .map((parts) => parts.join(""));
    const read = (body: string): readonly [points: string[], failed: number] => {
      if (body === "") return [[], 0];
      try {
        const batch = decodePoints(plain, utf8(body), "lp", defaults);
        const points = Array.from({ length: batch.length }, (_, at) => encodePbjson([batch.at(at)]));
        batch.release();
        return [points, 0];
      } catch (error) {
        if (error instanceof PointError) return [[], error.lines.length];
        throw error;
      }
    };
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 10 }), (lines) => {
        // When a line ends with a backslash or inside an open quote, the parser joins the line with the next one. So a
        // body with such a line has fewer lines than line feeds, and the test leaves such bodies out.
        fc.pre(lines.every((each) => (each.match(/(?<!\\)"/g) ?? []).length % 2 === 0 && !each.endsWith("\\")));
        const [points, failed] = read(lines.join("\n"));
        const parts = lines.map(read);
        expect(failed).toBe(parts.reduce((sum, [, each]) => sum + each, 0));
        if (failed === 0) expect(points).toEqual(parts.flatMap(([each]) => each));
      }),
      { numRuns: 500 },
    );
  });
});
