// Compiles TypeScript to JavaScript in dist/, file by file and without checking types. Tests use it after a change; the
// published files are compiled by tsc. The file dist/sources.json contains a hash of each source file whose output is
// up to date.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

const options = {
  target: "es2023",
  tsconfig: false,
  sourcemap: false,
  // The options of tsconfig.json that affect the output: `verbatimModuleSyntax` and `rewriteRelativeImportExtensions`.
  typescript: { onlyRemoveTypeImports: true, rewriteImportExtensions: "rewrite" },
};

/**
 * Compiles the TypeScript files under `folders` whose output is outdated. Throws at a syntax error before it writes any
 * file.
 */
export async function transpile(root, folders) {
  const { transformWithOxc } = await import("vite");
  const before = readSources(root);
  const sources = hashSources(root, folders);
  const changed = await Promise.all(
    Object.keys(sources)
      .filter((file) => sources[file] !== before[file] || !existsSync(outputOf(root, file)))
      .map(async (file) => {
        const { code } = await transformWithOxc(readFileSync(path.join(root, file), "utf8"), file, options);
        return [outputOf(root, file), code];
      }),
  );
  // The file dist/sources.json, which lists hashes of the compiled source files, is removed before any output is
  // written. If this run is interrupted, the file is missing, and the next run compiles every file again.
  rmSync(path.join(root, "dist/sources.json"), { force: true });
  for (const file of Object.keys(before))
    if (sources[file] === undefined) rmSync(outputOf(root, file), { force: true });
  for (const folder of new Set(changed.map(([file]) => path.dirname(file)))) mkdirSync(folder, { recursive: true });
  for (const [file, code] of changed) writeFileSync(file, code);
  writeSources(root, sources);
}

/**
 * Returns a hash of each TypeScript file under `folders`, by its path relative to the root. Tests and declaration files
 * are left out.
 */
export function hashSources(root, folders) {
  return Object.fromEntries(
    folders
      .flatMap((folder) => sourcesUnder(root, folder))
      .map((file) => [
        file,
        createHash("sha256")
          .update(readFileSync(path.join(root, file)))
          .digest("hex"),
      ]),
  );
}

/** Returns the parsed file dist/sources.json, or an empty object when the file is missing. */
export function readSources(root) {
  const file = path.join(root, "dist/sources.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
}

export function writeSources(root, sources) {
  mkdirSync(path.join(root, "dist"), { recursive: true });
  writeFileSync(path.join(root, "dist/sources.json"), JSON.stringify(sources, null, 1));
}

function outputOf(root, file) {
  return path.join(root, "dist", `${file.slice(0, -2)}js`);
}

function sourcesUnder(root, folder) {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return ["node_modules", "dist"].includes(entry.name) ? [] : sourcesUnder(root, file);
    return file.endsWith(".ts") && !/\.(?:d|d\.\w+|test)\.ts$/.test(file) ? [file] : [];
  });
}
