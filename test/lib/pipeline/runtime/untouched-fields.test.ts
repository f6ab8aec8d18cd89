// Fields that a script does not use cause almost no work: the WebAssembly module only skips their keys, at most
// twice per point, and JavaScript makes no strings of their values. Very short points are an exception: for
// them, decoding all lines to one string is faster than decoding single values.

import { afterAll, expect, it, vi } from "vitest";
import { createMillrace } from "../../../../lib/index.ts";
import countingUrl from "../../wasm/counting.wasm?inline";

const category = "logging";
const points = 100;

let steps = () => Number.NaN;
const { instantiate } = WebAssembly;
const spied = vi.spyOn(WebAssembly, "instantiate").mockImplementation((async (
  ...given: Parameters<typeof instantiate>
) => {
  const made: unknown = await instantiate(...given);
  const { exports } =
    made instanceof WebAssembly.Instance ? made : (made as WebAssembly.WebAssemblyInstantiatedSource).instance;
  steps = () => Number((exports.steps as WebAssembly.Global<"i64">).value);
  return made;
}) as typeof instantiate);
const mill = await createMillrace({ wasm: await (await fetch(countingUrl)).arrayBuffer() });
afterAll(() => spied.mockRestore());

/**
 * Runs a script over all points, each with `others` additional fields whose values have `bytes` bytes. Returns
 * the number of steps of the run, and the number of bytes that the run decoded to JavaScript strings.
 */
function costOf(text: string, others: number, bytes: number): { readonly steps: number; readonly decoded: number } {
  const { scripts, errors } = mill.compile({ "a.p": text }, { category });
  expect([...errors]).toEqual([]);
  const more = Array.from({ length: others }, (_, at) => `,k${at}="${"x".repeat(bytes)}"`).join("");
  const body = new TextEncoder().encode(`m message="${touched.message}",a="${touched.a}"${more} 1\n`.repeat(points));
  const run = () => {
    const batch = mill.decodePoints(body, { category, form: "lp", precision: "n", now: 0n });
    const decoding = vi.spyOn(TextDecoder.prototype, "decode");
    const before = steps();
    mill.runAll(scripts.get("a.p")!, batch, { category }, ({ error }) => expect(error).toBe(null));
    const decoded = decoding.mock.calls.reduce((sum, [given]) => sum + (given?.byteLength ?? 0), 0);
    const cost = { steps: steps() - before, decoded };
    decoding.mockRestore();
    batch.release();
    return cost;
  };
  // The first run allocates and prepares data that later runs reuse, so only the second run counts.
  run();
  return run();
}

const touched = { message: "10.0.0.7 GET 200", a: "Text" };

it.each([
  'grok(_, "%{IP:client} %{WORD:verb} %{INT:code:int}")',
  "lowercase(a)",
  'add_key(b, a + "x")',
  "rename(b, a)",
  "drop_key(a)",
  'if a == "Text" { set_tag(a) }',
  "use_all = _ + a\nadd_key(b, use_all)",
])("%s", (text) => {
  const few = costOf(text, 1, 2000);
  const many = costOf(text, 201, 2000);
  const long = costOf(text, 1, 20_000);
  expect(few.steps).toBeGreaterThan(points);
  // Each unused field costs at most two steps per point for its key, and none for its value.
  expect((many.steps - few.steps) / (200 * points)).toBeLessThanOrEqual(2);
  expect(long.steps).toBe(few.steps);
  // Only the strings that the script reads are decoded to JavaScript strings.
  expect(few.decoded).toBeLessThanOrEqual((touched.message.length + touched.a.length) * points);
  expect(many.decoded).toBe(few.decoded);
  expect(long.decoded).toBe(few.decoded);
});

it("reads lines of up to 512 bytes as one string, including fields that the script does not use", () => {
  const short = costOf("trim(_)", 1, 100);
  const lines = `m message="${touched.message}",a="${touched.a}",k0="${"x".repeat(100)}" 1\n`.length * points;
  expect(short.decoded).toBe(lines);
  expect(short.decoded).toBeLessThanOrEqual(512 * points);
});
