// The links between the documents of this repository lead to files, and paths that the map and the guide name exist.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const documents = [".", "docs", ".github", "server"].flatMap((folder) => documentsOf(folder, folder === "docs"));

function documentsOf(folder: string, isDeep: boolean): string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const at = path.join(folder, entry.name);
    if (entry.isDirectory()) return isDeep ? documentsOf(at, true) : [];
    return entry.name.endsWith(".md") ? [at] : [];
  });
}

it.each(documents)("%s links to files that exist", (file) => {
  const text = readFileSync(path.join(root, file), "utf8");
  const targets = [...text.matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)].map((match) => match[1]!);
  const local = targets.filter((target) => !/^[a-z]+:/.test(target));
  const missing = local.filter((target) => !existsSync(path.join(root, path.dirname(file), target)));
  expect(missing).toEqual([]);
});

it.each(["CONTRIBUTING.md", "docs/architecture.md"])("%s names paths that exist", (file) => {
  const text = readFileSync(path.join(root, file), "utf8");
  const named = [...text.matchAll(/`((?:assembly|lib|server|playground|test|docs)\/[\w./-]+)`/g)].map(
    (match) => match[1]!,
  );
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((each) => !existsSync(path.join(root, each)))).toEqual([]);
});
