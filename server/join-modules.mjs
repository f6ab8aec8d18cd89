// Joins the hundreds of modules that a process or a worker thread of dist/server loads into a few files, because a
// service starts faster with fewer files. The entry modules keep their paths. `import.meta.url` in a joined module
// still has the original URL, so that the module finds the files beside it. Packages from node_modules are not joined.

import path from "node:path";
import process from "node:process";
import { build } from "vite";
import { readSources, writeSources } from "./transpile.mjs";

/** The entry modules: modules under dist/server with which a process or a worker thread starts. */
const entries = [
  "main",
  "agent/start/write-worker",
  "agent/debug/debug-worker",
  "agent/intake/process",
  "gateway/tag-worker",
  "platform/metadata/sqlite-worker",
  "platform/script-check-worker",
  "refer-table/worker",
  "store/worker",
];

const dist = path.resolve("dist");

/**
 * A plugin that replaces characters outside of Latin-1 by escapes. V8 keeps the text of a module in memory. If
 * the text has a single character outside of Latin-1, V8 needs two bytes instead of one for every character of
 * the text.
 */
const latinText = {
  name: "latin-text",
  generateBundle: (_options, files) => {
    const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
    for (const file of Object.values(files)) {
      if (file.type === "chunk") file.code = file.code.replaceAll(/[^\0-\xff]/g, escaped);
    }
  },
};

/** A plugin that preserves the value of `import.meta.url` in a module whose code moves to another file. */
const ownUrls = {
  name: "own-urls",
  transform: (code, id) =>
    code.includes("import.meta.url")
      ? code.replaceAll("import.meta.url", `__urlOf(${JSON.stringify(path.relative(dist, id))})`)
      : null,
  renderChunk: (code, chunk) => {
    const up = path.relative(path.dirname(chunk.fileName), ".") || ".";
    return code.replaceAll(/__urlOf\("([^"]+)"\)/g, (_, file) => `new URL("${up}/${file}", import.meta.url).href`);
  },
};

await build({
  configFile: false,
  logLevel: "warn",
  publicDir: false,
  plugins: [ownUrls, latinText],
  build: {
    ssr: true,
    outDir: dist,
    emptyOutDir: false,
    minify: false,
    target: "node20",
    rolldownOptions: {
      input: Object.fromEntries(entries.map((name) => [`server/${name}`, path.join(dist, "server", `${name}.js`)])),
      external: (id) => !id.startsWith(".") && !path.isAbsolute(id),
      output: {
        entryFileNames: "[name].js",
        chunkFileNames: "server/joined/[name]-[hash].js",
        comments: { legal: true, annotation: false, jsdoc: false },
      },
    },
  },
});

// The code of a joined entry module comes from many source files. When one of these files changes, the entry
// module must be built again, even if its own source file is unchanged. So the entry modules are removed from
// dist/sources.json, the list of source files whose output is up to date.
const sources = readSources(process.cwd());
for (const entry of entries) delete sources[`server/${entry}.ts`];
writeSources(process.cwd(), sources);
