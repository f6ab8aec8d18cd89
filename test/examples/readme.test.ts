// The README of the examples lists exactly the files in the folder of examples.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { expect, it } from "vitest";
import { repository } from "../package/install.ts";
import { examples, newProject, run } from "./project.ts";

const read = (...name: string[]): string => readFileSync(path.join(...name), "utf8");

it("the examples README lists each example once, with the command that runs it", () => {
  const rows = [...read(examples, "README.md").matchAll(/^\| \[`([^`]+)`\]\(([^)]+)\) \| (.+) \| `(.+)`.* \|$/gm)];
  const folder = readdirSync(examples, { withFileTypes: true })
    .filter(({ name }) => name !== "README.md")
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
  expect(rows.map(([, name]) => name).sort()).toEqual(folder.sort());
  expect(rows.length).toBe(14);
  for (const [, name, link] of rows) expect(read(examples, link!), name).toContain("\n");
});

it("the main README links the examples and the reference of the WebAssembly ABI", () => {
  const readme = read(repository, "README.md");
  expect(readme).toContain("(docs/examples/README.md)");
  expect(readme).toContain("(docs/reference/wasm-abi.md)");
});

it("the program in the README runs without changes", async () => {
  const [, program] = /^```ts\n(.*?)^```$/ms.exec(read(repository, "README.md"))!;
  const project = newProject();
  try {
    writeFileSync(project.file("embed.mjs"), program!);
    const { code, stdout, stderr } = await run(project, process.execPath, ["embed.mjs"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(
      /^10\.0\.0\.7 12\.5\n\{[\s\S]*n: 9007199254740993n[\s\S]*\}\nweb client="10\.0\.0\.7",message="10\.0\.0\.7 GET 12\.5",method="GET",ms=12\.5 \d+\n$/,
    );
  } finally {
    project.remove();
  }
});

it("every example imports the library by its package name only", () => {
  for (const { name, parentPath } of readdirSync(examples, { withFileTypes: true, recursive: true })) {
    if (!/\.(?:ts|mjs)$/.test(name) || name.startsWith("vite.config")) continue;
    const from = [...read(parentPath, name).matchAll(/(?:from|import) "([^"]+)";/g)].map(([, module]) => module!);
    expect(
      from.some((module) => /^millrace(?:\/[a-z]+)?$/.test(module)),
      name,
    ).toBe(true);
    expect(
      from.filter((module) => module.startsWith("..")),
      name,
    ).toEqual([]);
  }
});
