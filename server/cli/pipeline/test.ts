// `millrace pipeline test DIR|FILE...`: runs the tests beside scripts and prints the differences. With `--watch` it
// runs the tests again whenever one of their files changes.

import { watch } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { type PatternChoice, patternOptions, patternsFor } from "../pattern-files.ts";
import { filesNamed } from "../script-files.ts";
import { counted } from "../terminal/counted.ts";
import { print, printErrorLine, printLine } from "../terminal/print.ts";
import { testUsage } from "../usage/pipeline.ts";
import { UsageError } from "../usage-error.ts";
import { readTestFile, testFileName } from "./test-file.ts";
import { runTests } from "./test-run.ts";

/** Runs the command and returns its exit code. */
export async function pipelineTest(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { watch: { type: "boolean", default: false }, ...patternOptions, help: { type: "boolean", short: "h" } },
  });
  if (values.help) {
    print(testUsage);
    return 0;
  }
  if (positionals.length === 0) throw new UsageError(testUsage);
  if (!values.watch) return (await runAll(testFiles(positionals), values)) ? 0 : 1;
  return await runAndWatch(positionals, values);
}

/**
 * Returns the test files that the paths on the command line name. A path of a folder names all test files in the
 * folder; a path of a script names the test files of this script, which are in the same folder.
 */
function testFiles(places: readonly string[]): string[] {
  const files = filesNamed(places, (name) => testFileName.test(name)).flatMap((file) => {
    if (!file.endsWith(".p")) return [file];
    const stem = path.basename(file, ".p");
    const beside = filesNamed([path.dirname(file)], (name) => testFileName.test(name));
    return beside.filter((each) => path.basename(each).replace(testFileName, "") === stem);
  });
  if (files.length === 0) throw new UsageError(`there are no tests (*.test.yaml) in ${places.join(", ")}`);
  return files;
}

/** Runs the tests of all files. Returns true when all tests pass. */
async function runAll(files: readonly string[], choice: PatternChoice): Promise<boolean> {
  let tests = 0;
  let failed = 0;
  for (const file of files) {
    try {
      const { options, problems, warnings } = patternsFor(path.dirname(file), choice);
      for (const line of [...problems, ...warnings]) printErrorLine(line);
      const results = await runTests(readTestFile(file), options);
      const bad = results.filter(({ differences }) => differences.length > 0);
      tests += results.length;
      failed += bad.length;
      printLine(`${bad.length === 0 ? "ok  " : "FAIL"} ${file}: ${counted(results.length, "test")}`);
      for (const { name, differences } of bad) {
        printLine(`  ${name}`);
        for (const line of differences) printLine(`    ${line}`);
      }
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      failed++;
      printLine(`FAIL ${file}`);
      for (const line of error.message.split("\n")) printLine(`  ${line}`);
    }
  }
  print(`${counted(files.length, "file")}, ${counted(tests, "test")}, ${failed} failed\n`);
  return failed === 0;
}

/** Milliseconds to wait after a file has changed, because editors write a file in several steps. */
const debounceMs = 100;

/** Runs the tests again after each change, until the process is interrupted. */
async function runAndWatch(places: readonly string[], choice: PatternChoice): Promise<number> {
  for (;;) {
    const files = testFiles(places);
    const folders = [...new Set(files.map((file) => path.dirname(file)))];
    const changed = nextChange(folders);
    await runAll(files, choice);
    print("Waiting for changes ...\n");
    await changed;
  }
}

/** Resolves a short time after a file in the folders of the tests has changed. */
function nextChange(folders: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    const watchers = folders.map((folder) => watch(folder, () => debounce()));
    let timer: NodeJS.Timeout | undefined;
    const debounce = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        for (const watcher of watchers) watcher.close();
        resolve();
      }, debounceMs);
    };
  });
}
