// The list of examples is the folder of examples.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { repository } from "../package/install.ts";
import { examples } from "./project.ts";

const read = (...name: string[]): string => readFileSync(path.join(...name), "utf8");

it("lists each example once, with a way to run it", () => {
  const rows = [...read(examples, "README.md").matchAll(/^\| \[`([^`]+)`\]\(([^)]+)\) \| (.+) \| `(.+)`.* \|$/gm)];
  const folder = readdirSync(examples, { withFileTypes: true })
    .filter(({ name }) => name !== "README.md")
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
  expect(rows.map(([, name]) => name).sort()).toEqual(folder.sort());
  expect(rows.length).toBe(10);
  for (const [, name, link] of rows) expect(read(examples, link!), name).toContain("\n");
});

it("is linked where the library is introduced, and so is the ABI", () => {
  const readme = read(repository, "README.md");
  expect(readme).toContain("(docs/examples/README.md)");
  expect(readme).toContain("(docs/reference/wasm-abi.md)");
});

it("imports the library by name only", () => {
  for (const { name, parentPath } of readdirSync(examples, { withFileTypes: true, recursive: true })) {
    if (!/\.(?:ts|mjs)$/.test(name)) continue;
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
