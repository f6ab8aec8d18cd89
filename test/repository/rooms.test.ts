// Checks that each folder of code has a README (or a comment at the top of its index.ts) that describes its
// content, and that each folder contains at most 22 code files, so that a person can take them in at once.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");

interface Folder {
  readonly name: string;
  readonly files: readonly string[];
}

function foldersUnder(name: string): Folder[] {
  const entries = readdirSync(path.join(root, name), { withFileTypes: true });
  const inner = entries.filter((entry) => entry.isDirectory() && !/^(node_modules|dist)$/.test(entry.name));
  return [
    { name, files: entries.filter((entry) => entry.isFile()).map((entry) => entry.name) },
    ...inner.flatMap((entry) => foldersUnder(`${name}/${entry.name}`)),
  ];
}

const isCode = (file: string) => /\.(ts|svelte|mjs|peggy)$/.test(file) && !/\.d\.ts$/.test(file);

const folders = ["assembly", "lib", "server", "playground/src"]
  .flatMap(foldersUnder)
  .filter(({ files }) => files.some(isCode));

const mostFiles = 22;
const mostLines = 12;

describe("a folder of code", () => {
  it("is found", () => {
    expect(folders.length).toBeGreaterThan(100);
  });

  it(`contains at most ${mostFiles} code files directly`, () => {
    const crowded = folders
      .map(({ name, files }) => [name, files.filter(isCode).length] as const)
      .filter(([, count]) => count > mostFiles);
    expect(crowded).toEqual([]);
  });

  it("has an index.ts that begins with a comment, or a short README", () => {
    const unexplained = folders.filter(({ name, files }) => {
      if (files.includes("index.ts")) {
        const opening = readFileSync(path.join(root, name, "index.ts"), "utf8");
        return !/^(\/\/|\/\*\*)/.test(opening);
      }
      if (!files.includes("README.md")) return true;
      // A README may have at most `mostLines` lines. The README of `server` is an exception: the folder is published as
      // a package, and its users read the README.
      if (name === "server") return false;
      const lines = readFileSync(path.join(root, name, "README.md"), "utf8")
        .trimEnd()
        .split("\n").length;
      return lines > mostLines;
    });
    expect(unexplained.map(({ name }) => name)).toEqual([]);
  });
});
