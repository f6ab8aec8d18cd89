// Runs `npm start`, `npm test` and the other npm scripts. This file uses only built-in modules of Node, because no
// package is installed yet when it starts. It installs missing packages by the lock file, builds outdated parts of the
// project, then runs the command. To run a few tests, it installs and builds only what these tests need
// (plan-tests.mjs).

import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { listTests, planTests, readRooms } from "./plan-tests.mjs";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const [command = "start", ...rest] = process.argv.slice(2);

const commands = {
  start: () =>
    run(["dist/server/main.js", ...(rest[0] === undefined || rest[0].startsWith("-") ? ["start"] : []), ...rest]),
  test: () => run(["node_modules/vitest/vitest.mjs", "run", ...plan.args], chromiumFor(plan)),
  "test:watch": async () => {
    const { watchTests } = await import("./watch-tests.mjs");
    Object.assign(process.env, chromiumFor(plan));
    await watchTests(root, plan, buildStale);
    return process.exitCode;
  },
  "test:clickhouse": () =>
    run(["node_modules/vitest/vitest.mjs", "run", "--project", "clickhouse", ...rest], { MILLRACE_CLICKHOUSE: "1" }),
  // `npm run check` builds first, and the build checks the types of all files that tsconfig.json includes. So the type
  // checks of this command cover only the remaining files.
  check: () =>
    together([
      ["node_modules/typescript/bin/tsc", "-p", "test/tsconfig.json"],
      ["node_modules/svelte-check/bin/svelte-check", "--workspace", "playground", "--tsconfig", "./tsconfig.json"],
      ["node_modules/typescript/bin/tsc", "-p", "lib/tsconfig.json"],
      ["node_modules/typescript/bin/tsc", "-p", "test/examples/tsconfig.json"],
      ["node_modules/@biomejs/biome/bin/biome", "check", "--error-on-warnings", "."],
    ]),
  playground: () => run(["playground/sizes.mjs"]),
  docs: async () => {
    for (const [file, args] of [
      ["docs/errors.md", ["dist/server/documents/print.js", "errors"]],
      ["docs/config.md", ["dist/server/documents/print.js", "config"]],
      ["docs/reference/functions.md", ["dist/server/main.js", "pipeline", "docs", "--markdown"]],
      ["docs/reference/query.md", ["dist/server/main.js", "dql", "--guide", "docs/reference/query.md"]],
      ["server/platform/open-api/client/operations.ts", ["dist/server/platform/open-api/documents/print-client.js"]],
    ]) {
      const written = spawnSync(process.execPath, args, {
        cwd: root,
        encoding: "utf8",
        stdio: ["ignore", "pipe", 2],
      });
      if (written.status !== 0) return written.status ?? 1;
      writeFileSync(path.join(root, file), written.stdout);
    }
    return 0;
  },
  pictures: () =>
    run(
      [
        "node_modules/vitest/vitest.mjs",
        "run",
        "--project",
        "playground",
        "test/playground/page/frame/pictures.test.ts",
      ],
      {
        CHROMIUM_PATH: findChromium(),
        MILLRACE_PICTURES: rest[0] === undefined ? "docs" : path.resolve(rest[0]),
      },
    ),
  bench: () => run(["dist/test/bench/main.js", ...rest]),
  "bench:http": () => run(["dist/test/bench/http/main.js", ...rest]),
  fault: () =>
    run(["node_modules/vitest/vitest.mjs", "run", "--project", "server", "test/fault", ...rest], {
      MILLRACE_FAULT_ROUNDS: process.env.MILLRACE_FAULT_ROUNDS ?? "1000",
      MILLRACE_FAULT_DOWN_MS: process.env.MILLRACE_FAULT_DOWN_MS ?? "30000",
      MILLRACE_FAULT_MEMORY_MB: process.env.MILLRACE_FAULT_MEMORY_MB ?? "1000",
    }),
  "bench:dql": () => run(["dist/test/bench/dql/main.js", ...rest]),
  "bench:gateway": () => run(["dist/test/bench/gateway/main.js", ...rest]),
  "bench:inputs": () => run(["dist/test/bench/inputs/main.js", ...rest]),
  "bench:open-api": () => run(["dist/test/bench/open-api/main.js", ...rest]),
  "bench:store": () => run(["dist/test/bench/store/main.js", ...rest]),
  fuzz: () => run(["dist/test/fuzz/main.js", ...rest]),
  "bench:page": () => run(["test/bench/page/main.mjs", ...rest], { CHROMIUM_PATH: findChromium() }),
  "bench:peers": () => run(["dist/test/bench/peers/main.js", ...rest]),
  conformance: () => run(["dist/test/conformance/main.js", ...rest]),
};

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) fail(`Node 20.19 or later is needed, this is ${process.version}.`);
if (!Object.hasOwn(commands, command)) fail(`unknown command ${command}; one of: ${Object.keys(commands).join(", ")}`);

const plan = /^test(:watch)?$/.test(command) ? planOf(rest) : undefined;
await locked("install", () => {
  if (!install(root)) fail("npm ci failed; its message stands above.");
  // One test compares JavaScript runtimes. When the runtimes cannot be installed, the test still runs and reports which
  // of them are missing.
  if (plan?.needs.includes("runtimes") && !install(path.join(root, "test/runtimes"))) {
    process.stderr.write("The runtimes of test/runtimes are not installed; going on without them.\n");
  }
  // The lock file of test/clickhouse lists the ClickHouse binary for one platform only. `npm ci` would fail because it
  // requires the binaries of all platforms, so `npm install` is used.
  if (command === "test:clickhouse" && !install(path.join(root, "test/clickhouse"), ["install", "--no-save"]))
    fail("ClickHouse's engine could not be installed; npm's message stands above.");
});
await buildStale(plan?.all === false ? plan.needs : undefined);
if (plan?.note !== undefined) process.stderr.write(`${plan.note}\n`);
process.exitCode = await commands[command]();

function planOf(args) {
  const rooms = readRooms(root);
  return planTests(root, args, listTests(root, rooms), rooms);
}

/** Builds the given parts of the project that are outdated; by default all parts that `npm run build` builds. */
function buildStale(parts) {
  return locked("build", async () => {
    const { build } = await import("./build.mjs");
    await build(root, (line) => process.stderr.write(`${line}\n`), parts);
  });
}

/**
 * Installs packages in a folder with `npm`. `how`: the arguments for npm (`ci` by default). Does nothing when the stamp
 * file in node_modules says that the packages of the same lock file are already installed, for this version of Node and
 * this platform. Returns whether the packages are installed.
 */
function install(folder, how = ["ci"]) {
  const stampFile = path.join(folder, "node_modules", ".millrace-stamp");
  const stamp = createHash("sha256")
    .update(readFileSync(path.join(folder, "package-lock.json")))
    .update(`${process.version} ${process.platform} ${process.arch}`)
    .digest("hex");
  if (existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp) return true;
  const where = folder === root ? "dependencies" : `the dependencies of ${path.relative(root, folder)}`;
  process.stderr.write(`Installing ${where} (npm ${how[0]}) ...\n`);
  const npm = process.env.npm_execpath;
  const args = [...how, "--include=dev", "--include=optional", "--no-audit", "--no-fund"];
  const done =
    npm === undefined
      ? spawnSync("npm", args, { cwd: folder, stdio: ["ignore", 2, 2], shell: process.platform === "win32" })
      : spawnSync(process.execPath, [npm, ...args], { cwd: folder, stdio: ["ignore", 2, 2] });
  if (done.status === 0) writeFileSync(stampFile, stamp);
  return done.status === 0;
}

/**
 * Makes a lock folder, calls `work`, then removes the folder. Other processes wait while the folder exists, because
 * `npm start` and `npm test` may be started at the same time. A lock of a process that has ended is taken over.
 */
async function locked(name, work) {
  const lock = path.join(root, `.millrace-${name}.lock`);
  const owner = path.join(lock, "pid");
  let told = false;
  for (;;) {
    try {
      mkdirSync(lock);
      writeFileSync(owner, String(process.pid));
      break;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
      if (stale(lock, owner)) {
        rmSync(lock, { recursive: true, force: true });
        continue;
      }
      if (!told) process.stderr.write(`Waiting for another process that does the ${name} ...\n`);
      told = true;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  }
  const release = () => rmSync(lock, { recursive: true, force: true });
  const quit = () => process.exit(130);
  process.once("exit", release);
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, quit);
  try {
    await work();
  } finally {
    release();
    process.removeListener("exit", release);
    for (const signal of ["SIGINT", "SIGTERM"]) process.off(signal, quit);
  }
}

function stale(lock, owner) {
  try {
    const pid = Number(readFileSync(owner, "utf8"));
    if (pid > 0) {
      try {
        process.kill(pid, 0);
        return false;
      } catch (error) {
        return error.code === "ESRCH";
      }
    }
  } catch {
    // The file with the pid cannot be read. Either the process that made the lock folder has not written its pid yet,
    // or that process has just removed the folder. The code below therefore decides by the age of the folder whether
    // the lock is stale.
  }
  try {
    return Date.now() - statSync(lock).mtimeMs > 10_000;
  } catch {
    return false;
  }
}

/**
 * Returns the environment variables for a run of tests: CHROMIUM_PATH, the path of Chromium, if the tests need
 * Chromium; otherwise none. A missing Chromium is installed only when all tests run.
 */
function chromiumFor({ needs, all }) {
  return needs.includes("chromium") ? { CHROMIUM_PATH: findChromium(all) } : {};
}

/**
 * Returns the path of the Chromium that the browser tests use: the path in CHROMIUM_PATH, the system's Chromium, or
 * Playwright's own. On Debian this function may install Chromium when it runs as root.
 */
function findChromium(mayInstall = true) {
  const named = process.env.CHROMIUM_PATH;
  if (named !== undefined && named !== "") {
    if (!existsSync(named)) fail(`CHROMIUM_PATH names ${named}, which does not exist.`);
    return named;
  }
  const found = systemChromium() ?? playwrightChromium();
  if (found !== undefined) return found;
  const install =
    "apt-get update && apt-get install -y --no-install-recommends chromium fonts-liberation fonts-wqy-microhei";
  if (mayInstall && process.getuid?.() === 0 && existsSync("/etc/debian_version")) {
    process.stderr.write(`Installing Chromium for the browser tests (${install}) ...\n`);
    spawnSync("sh", ["-c", install], {
      stdio: ["ignore", 2, 2],
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    });
    const installed = systemChromium();
    if (installed !== undefined) return installed;
  }
  fail(
    `The browser tests need Chromium or Chrome. Install one, for example on Debian: ${install}\nor set CHROMIUM_PATH.`,
  );
}

function systemChromium() {
  const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
  const folders = (process.env.PATH ?? "").split(path.delimiter);
  const candidates = [
    ...folders.flatMap((folder) => names.map((name) => path.join(folder, name))),
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
  ];
  return candidates.find((candidate) => existsSync(candidate));
}

function playwrightChromium() {
  const asked = spawnSync(
    process.execPath,
    ["-e", "import('playwright').then((p) => process.stdout.write(p.chromium.executablePath()))"],
    { cwd: root, encoding: "utf8" },
  );
  return asked.status === 0 && existsSync(asked.stdout) ? asked.stdout : undefined;
}

/**
 * Runs all commands in parallel, as many as there are processors. Prints the output of each command when the command
 * has ended, so that outputs do not mix. Returns the first exit code that is not 0, or 0.
 */
async function together(commands) {
  const waiting = [...commands];
  const codes = [];
  const next = async () => {
    for (let args = waiting.shift(); args !== undefined; args = waiting.shift()) codes.push(await run(args, {}, true));
  };
  await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, next));
  return codes.find((code) => code !== 0) ?? 0;
}

/**
 * Runs Node with the given arguments in the root folder, forwards signals to the child process and returns its exit
 * code. With `atOnce` the whole output is printed when the child process has ended.
 */
function run(args, env = {}, atOnce = false) {
  const cwd = ["conformance", "bench", "bench:http"].includes(command) ? (process.env.INIT_CWD ?? root) : root;
  const child = spawn(process.execPath, [path.join(root, args[0]), ...args.slice(1)], {
    cwd,
    stdio: atOnce ? ["ignore", "pipe", "pipe"] : "inherit",
    env: { ...process.env, ...env },
  });
  const printed = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => printed.push(chunk));
  const pass = ["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => {
    const kill = () => child.kill(signal);
    process.on(signal, kill);
    return () => process.off(signal, kill);
  });
  return new Promise((resolve) =>
    child.on("close", (code, signal) => {
      for (const end of pass) end();
      process.stdout.write(Buffer.concat(printed));
      resolve(code ?? (signal === "SIGINT" ? 130 : 1));
    }),
  );
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
