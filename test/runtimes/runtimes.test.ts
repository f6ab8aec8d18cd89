// Runs one program with the installed package in every JavaScript runtime. The program must return the same
// bytes in all runtimes.

import { cpSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { install, pack, removeFolders } from "../package/install.ts";
import { binaries } from "./binaries.ts";
import { runBuiltPage, runCommand, runServedPage, runWorkerd } from "./run.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const browser = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";
const major = process.versions.node.split(".")[0];

/** The expected answer as text, so that a failing test shows the differing lines. */
const expected = readFileSync(path.join(here, "expected.txt"), "utf8");
const read = (hex: string): string => (/^[0-9a-f]+$/.test(hex) ? Buffer.from(hex, "hex").toString("utf8") : hex);

let project: string;
beforeAll(async () => {
  project = await install(await pack("."));
  for (const name of ["program.mjs", "hosts"])
    cpSync(path.join(here, name), path.join(project, name), { recursive: true });
});

const commands: readonly (readonly [name: string, binary: string | null, args: readonly string[]])[] = [
  ["Node 20", major === "20" ? process.execPath : null, []],
  ["Node 24", major === "24" ? process.execPath : binaries.node24, []],
  ...(major === "20" || major === "24" ? [] : [[`Node ${major}`, process.execPath, []] as const]),
  ["Deno", binaries.deno, ["run", "--no-remote", "--cached-only", "--allow-read=."]],
  ["Bun", binaries.bun, ["run", "--no-install"]],
];
const hosts = [...commands.map(([name, binary]) => [name, binary] as const), ["workerd", binaries.workerd] as const];
const missing = hosts.filter(([, binary]) => binary === null).map(([name]) => name);

describe("the program returns the same bytes in", () => {
  for (const [name, binary, args] of commands) {
    it.skipIf(binary === null)(name, async () => {
      expect(read(await runCommand(binary!, args, project))).toBe(expected);
    });
  }

  it.skipIf(binaries.workerd === null)("workerd", async () => {
    expect(read(await runWorkerd(binaries.workerd!, project))).toBe(expected);
  });

  it("Chromium, the main thread and a worker of a page built by Vite", async () => {
    const { main, worker } = await runBuiltPage(browser, project);
    expect(read(main)).toBe(expected);
    expect(read(worker)).toBe(expected);
  });

  it("Chromium, the main thread and a worker of a page on Vite's development server", async () => {
    const { main, worker } = await runServedPage(browser, project);
    expect(read(main)).toBe(expected);
    expect(read(worker)).toBe(expected);
  });
});

afterAll(() => {
  removeFolders();
  const here = `${process.platform} ${process.arch}`;
  const note = `${missing.length} of ${hosts.length + 1} runtimes skipped, not installed here (${here}): ${missing.join(", ")}\n`;
  if (missing.length > 0) process.stderr.write(note);
});
