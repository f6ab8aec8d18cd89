// Reads a test file (the tests of one script, as YAML), together with the tested script and the scripts that it may
// call. lib/script-tests/test-file.ts describes the format of test files.

import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseDocument } from "yaml";
import { readTests, TestFileError, type TestSet } from "../../../lib/script-tests/index.ts";
import { scriptsBeside } from "../script-files.ts";
import { UsageError } from "../usage-error.ts";

export interface TestFile extends TestSet {
  /** The texts of all scripts in the folder of the test file, by script name. */
  readonly sources: Readonly<Record<string, string>>;
}

export const testFileName = /\.test\.(?:ya?ml|json)$/;

/** Reads a test file. Throws UsageError with the position of the first mistake. */
export function readTestFile(file: string): TestFile {
  const document = parseDocument(readFileSync(file, "utf8"), { intAsBigInt: true });
  const [mistake] = document.errors;
  if (mistake !== undefined) throw new UsageError(`${file}: ${mistake.message}`);
  const set = readSet(file, document.toJS());
  const beside = path.join(path.dirname(file), set.script);
  const isBeside = existsSync(beside);
  if (!isBeside && !Object.hasOwn(set.scripts, set.script))
    throw new UsageError(`${file}: there is no script ${set.script} beside it; name it with \`script\``);
  return { ...set, sources: isBeside ? scriptsBeside(beside) : {} };
}

function readSet(file: string, value: unknown): TestSet {
  try {
    return readTests(value, path.basename(file).replace(testFileName, ".p"));
  } catch (error) {
    if (error instanceof TestFileError) throw new UsageError(`${file}: ${error.message}`);
    throw error;
  }
}
