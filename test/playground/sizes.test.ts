// The bytes that a first visit of the page loads stay below their limit, and match the numbers in docs/playground.md.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import process from "node:process";
import { expect, it } from "vitest";

it("the files of a first visit stay below their limit and have the size that docs/playground.md states", () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["playground/sizes.mjs"], { encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
  // The files of a first visit include the WebAssembly module, because the page loads it at once.
  expect(stdout).toMatch(/^assets\/millrace-.*\.wasm /m);
  const [, brotli, gzip] = /^a first visit +\d+ +(\d+) +(\d+)$/m.exec(stdout)!;
  const page = readFileSync("docs/playground.md", "utf8");
  const [, saidBrotli, saidGzip] = /(\d+) kB at the first visit with brotli and (\d+) kB with gzip/.exec(page)!;
  expect(Math.abs(Number(brotli) / 1000 - Number(saidBrotli))).toBeLessThan(3);
  expect(Math.abs(Number(gzip) / 1000 - Number(saidGzip))).toBeLessThan(3);
});
