// Bundles the test program (program.mjs) as users bundle their programs: for workerd with the import condition
// `workerd`, and for browsers with Vite.

import { copyFileSync } from "node:fs";
import path from "node:path";
import { build } from "vite";

/**
 * Bundles the program to one JavaScript module for workerd, and puts the WebAssembly module beside it. Returns
 * the folder with the two modules.
 */
export async function bundleForWorkerd(project: string, entry = "hosts/workerd.mjs"): Promise<string> {
  const outDir = path.join(project, "worker");
  await build({
    root: project,
    configFile: false,
    logLevel: "error",
    ssr: { noExternal: true, target: "webworker", resolve: { conditions: ["workerd"] } },
    build: {
      outDir,
      ssr: path.join(project, entry),
      rolldownOptions: { output: { entryFileNames: "worker.mjs" } },
    },
    plugins: [
      {
        name: "webassembly-is-a-module",
        enforce: "pre",
        resolveId: (id) => (id.endsWith("/millrace.wasm") ? { id: "./millrace.wasm", external: true } : null),
      },
    ],
  });
  copyFileSync(
    path.join(project, "node_modules/millrace/dist/lib/wasm/millrace.wasm"),
    path.join(outDir, "millrace.wasm"),
  );
  return outDir;
}

/** Makes a static site of the page and its web worker. Returns the folder of the site. */
export async function bundleForBrowsers(project: string, page = "hosts/page.html"): Promise<string> {
  const outDir = path.join(project, "site", path.dirname(page));
  await build({
    root: path.dirname(path.join(project, page)),
    configFile: false,
    logLevel: "error",
    worker: { format: "es" },
    build: {
      outDir,
      emptyOutDir: true,
      target: "es2022",
      rolldownOptions: { input: path.join(project, page) },
    },
  });
  return outDir;
}
