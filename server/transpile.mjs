// Writes TypeScript as JavaScript into dist/, file by file and without a check of types: what tests run after a change.
// The published files come from tsc.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

const options = {
  target: "es2023",
  tsconfig: false,
  sourcemap: false,
  // As tsconfig.json says: `verbatimModuleSyntax` and `rewriteRelativeImportExtensions`.
  typescript: { onlyRemoveTypeImports: true, rewriteImportExtensions: "rewrite" },
};

/** Replaces dist/ by what the TypeScript files under `folders` become. Throws at a syntax error, and dist/ is as before. */
export async function transpile(root, folders) {
  const { transformWithOxc } = await import("vite");
  const written = await Promise.all(
    folders
      .flatMap((folder) => sourcesUnder(root, folder))
      .map(async (file) => {
        const { code } = await transformWithOxc(readFileSync(path.join(root, file), "utf8"), file, options);
        return [path.join(root, "dist", `${file.slice(0, -2)}js`), code];
      }),
  );
  rmSync(path.join(root, "dist"), { recursive: true, force: true });
  for (const folder of new Set(written.map(([file]) => path.dirname(file)))) mkdirSync(folder, { recursive: true });
  for (const [file, code] of written) writeFileSync(file, code);
}

/** TypeScript files, named from the root, without tests and declarations. */
function sourcesUnder(root, folder) {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const at = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return ["node_modules", "dist"].includes(entry.name) ? [] : sourcesUnder(root, at);
    return /^(?!.*\.(?:d|d\.\w+|test)\.ts$).*\.ts$/.test(entry.name) ? [at] : [];
  });
}
