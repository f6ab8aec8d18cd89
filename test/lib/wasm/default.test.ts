// An instance created without arguments loads the WebAssembly module from the package. This test runs in Node and in a
// browser, which need different ways of loading.

import { expect, it } from "vitest";
import { createMillrace } from "../../../lib/index.ts";
import { defaultWasm, instantiate } from "../../../lib/wasm/index.ts";

it("createMillrace() without arguments loads the module from the package", async () => {
  const mill = await createMillrace();
  const points = mill.decodePoints(new TextEncoder().encode("cpu,core=0 load=0.5 1700000000000000000"), {
    category: "metric",
    form: "lp",
  });
  expect(new TextDecoder().decode(mill.encodePoints(points, "lp"))).toBe("cpu,core=0 load=0.5 1700000000000000000");
  points.release();
});

it("defaultWasm() returns a compiled module from which several instances can be made", async () => {
  const compiled = await defaultWasm();
  expect(compiled).toBeInstanceOf(WebAssembly.Module);
  const [a, b] = [await instantiate(compiled), await instantiate(compiled)];
  expect(a.u8.buffer).not.toBe(b.u8.buffer);
});
