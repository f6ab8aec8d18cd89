// A script does not pay for the fields that it never touches: the module passes over their keys, at most twice a point, and JavaScript
// makes nothing of them. Their bytes are read at most once a body, 64 in a step, when a text of another field is wanted.

import { afterAll, expect, it, vi } from "vitest";
import { createMillrace } from "../../../lib/index.ts";
import countingUrl from "../wasm/counting.wasm?inline";

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

/** What a run over all points takes when each has so many fields more, with values of so many bytes. */
function costOf(text: string, others: number, bytes: number): { readonly steps: number; readonly texts: number } {
  const { scripts, errors } = mill.compile({ "a.p": text }, { category });
  expect([...errors]).toEqual([]);
  const more = Array.from({ length: others }, (_, at) => `,k${at}="${"x".repeat(bytes)}"`).join("");
  const body = new TextEncoder().encode(`m message="10.0.0.7 GET 200",a="Text"${more} 1\n`.repeat(points));
  const run = () => {
    const batch = mill.decodePoints(body, { category, form: "lp", precision: "n", now: 0n });
    const decoding = vi.spyOn(TextDecoder.prototype, "decode");
    const before = steps();
    mill.runAll(scripts.get("a.p")!, batch, { category }, ({ error }) => expect(error).toBe(null));
    const cost = { steps: steps() - before, texts: decoding.mock.calls.length };
    decoding.mockRestore();
    batch.release();
    return cost;
  };
  // The first run lays out what the later ones use again.
  run();
  return run();
}

it.each([
  'grok(_, "%{IP:client} %{WORD:verb} %{INT:code:int}")',
  "lowercase(a)",
  'add_key(b, a + "x")',
  "rename(b, a)",
  "drop_key(a)",
  'if a == "Text" { set_tag(a) }',
])("%s", (text) => {
  const few = costOf(text, 2, 20);
  const many = costOf(text, 202, 20);
  expect(few.steps).toBeGreaterThan(points);
  expect((many.steps - few.steps) / (200 * points)).toBeLessThanOrEqual(2);
  expect(many.texts).toBe(few.texts);
  const long = costOf(text, 2, 2020);
  expect(long.steps - few.steps).toBeLessThanOrEqual((2 * 2000 * points) / 64 + 100);
  expect(long.texts).toBe(few.texts);
});
