// Builds the playground as static files under dist/: assets with hashes in their names, the worker, and the WebAssembly
// module.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { build, defineConfig, type Plugin } from "vite";

const fileBytes = fileURLToPath(new URL("src/worker/file-bytes.ts", import.meta.url));
const browsers = ["chrome125", "firefox125", "safari18"];

/**
 * Replaces the library's evaluator of XPath by a small file, which loads the evaluator when a script needs it. The
 * evaluator makes up a tenth of the worker's code.
 */
const xpathOnDemand: Plugin = {
  name: "xpath-on-demand",
  enforce: "pre",
  resolveId: (source, importer) =>
    source === "./xpath-bundle.js" && importer?.endsWith("/lib/pipeline/xml/xpath.ts") === true
      ? fileURLToPath(new URL("src/worker/on-demand/xpath-on-demand.ts", import.meta.url))
      : null,
};

const offline = fileURLToPath(new URL("src/offline", import.meta.url));
/**
 * Largest size in bytes of a file that the service worker stores in advance. It stores a larger file only after the
 * page has used it.
 */
const largeFile = 1_000_000;

/** Builds the service worker as one file beside the page, with the list of all other built files in it. */
const serviceWorker: Plugin = {
  name: "service-worker",
  apply: "build",
  writeBundle: async ({ dir = "" }) => {
    const names = readdirSync(path.join(dir, "assets")).sort();
    const isLarge = (name: string) => statSync(path.join(dir, "assets", name)).size > largeFile;
    const files = names.filter((name) => !isLarge(name)).map((name) => `assets/${name}`);
    const large = names.filter(isLarge).map((name) => `assets/${name}`);
    const hash = createHash("sha256").update(names.join());
    for (const file of [path.join(dir, "index.html"), ...["page-cache.ts", "service-worker.ts"].map(inOffline)])
      hash.update(readFileSync(file));
    await build({
      configFile: false,
      logLevel: "warn",
      define: { __PAGE_FILES__: JSON.stringify({ version: hash.digest("hex").slice(0, 12), files, large }) },
      build: {
        outDir: dir,
        emptyOutDir: false,
        copyPublicDir: false,
        target: browsers,
        reportCompressedSize: false,
        // The service worker must have the same address in every build, so its file name contains no hash. A service
        // worker handles only the requests of pages in its own folder, so the folder in this address matters, too.
        lib: {
          entry: inOffline("service-worker.ts"),
          formats: ["iife"],
          name: "serviceWorker",
          fileName: () => "service-worker.js",
        },
      },
    });
  },
};

function inOffline(file: string): string {
  return path.join(offline, file);
}

/**
 * Returns the file name of a code chunk. The name of a chunk with Chinese texts begins with `zh-`, so that sizes.mjs
 * recognizes the chunk.
 */
function chunkFileNames({ facadeModuleId }: { facadeModuleId: string | null }): string {
  return `assets/${facadeModuleId?.includes("/src/text/zh/") === true ? "zh-" : ""}[name]-[hash].js`;
}

/**
 * Returns the file name of a code chunk of the worker. The page also has a chunk `lexer`, which a first visit
 * does not load. The worker loads its own lexer of scripts at once, so that chunk gets another name.
 */
function workerChunkFileNames(chunk: { name: string; facadeModuleId: string | null }): string {
  return chunk.name === "lexer" ? "assets/script-lexer-[hash].js" : chunkFileNames(chunk);
}

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "./",
  plugins: [svelte(), serviceWorker],
  resolve: { alias: { "#default-wasm": fileURLToPath(new URL("../lib/wasm/host/web.ts", import.meta.url)) } },
  worker: {
    format: "es",
    plugins: () => [xpathOnDemand],
    // The package that reads the country database was written for Node, so its `Buffer` is replaced by a class for
    // browsers.
    rolldownOptions: {
      transform: { inject: { Buffer: [fileBytes, "FileBytes"] } },
      output: { chunkFileNames: workerChunkFileNames },
    },
  },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: browsers,
    cssTarget: browsers,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // The script sizes.mjs checks the sizes that matter. So Vite warns only about very large chunks, and it reports
    // no times of plugins.
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      checks: { pluginTimings: false },
      output: {
        chunkFileNames,
      },
    },
  },
});
