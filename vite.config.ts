import { createReadStream } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { playwright } from "@vitest/browser-playwright";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import rooms from "./test/rooms.json" with { type: "json" };

const asRoot = process.getuid?.() === 0;
const chromiumArgs = [
  ...(asRoot ? ["--no-sandbox"] : []),
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-quic",
];

/** DuckDB's worker and module as they are: its worker is no module to be looked into. */
const duckdbFiles: Plugin = {
  name: "duckdb-files",
  configureServer: ({ middlewares }) => {
    middlewares.use("/duckdb/", (request, response, next) => {
      const name = /^\/(duckdb-(?:browser-)?eh\.(?:worker\.js|wasm))$/.exec(request.url ?? "")?.[1];
      if (name === undefined) return next();
      response.setHeader("content-type", name.endsWith(".js") ? "text/javascript" : "application/wasm");
      createReadStream(new URL(`./node_modules/@duckdb/duckdb-wasm/dist/${name}`, import.meta.url)).pipe(response);
    });
  },
};

/** Rooms whose files wait for processes, pages and installations: begun last, they would be waited for alone. */
const longest = ["fault", "playground", "package", "examples", "runtimes"].map((room) => `/test/${room}/`);
/** Those of the library's suites, which only compute: begun last, they leave no processor idle at the end. */
const shortest = ["lib", "conformance"].map((room) => `/test/${room}/`);

/** On a machine that has not measured the files before, Vitest goes by their size, which tells nothing of these. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isIn = (rooms: string[], { moduleId }: TestSpecification) => rooms.some((room) => moduleId.includes(room));
    const rank = (file: TestSpecification) => (isIn(longest, file) ? 0 : isIn(shortest, file) ? 2 : 1);
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

/** Returns the patterns of the files that test/rooms.json puts into a project. */
function testsOf(project: string): string[] {
  const folders = rooms.filter(({ tests, projects }) => tests.endsWith("/") && projects.includes(project));
  return folders.map(({ tests }) => `${tests}**/*.test.ts`);
}

/** The sources stand in for what package.json's `imports` names, which has to be built. */
const defaultWasm = (host: string) => ({
  "#default-wasm": fileURLToPath(new URL(`./lib/wasm/host/${host}.ts`, import.meta.url)),
});

/** The same library suites run in Node and in Chromium; the server's run in Node only. */
export default defineConfig({
  assetsInclude: ["**/*.jsonl", "**/*.wasm"],
  resolve: { alias: defaultWasm("node") },
  test: {
    // Vitest would leave one processor free, half of the smallest machine; the server's suites wait at times.
    maxWorkers: Math.max(2, availableParallelism()) + 1,
    sequence: { sequencer: LongestFirst },
    // Workers live long enough for V8 to throw code away that was not used for a while; compiled again, a function of other shape
    // than before ended one of them ("closure_feedback_cell_array().length()").
    execArgv: ["--no-flush-bytecode"],
    // Only .ci/run sets this variable and says why. Whoever runs tests by hand sees each failure.
    retry: Number(process.env.TEST_RETRIES ?? 0),
    projects: [
      {
        extends: true,
        test: {
          name: "node",
          environment: "node",
          // The library keeps no state of its own: its modules are loaded once for all files of a worker.
          isolate: false,
          testTimeout: 30_000,
          setupFiles: ["test/same-seed.ts"],
          include: testsOf("node"),
        },
      },
      {
        extends: true,
        test: {
          name: "server",
          environment: "node",
          // What a file leaves behind are processes and folders, not modules: these are loaded once, as in the library's suites.
          isolate: false,
          include: testsOf("server"),
          exclude: ["**/node_modules/**"],
          // For what never comes: on a busy machine the start of a process alone takes ten seconds.
          testTimeout: 180_000,
          hookTimeout: 180_000,
          // Counters and lines of a log may come after the answer they speak of.
          expect: { poll: { timeout: 60_000 } },
        },
      },
      {
        extends: true,
        test: {
          name: "examples",
          environment: "node",
          include: testsOf("examples"),
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      {
        extends: true,
        test: {
          name: "playground",
          environment: "node",
          include: testsOf("playground"),
          testTimeout: 180_000,
          hookTimeout: 180_000,
          expect: { poll: { timeout: 60_000 } },
        },
      },
      // What it needs is installed by its own command only.
      ...(process.env.MILLRACE_CLICKHOUSE === undefined
        ? []
        : [
            {
              extends: true as const,
              test: {
                name: "clickhouse",
                environment: "node",
                include: ["test/clickhouse/**/*.test.ts"],
                exclude: ["**/node_modules/**"],
                testTimeout: 180_000,
                hookTimeout: 180_000,
                expect: { poll: { timeout: 60_000 } },
              },
            },
          ]),
      {
        extends: true,
        // Found late, they would load the page anew in the midst of a test.
        optimizeDeps: { include: ["@duckdb/duckdb-wasm", "apache-arrow", "fast-check"] },
        plugins: [duckdbFiles],
        resolve: { alias: defaultWasm("web") },
        test: {
          name: "chromium",
          isolate: false,
          testTimeout: 30_000,
          setupFiles: ["test/same-seed.ts"],
          include: testsOf("chromium"),
          browser: {
            enabled: true,
            headless: true,
            // On the smallest machine one page, which always computes, goes beside the workers, which wait at times.
            fileParallelism: availableParallelism() > 2,
            screenshotFailures: false,
            provider: playwright({
              launchOptions: { executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium", args: chromiumArgs },
            }),
            instances: [{ browser: "chromium" }],
          },
        },
      },
    ],
  },
});
