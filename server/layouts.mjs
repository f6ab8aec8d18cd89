// Generates JavaScript constants from the memory layouts that AssemblyScript code declares, so that JavaScript and
// WebAssembly read memory at the same offsets.

import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

/** The layout files in assembly/, and the modules of lib/ that are generated from them. */
export const layouts = [
  { source: "assembly/tape/layout.ts", makes: "lib/wasm/layout.ts" },
  { source: "assembly/regex/layout.ts", makes: "lib/regex/automaton/layout.ts" },
  { source: "assembly/script/layout.ts", makes: "lib/pipeline/runtime/operation-layout.ts" },
  { source: "assembly/script/capture-layout.ts", makes: "lib/pipeline/functions/point/capture-layout.ts" },
  { source: "assembly/json/records.ts", makes: "lib/pipeline/runtime/lazy/json-records.ts" },
  { source: "assembly/grok/layout.ts", makes: "lib/grok/capture-layout.ts" },
];

/**
 * Generates the module of one layout file. `root`: the root folder of the repository. Throws when a line of the layout
 * file is neither a comment nor a constant.
 */
export function makeLayout(root, { source, makes }) {
  const constants = [];
  const code = readFileSync(path.join(root, source), "utf8").replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
  for (const line of code.split("\n")) {
    if (line.trim() === "") continue;
    const constant = /^export const (\w+): (?:usize|u32) = (\w+);$/.exec(line);
    if (constant === null) throw new Error(`${source}: no constant: ${line}`);
    constants.push(`export const ${constant[1]} = ${constant[2]};`);
  }
  writeFileSync(path.join(root, makes), `// Made of ${source} by server/layouts.mjs.\n\n${constants.join("\n")}\n`);
}
