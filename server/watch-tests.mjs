// Runs Vitest for `npm run test:watch`. Vitest runs a test again when a file that the test imports changes. A test that
// starts a process or opens the page imports neither: it runs again when a step of the build reads the changed file. The
// build runs before the tests do.

import path from "node:path";
import process from "node:process";
import { parseCLI, startVitest } from "vitest/node";
import { isRead } from "./build.mjs";

/**
 * Runs the tests of `plan` under `root`, and runs them again after changes. `rebuild` builds the stale steps of some
 * parts.
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
    // Vitest handles the event first, because it does not look for the importers of a test that is already marked.
    for (const event of ["add", "change", "unlink"])
      vitest.vite.watcher.on(event, (changed) => setImmediate(rerun, changed));
  };
  const { filter, options } = parseCLI(["vitest", "watch", ...plan.args]);
  const { reporter = "default", ...others } = options;
  // A reporter receives the Vitest object before the first run begins.
  const reporters = [reporter, { onInit }].flat();
  const watch = { ignored: ["**/dist/**", "**/.millrace-*/**"] };
  const vitest = await startVitest("test", filter, { ...others, reporters, watch: true }, { server: { watch } });
  if (!vitest.shouldKeepServer()) await vitest.exit();
}

/** Returns the tests that depend on this file (named from the root) through a step of the build. */
export function testsBuiltFrom(file, tests) {
  return tests.filter(({ needs }) => isRead(file, needs)).map(({ test }) => test);
}
