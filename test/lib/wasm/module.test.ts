// The interface to the WebAssembly module: its memory grows while batches exist, and is completely free after they are
// released.

import { beforeEach, describe, expect, it } from "vitest";
import { decodePoints } from "../../../lib/point/codec/decode.ts";
import type { WasmModule } from "../../../lib/wasm/module.ts";
import { encodersOf } from "../point/encoders.ts";
import { loadModule } from "./load.ts";

const options = { category: "tracing", now: 1700000000000000000n } as const;
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

function lines(count: number, from = 0): string {
  return Array.from(
    { length: count },
    (_, i) =>
      `cpu,host=h${(from + i) % 7} free=${from + i}i,msg="line ${from + i}",k${(from + i) % 50}=1.5 1700000000000000001`,
  ).join("\n");
}

let module: WasmModule;
let encodeLineProtocol: ReturnType<typeof encodersOf>["encodeLineProtocol"];
beforeEach(async () => {
  module = await loadModule();
  ({ encodeLineProtocol } = encodersOf(module));
});

describe("the WebAssembly module", () => {
  it("frees every page when the batch is released", () => {
    const batch = decodePoints(module, utf8(lines(5000)), "lp", options);
    expect(module.used).toBeGreaterThan(0);
    batch.release();
    batch.release();
    expect(module.used).toBe(0);
  });

  it("frees every page when the body is refused", () => {
    expect(() => decodePoints(module, utf8(`${lines(3000)}\nbad`), "lp", options)).toThrow("missing fields");
    expect(module.used).toBe(0);
  });

  it("needs no more memory when bodies of the same size follow one another", () => {
    const body = utf8(lines(2000));
    decodePoints(module, body, "lp", options).release();
    const { size } = module;
    for (let i = 0; i < 50; i++) decodePoints(module, body, "lp", options).release();
    expect(module.size).toBe(size);
  });

  it("keeps batches intact while memory grows and pages are reused", () => {
    const bodies = Array.from({ length: 12 }, (_, i) => lines(50 + 400 * (i % 5), i * 1000));
    const live = bodies.map((body) => ({ body, batch: decodePoints(module, utf8(body), "lp", options) }));
    for (let i = 0; i < 12; i += 2) live[i]!.batch.release();
    for (let i = 0; i < 12; i += 2)
      live[i] = { body: bodies[11 - i]!, batch: decodePoints(module, utf8(bodies[11 - i]!), "lp", options) };
    for (const { body, batch } of live) {
      const [first, last] = [batch.point(0), batch.point(batch.length - 1)];
      expect(body.startsWith(encodeLineProtocol([first]).slice(0, 9))).toBe(true);
      expect(encodeLineProtocol([last]).split(" ")[0]).toBe(body.split("\n").at(-1)!.split(" ")[0]);
      expect(batch.length).toBe(body.split("\n").length);
    }
    for (const { batch } of live) batch.release();
    expect(module.used).toBe(0);
  });

  it("decodes a body whichever allocation makes the memory grow", async () => {
    // A new instance has 16 pages of memory. Bodies of about this size make the memory grow at different allocations:
    // for the body, for the table of keys whose flags are set, or for the tape (the decoded points).
    for (let pages = 8; pages < 18; pages += 0.5) {
      const fresh = await loadModule();
      const body = `l s="${"a".repeat(pages * 65536)}" 1`;
      const batch = decodePoints(fresh, new TextEncoder().encode(body), "lp", { category: "logging", now: 1n });
      expect([...batch.at(0).entries()].map(({ key }) => key)).toEqual(["s", "status"]);
      batch.release();
    }
  });

  it("decodes a body of 10 MB", () => {
    const body = utf8(lines(150_000));
    expect(body.length).toBeGreaterThan(10_000_000);
    const batch = decodePoints(module, body, "lp", options);
    expect(batch.length).toBe(150_000);
    expect(encodeLineProtocol([batch.at(149_999)])).toBe(
      'cpu,host=h3 free=149999i,k49=1.5,msg="line 149999" 1700000000000000001',
    );
    batch.release();
    expect(module.used).toBe(0);
  });

  it("decodes a line with 1,000 fields and 200 tags", () => {
    const tags = Array.from({ length: 200 }, (_, i) => `t${999 - i}=v${i}`).join(",");
    const fields = Array.from({ length: 1000 }, (_, i) => `f${i}=${i}i`).join(",");
    const batch = decodePoints(module, utf8(`m,${tags} ${fields} 1`), "lp", options);
    const entries = [...batch.point(0).entries()];
    expect(entries.slice(0, 1000).map(({ value }) => value)).toEqual(Array.from({ length: 1000 }, (_, i) => i));
    expect(entries.slice(1000).map(({ key }) => key)).toEqual(Array.from({ length: 200 }, (_, i) => `t${800 + i}`));
    batch.release();
  });

  it("finds keys again after the table of keys has grown", () => {
    const body = Array.from({ length: 3000 }, (_, i) => `m key-${i}=${i}i,same=1i 1`).join("\n");
    const batch = decodePoints(module, utf8(`${body}\n${body}`), "lp", options);
    expect(encodeLineProtocol([batch.at(5999)])).toBe("m key-2999=2999i,same=1i 1000000000");
    batch.release();
  });
});
