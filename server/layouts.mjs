// Makes JavaScript constants of the layouts that AssemblyScript declares, so that both sides read memory by the same numbers.

import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

/** The layouts in assembly/, and the modules of lib/ that are made from them. */
export const layouts = [
  { source: "assembly/tape/layout.ts", makes: "lib/wasm/layout.ts" },
  { source: "assembly/regex/layout.ts", makes: "lib/regex/automaton/layout.ts" },
];

/** Writes the module of one layout of the repository in the folder `root`. Throws when a line of the layout is neither a comment nor a constant. */
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
