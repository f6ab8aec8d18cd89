// Joins the modules that a program or a thread of dist/server loads, some hundreds, into a few files: a service that loads them one by one
// starts later. An entry stays where it was, and a module finds what lies beside it by the URL that it had before. Packages stay outside.

import path from "node:path";
import process from "node:process";
import { build } from "vite";
import { readSources, writeSources } from "./transpile.mjs";

/** What a process or a thread begins with, under dist/server. */
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

/** `import.meta.url` of a module, wherever its text comes to lie. */
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
  plugins: [ownUrls],
  build: {
    ssr: true,
    outDir: dist,
    emptyOutDir: false,
    minify: false,
    target: "node20",
    rolldownOptions: {
      input: Object.fromEntries(entries.map((name) => [`server/${name}`, path.join(dist, "server", `${name}.js`)])),
      external: (id) => !id.startsWith(".") && !path.isAbsolute(id),
      output: { entryFileNames: "[name].js", chunkFileNames: "server/joined/[name]-[hash].js" },
    },
  },
});

// An entry is no longer what its source alone becomes.
const sources = readSources(process.cwd());
for (const entry of entries) delete sources[`server/${entry}.ts`];
writeSources(process.cwd(), sources);
