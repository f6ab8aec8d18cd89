// Runs the code of README.md and docs/library.md that uses the library. Each block runs as a module of its own, as a
// reader would paste it. The test itself answers the requests that the code sends.

import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import ts from "typescript";
import { afterAll, describe, expect, it } from "vitest";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const folder = mkdtempSync(path.join(tmpdir(), "millrace-doc-run-"));
afterAll(() => rmSync(folder, { recursive: true }));

const library = pathToFileURL(path.join(root, "dist/lib/index.js")).href;
const instance = 'import { createMillrace } from "millrace";\nconst mill = await createMillrace();\n';
/** Answers every request with one line of an access log. */
const network = 'globalThis.fetch = async () => new Response("10.0.0.7 GET /a\\n");\n';

interface Block {
  readonly name: string;
  readonly code: string;
}

function blocksOf(page: string): Block[] {
  const text = readFileSync(path.join(root, page), "utf8");
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(({ 1: code, index }) => ({
    name: `${page}:${text.slice(0, index).split("\n").length}`,
    code: code!.includes("createMillrace") ? code! : instance + code!,
  }));
}

/** Pairs of texts. When a code block contains the first text of a pair, it must print the second text. */
const prints: Readonly<Record<string, string>> = {
  "console.log(fields.client, fields.ms)": "10.0.0.7 12.5\n",
  'point.get("load")': "0.5\n",
  "mill.lines(access)": "10.0.0.7\n",
  "mill.runAll(script, batch": "0 false\n1 false\n",
};

describe("the run of the code in README.md and docs/library.md", () => {
  const blocks = ["README.md", "docs/library.md"].flatMap(blocksOf);

  it("covers every block whose output is known", () => {
    expect(blocks.length).toBeGreaterThan(8);
    for (const part of Object.keys(prints))
      expect(
        blocks.some(({ code }) => code.includes(part)),
        part,
      ).toBe(true);
  });

  it.each(blocks)("$name", async ({ name, code }) => {
    const { outputText } = ts.transpileModule(code, {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
    });
    const file = path.join(folder, `${name.replace(/\W/g, "-")}.mjs`);
    writeFileSync(file, network + outputText.replaceAll('from "millrace"', `from "${library}"`));
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [file]);
    expect(stderr).toBe("");
    for (const [part, begin] of Object.entries(prints)) {
      if (code.includes(part)) expect(stdout.slice(0, begin.length)).toBe(begin);
    }
  });
});
