// Runs Vitest for `npm run test:watch`. Vitest runs a test again when a file that the test imports changes. A test that
// starts a process or opens a web page does not import the code of the process or page. This file runs such a test
// again when a build step that the test depends on reads the changed file. The build runs before the tests.

import path from "node:path";
import process from "node:process";
import { parseCLI, startVitest } from "vitest/node";
import { isRead } from "./build.mjs";

/**
 * Runs the tests of `plan` (the result of plan-tests.mjs) under the folder `root`, and runs them again after changes.
 * `rebuild` gets a list of parts of the project and builds the outdated ones.
 */
export async function watchTests(root, plan, rebuild) {
  const nameOf = (file) => path.relative(root, file).replaceAll("\\", "/");
  const buildFor = async (running) => {
    const files = new Set(running.map(({ moduleId }) => nameOf(moduleId)));
    try {
      await rebuild(plan.tests.flatMap(({ test, needs }) => (files.has(test) ? needs : [])));
    } catch (error) {
      process.stderr.write(`${error.message}\nThe tests run on the build before.\n`);
    }
  };
  const onInit = (vitest) => {
    vitest.onTestsRerun(buildFor);
    const rerun = (changed) => {
      const tests = testsBuiltFrom(nameOf(changed), plan.tests);
      for (const test of tests) vitest.watcher.changedTests.add(path.join(root, test));
      if (tests.length > 0) vitest.watcher.scheduleRerun(changed);
    };
    // `setImmediate` delays the call of `rerun` until Vitest has handled the change. If `rerun` ran first and marked
    // a test to run again, Vitest would not look for the other tests that import the changed file.
    for (const event of ["add", "change", "unlink"])
      vitest.vite.watcher.on(event, (changed) => setImmediate(rerun, changed));
  };
  const { filter, options } = parseCLI(["vitest", "watch", ...plan.args]);
  const { reporter = "default", ...others } = options;
  // Vitest calls the methods of its reporters. This additional reporter reports nothing; its method `onInit` receives
  // the Vitest object before the first run begins.
  const reporters = [reporter, { onInit }].flat();
  const watch = { ignored: ["**/dist/**", "**/.millrace-*/**"] };
  const vitest = await startVitest("test", filter, { ...others, reporters, watch: true }, { server: { watch } });
  if (!vitest.shouldKeepServer()) await vitest.exit();
}

/** Returns the tests that depend on this file (a path relative to the root) through a build step. */
export function testsBuiltFrom(file, tests) {
  return tests.filter(({ needs }) => isRead(file, needs)).map(({ test }) => test);
}
