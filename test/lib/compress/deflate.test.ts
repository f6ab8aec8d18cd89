// DEFLATE in the module: what the host's own inflate gives back, how small it is, and what it costs.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deflateTo } from "../../../lib/compress/deflate.ts";
import { logLines, metricLines } from "../../bench/data.ts";
import { loadCounting } from "../wasm/load.ts";

const { module, steps } = await loadCounting();
const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

function deflate(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  deflateTo(module, bytes, (chunk) => chunks.push(chunk.slice()));
  return joined(chunks);
}

function joined(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Quicker than a comparison that can show each difference. */
function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}

async function zipped(bytes: Uint8Array<ArrayBuffer>): Promise<number> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return (await new Response(stream).arrayBuffer()).byteLength;
}

/** Bytes as a generator without state gives them; `kinds` of them. */
function scattered(length: number, kinds: number): Uint8Array<ArrayBuffer> {
  let state = length * 31 + kinds;
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 16) % kinds;
  });
}

/** Each byte twice less often than the one before: codes would be longer than 15 bits. */
function lopsided(): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  for (let kind = 0, count = 1, next = 1; kind < 23; kind++) {
    parts.push(new Uint8Array(count).fill(kind + 40));
    [count, next] = [next, count + next];
  }
  const all = joined(parts);
  const places = scattered(all.length * 2, 256);
  return all.map((_, at) => all[(places[2 * at]! * 256 + places[2 * at + 1]!) % all.length]!);
}

const bodies: readonly [name: string, bytes: () => Uint8Array<ArrayBuffer>][] = [
  ["nothing", () => new Uint8Array(0)],
  ["one byte", () => Uint8Array.of(7)],
  ["one byte many times", () => new Uint8Array(700_000).fill(97)],
  ["two bytes in no order", () => scattered(100_000, 2)],
  ["bytes in no order", () => scattered(600_000, 256)],
  ["codes that would be too long", lopsided],
  ["metric lines", () => utf8(metricLines(5000))],
  ["log lines", () => utf8(logLines(2000))],
  ["exactly a chunk", () => scattered(256 * 1024, 11)],
  ["a byte more than a chunk", () => scattered(256 * 1024 + 1, 11)],
];

describe("DEFLATE", () => {
  it.each(bodies)("of %s is inflated to the same bytes", async (_name, make) => {
    const bytes = make();
    expect(isSame(await inflate(deflate(bytes)), bytes)).toBe(true);
  });

  it("of any bytes is inflated to the same", async () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc.string({ maxLength: 30 }).map(utf8),
      fc.record({ byte: fc.nat(255), count: fc.nat(900) }).map(({ byte, count }) => new Uint8Array(count).fill(byte)),
    );
    const bytes = fc.array(piece, { maxLength: 20 }).chain((pieces) =>
      // The same pieces again, in another order and at other distances.
      fc
        .array(fc.nat(Math.max(0, pieces.length - 1)), { maxLength: 60 })
        .map((order) => joined(order.map((at) => pieces[at] ?? new Uint8Array(0)))),
    );
    await fc.assert(
      fc.asyncProperty(bytes, async (each) => {
        expect(isSame(await inflate(deflate(each)), each)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it("finds a match at the farthest distance there is, and none beyond", async () => {
    for (const distance of [32_767, 32_768, 32_769, 40_000]) {
      const bytes = scattered(distance + 300, 256);
      bytes.copyWithin(distance, 0, 300);
      const own = deflate(bytes);
      expect(isSame(await inflate(own), bytes)).toBe(true);
      if (distance <= 32_768) expect(own.length).toBeLessThan(distance + 150);
    }
  });

  it.each([
    ["metric lines", () => utf8(metricLines(5000)), 1.6],
    ["log lines", () => utf8(logLines(2000)), 1.6],
  ] as const)("of %s is not much larger than with matches that are sought long", async (_name, make, factor) => {
    const bytes = make();
    expect(deflate(bytes).length).toBeLessThan((await zipped(bytes)) * factor);
  });

  it.each(bodies)("of %s takes a bounded number of steps for each byte", (_name, make) => {
    const bytes = make();
    const before = steps();
    deflate(bytes);
    // Tables of codes are made for each chunk, and for each 32,768 literals and matches.
    expect(steps() - before).toBeLessThanOrEqual(8 * bytes.length + 40_000 * (1 + Math.ceil(bytes.length / 32_768)));
  });

  it("gives its memory back, also when the taker throws", () => {
    const before = module.used;
    expect(() =>
      deflateTo(module, utf8("a"), () => {
        throw new Error("full");
      }),
    ).toThrow("full");
    expect(module.used).toBe(before);
    deflate(utf8(metricLines(100)));
    expect(module.used).toBe(before);
  });
});
