// Does the same as a new user: installs the packed library into an empty folder and runs the example of
// README.md without changes, in each runtime. Prints the seconds from the start of `npm install` to the output
// of the example; no test depends on this number.

import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { install, newFolder, type Packed, pack, removeFolders, repository } from "../package/install.ts";
import { binaries } from "./binaries.ts";
import { bundleForWorkerd } from "./bundle.ts";
import { bundlers } from "./bundlers.ts";
import { launchChromium, serveSite, startWorkerd } from "./run.ts";

const run = promisify(execFile);
const chromium = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";

/** The first example of README.md that imports the library. */
const example = /^```ts\n(import [^\n]* from "millrace";\n.*?)^```$/ms.exec(
  readFileSync(path.join(repository, "README.md"), "utf8"),
)![1]!;

/** The example as a CommonJS program. Such a program cannot use `import`, and can use `await` only inside functions. */
const commonJs = `${example.replace(/^import (.*) from (".*");$/m, "const $1 = require($2);\n(async () => {")}})();\n`;

let packed: Packed;
const seconds: string[] = [];

beforeAll(async () => {
  packed = await pack(".");
});

afterAll(() => {
  removeFolders();
  process.stderr.write(`from npm install to a parsed line, seconds: ${seconds.join(", ")}\n`);
});

/**
 * Installs the library into an empty folder and returns the output of `show` there. Adds the elapsed seconds to the
 * report.
 */
async function tried(name: string, show: (project: string) => Promise<string>): Promise<string> {
  const start = performance.now();
  const project = await install(packed);
  const text = await show(project);
  seconds.push(`${name} ${((performance.now() - start) / 1000).toFixed(1)}`);
  return text;
}

/** Runs a file with the binary of a runtime and returns what the file printed. */
const printed =
  (binary: string, args: readonly string[], file: string, code: string) =>
  async (project: string): Promise<string> => {
    writeFileSync(path.join(project, file), code);
    const env = { ...process.env, DENO_DIR: path.join(project, ".deno"), DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" };
    return (await run(binary, [...args, file], { cwd: project, env })).stdout;
  };

/** Asserts that the output has the three lines that the example prints. */
function expectLines(text: string): void {
  const lines = text.trim().split("\n");
  expect(lines[0]).toBe("10.0.0.7 12.5");
  expect(text).toMatch(/name: "?'?cpu/);
  expect(lines.at(-1)).toMatch(/^web client="10\.0\.0\.7",.*method="GET".* \d{16,19}$/);
}

const deno = ["run", "--no-remote", "--cached-only", "--allow-read=."];
const commands: readonly (readonly [string, string | null, readonly string[], string, string])[] = [
  ["Node, ES module", process.execPath, [], "example.mjs", example],
  ["Node, CommonJS", process.execPath, ["--disable-warning=ExperimentalWarning"], "example.cjs", commonJs],
  ["Node 24, TypeScript", binaries.node24, [], "example.ts", example],
  ["Deno, TypeScript", binaries.deno, deno, "example.ts", example],
  ["Bun, TypeScript", binaries.bun, ["run", "--no-install"], "example.ts", example],
];

describe("the example of README.md, in an empty folder", () => {
  for (const [name, binary, args, file, code] of commands) {
    it.skipIf(binary === null)(`runs in ${name}`, async () => {
      expectLines(await tried(name, printed(binary!, args, file, code)));
    });
  }

  it("runs in a page that Vite builds", async () => {
    const text = await tried("Chromium, built by Vite", async (project) => {
      writeFileSync(path.join(project, "entry.mjs"), example);
      const outDir = path.join(newFolder("site"), "site");
      mkdirSync(outDir);
      await bundlers.Vite.build({ project, outDir });
      writeFileSync(
        path.join(outDir, "index.html"),
        '<!doctype html>\n<script type="module" src="main.js"></script>\n',
      );
      const site = await serveSite(outDir);
      const browser = await launchChromium(chromium);
      try {
        const page = await browser.newPage();
        const texts: string[] = [];
        page.on("console", (message) => texts.push(message.text()));
        page.on("pageerror", (error) => texts.push(String(error)));
        await page.goto(site.url);
        await expect.poll(() => texts.some((line) => /^web client|Error/.test(line)), { timeout: 60_000 }).toBe(true);
        return texts.filter((line) => !line.includes("404")).join("\n");
      } finally {
        await browser.close();
        await site.stop();
      }
    });
    const lines = text.split("\n");
    expect(lines[0]).toBe("10.0.0.7 12.5");
    expect(lines.at(-1)).toMatch(/^web client="10\.0\.0\.7"/);
  });

  it.skipIf(binaries.workerd === null)("runs in workerd, which returns the last line", async () => {
    const text = await tried("workerd", async (project) => {
      const body = example.replace(/^import .*\n/, "").replace(/console\.log\((mill\.encode.*)\);/, "return $1;");
      const source = `import { createMillrace } from "millrace";
export default { async fetch() { const answer = async () => { ${body} }; return new Response(await answer()); } };\n`;
      writeFileSync(path.join(project, "entry.mjs"), source);
      const worker = await startWorkerd(binaries.workerd!, await bundleForWorkerd(project, "entry.mjs"));
      try {
        return await (await fetch(worker.url)).text();
      } finally {
        worker.stop();
      }
    });
    expect(text).toMatch(/^web client="10\.0\.0\.7"/);
  });
});
