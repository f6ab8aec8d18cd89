// Tests server/bootstrap.mjs, the file that all npm scripts run first. It removes the locks of processes that
// have ended, waits for locks of running processes, and tells the user which installation is missing.

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const lock = path.join(root, ".millrace-build.lock");

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

function bootstrap(args: readonly string[], env: Record<string, string> = {}) {
  const child: ChildProcess = spawn(process.execPath, ["server/bootstrap.mjs", ...args], {
    cwd: root,
    // With an empty PATH the command cannot find npm, so it installs nothing: an installation would replace files that
    // other tests are running.
    env: { ...process.env, PATH: "", npm_execpath: undefined, ...env },
  });
  // Kills the command if it still runs when the test ends: it would build and replace files while other tests run.
  onTestFinished(() => void child.kill());
  let output = "";
  child.stdout!.on("data", (data) => (output += data));
  child.stderr!.on("data", (data) => (output += data));
  const ended = new Promise<Ended>((resolve) => child.on("close", (code) => resolve({ code, output })));
  return { ended, seen: () => output };
}

function holdLock(pid: number): void {
  mkdirSync(lock);
  writeFileSync(path.join(lock, "pid"), String(pid));
}

afterEach(() => rmSync(lock, { recursive: true, force: true }));

describe("the commands of bootstrap", () => {
  const source = readFileSync(path.join(root, "server/bootstrap.mjs"), "utf8");
  const files = [...source.matchAll(/"((?:docs|playground|server|test)\/[\w./-]+\.\w+)"/g)].map(([, file]) => file!);
  const built = [...source.matchAll(/"dist\/(test\/[\w./-]+)\.js"/g)].map(([, file]) => `${file}.ts`);

  it.each([...files, ...built])("run %s, which exists", (file) => {
    expect(existsSync(path.join(root, file))).toBe(true);
  });
});

describe("bootstrap", () => {
  it("builds nothing and installs nothing on a second run", async () => {
    const { code, output } = await bootstrap(["conformance", "--help"]).ended;
    expect(code).toBe(0);
    expect(output).toContain("Usage: npm run conformance");
    expect(output).not.toMatch(/Building|Installing/);
  });

  it("takes over the lock of a process that is gone", async () => {
    const gone = spawn(process.execPath, ["-e", ""]);
    await new Promise((resolve) => gone.on("close", resolve));
    holdLock(gone.pid!);
    const { code } = await bootstrap(["conformance", "--help"]).ended;
    expect(code).toBe(0);
    expect(existsSync(lock)).toBe(false);
  });

  it("waits for the lock of a process that lives", async () => {
    holdLock(process.pid);
    const run = bootstrap(["conformance", "--help"]);
    await expect.poll(run.seen).toContain("Waiting for another process that does the build");
    rmSync(lock, { recursive: true });
    expect((await run.ended).code).toBe(0);
  });

  it("names a configured browser that does not exist", async () => {
    const { code, output } = await bootstrap(["test"], { CHROMIUM_PATH: "/nowhere/chromium" }).ended;
    expect(code).toBe(1);
    expect(output).toContain("CHROMIUM_PATH names /nowhere/chromium, which does not exist");
  });

  // The tested command finds neither npm nor apt-get, so it cannot install anything. The command ends before any test
  // begins.
  it.each<[args: readonly string[]]>([
    [["test/playground/page/frame/page.test.ts"]],
    [["test/browser"]],
    [["test/lib/number", "--project", "chromium"]],
  ])("a run of %j names the command that installs Chromium, and does not run it", async (args) => {
    const { code, output } = await bootstrap(["test", ...args], {
      CHROMIUM_PATH: "",
      PLAYWRIGHT_BROWSERS_PATH: "/nowhere",
    }).ended;
    expect(code).toBe(1);
    expect(output).toMatch(
      /The browser tests need Chromium or Chrome\. Install one, .*: apt-get update && apt-get install/,
    );
    expect(output).not.toMatch(/Installing|RUN/);
  });

  it("does not look for Chromium when the test needs no browser", async () => {
    const { code, output } = await bootstrap(["test", "test/lib/number"], { CHROMIUM_PATH: "/nowhere/chromium" }).ended;
    expect([code, output]).toEqual([0, expect.stringContaining("Runs the tests in node only")]);
  });

  it("refuses an unknown command", async () => {
    const { code, output } = await bootstrap(["grind"]).ended;
    expect(code).toBe(1);
    expect(output).toMatch(/unknown command grind; one of: start, test, [a-z:, -]*check, [a-z:, -]*conformance$/m);
  });
});
