import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";

const asRoot = process.getuid?.() === 0;
const chromiumArgs = [
  ...(asRoot ? ["--no-sandbox"] : []),
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-quic",
];

/** The same library suites run in Node and in Chromium; the server's run in Node only. */
export default defineConfig({
  assetsInclude: ["**/*.jsonl", "**/*.wasm"],
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "node",
          environment: "node",
          testTimeout: 30_000,
          include: ["test/lib/**/*.test.ts", "test/conformance/**/*.test.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "server",
          environment: "node",
          include: ["server", "fault", "package", "runtimes"].map((room) => `test/${room}/**/*.test.ts`),
          exclude: ["**/node_modules/**"],
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: {
          name: "examples",
          environment: "node",
          include: ["test/examples/**/*.test.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: "playground",
          environment: "node",
          include: ["test/playground/**/*.test.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: { poll: { timeout: 15_000 } },
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
                testTimeout: 60_000,
                hookTimeout: 60_000,
              },
            },
          ]),
      {
        extends: true,
        test: {
          name: "chromium",
          testTimeout: 30_000,
          include: ["test/lib/**/*.test.ts", "test/conformance/**/*.test.ts"],
          browser: {
            enabled: true,
            headless: true,
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
