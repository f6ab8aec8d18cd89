// The regex engine generates code only where the JavaScript runtime allows it. Without generated code, it finds
// the same matches. The random comparisons test that all tiers (implementations of the search) agree.

import { describe, expect, it } from "vitest";
import { compile } from "../../../../lib/regex/compile.ts";
import { KernelEngine } from "../../../../lib/regex/engines/kernel-engine.ts";
import { parse } from "../../../../lib/regex/syntax/parse.ts";
import { loadModule } from "../../wasm/load.ts";

const encoder = new TextEncoder();

describe("tiers", () => {
  it.each([
    ["generates", true],
    ["does not", false],
  ])("find the right groups whether or not the host generates code: the host %s", async (_, generates) => {
    const own = await loadModule();
    own.generates = generates;
    const kernel = new KernelEngine(compile(parse("(\\w+)=([^;]*);")), own);
    const slots = new Int32Array(kernel.slots);
    for (let i = 0; i < 2100; i++) {
      const bytes = encoder.encode(`key${i}=${"value ".repeat(i % 9)};`);
      const end = bytes.length;
      const key = 3 + String(i).length;
      expect(kernel.exec(bytes, 0, end, 0, slots)).toBe(true);
      expect([...slots]).toEqual([0, end, 0, key, key + 1, end - 1]);
    }
    expect(kernel.statistics.tier).toBe(generates ? 2 : 1);
    kernel.free();
    expect(kernel.exec(encoder.encode("a=b;"), 0, 4, 0, slots)).toBe(true);
  });
});
