// Joins the hundreds of modules that a program or a thread of dist/server loads into a few files, because loading
// them one by one makes a service start later. An entry keeps its path, and a module still finds the files beside it
// by its original URL. Packages are not joined.

import path from "node:path";
import process from "node:process";
import { build } from "vite";
import { readSources, writeSources } from "./transpile.mjs";

/** Modules under dist/server that a process or a thread starts with. */
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

/** Keeps the original `import.meta.url` of a module, also when its text moves to another file. */
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

// An entry now differs from the output of its source alone, so its hash is removed.
const sources = readSources(process.cwd());
for (const entry of entries) delete sources[`server/${entry}.ts`];
writeSources(process.cwd(), sources);
