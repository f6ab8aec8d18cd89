// The bytes that a first visit of the page loads stay below their limit, and match the number in docs/playground.md.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import process from "node:process";
import { expect, it } from "vitest";

it("is small, and as large as docs/playground.md says", () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["playground/sizes.mjs"], { encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
  // The files of a first visit include the WebAssembly module, because the page loads it at once.
  expect(stdout).toMatch(/^assets\/millrace-.*\.wasm /m);
  const bytes = Number(/^a first visit +\d+ +(\d+)$/m.exec(stdout)![1]);
  const said = Number(/`playground\/dist`, (\d+) kB gzipped/.exec(readFileSync("docs/playground.md", "utf8"))![1]);
  expect(Math.abs(bytes / 1000 - said)).toBeLessThan(3);
});
