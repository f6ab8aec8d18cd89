// Runs the tests of a test file, with the time and the time zone that the test file sets.

import { createMillrace } from "../../../lib/index.ts";
import { runTests as runSet, TestFileError, type TestResult } from "../../../lib/script-tests/index.ts";
import { compileWasm } from "../../agent/engine.ts";
import type { CommandPatterns } from "../pattern-files.ts";
import { UsageError } from "../usage-error.ts";
import type { TestFile } from "./test-file.ts";

/** Runs all tests of a test file. Throws UsageError when the script cannot run or when an input cannot be parsed. */
export async function runTests(
  file: TestFile,
  patterns: CommandPatterns["options"] = {},
): Promise<readonly TestResult[]> {
  const mill = await createMillrace({
    wasm: compileWasm(),
    clock: () => file.now,
    random: () => 0.5,
    timeZone: file.timeZone,
  });
  const bench = {
    compile: (...[scripts, options]: Parameters<typeof mill.compile>) =>
      mill.compile(scripts, { ...options, ...patterns }),
    decodePoints: mill.decodePoints,
    runWaiting: mill.runWaiting,
  };
  try {
    return await runSet(bench, { set: file, sources: file.sources });
  } catch (error) {
    if (error instanceof TestFileError) throw new UsageError(error.message);
    throw error;
  }
}
