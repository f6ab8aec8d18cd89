// The garbage collector of Node frees batches that the program did not release.
// test/lib/easy/lost-batches.test.ts tests all cases with a simulated collector; this file checks that the real
// collector frees the batches.

import { execFile } from "node:child_process";
import process from "node:process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { repository } from "./install.ts";

/**
 * A program that makes batches of each kind without releasing them. It then collects garbage until the memory of
 * the batches is free, at most 50 times.
 */
const program = `
import { createMillrace } from "millrace";
const warnings = [];
const mill = await createMillrace({ warn: (text) => warnings.push(text) });
const kept = mill.decodePoints("cpu load=1");
const before = mill.memory().used;
const lose = () => {
  for (let i = 0; i < 150; i++) mill.decodePoints("cpu load=1");
  for (let i = 0; i < 150; i++) mill.decode("cpu load=1");
  mill.decodePoints("cpu load=1\\n".repeat(5000));
};
lose();
const used = mill.memory().used;
kept.release();
for (let i = 0; i < 50 && mill.memory().used >= before; i++) {
  await new Promise((resolve) => setTimeout(resolve, 5));
  gc();
}
console.log(JSON.stringify({ wasUsed: used > before, isFreed: mill.memory().used < before, warnings: warnings.length }));
`;

it("the garbage collector frees batches that were never released, with one warning", async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--expose-gc", "--input-type=module", "-e", program],
    { cwd: repository },
  );
  expect(JSON.parse(stdout)).toEqual({ wasUsed: true, isFreed: true, warnings: 1 });
});
