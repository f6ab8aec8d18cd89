// Builds the playground as static files under dist/: assets with hashes in their names, the worker, and the WebAssembly
// module.

import { fileURLToPath } from "node:url";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig, type Plugin } from "vite";

const fileBytes = fileURLToPath(new URL("src/worker/file-bytes.ts", import.meta.url));
const browsers = ["chrome125", "firefox125", "safari18"];

/**
 * Replaces the library's evaluator of XPath, which makes up a tenth of the worker's code, by a file that loads it when
 * a script needs it.
 */
const xpathOnDemand: Plugin = {
  name: "xpath-on-demand",
  enforce: "pre",
  resolveId: (source, importer) =>
    source === "./xpath-bundle.js" && importer?.endsWith("/lib/pipeline/xml/xpath.ts") === true
      ? fileURLToPath(new URL("src/worker/xpath-on-demand.ts", import.meta.url))
      : null,
};

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "./",
  plugins: [svelte()],
  resolve: { alias: { "#default-wasm": fileURLToPath(new URL("../lib/wasm/host/web.ts", import.meta.url)) } },
  worker: {
    format: "es",
    plugins: () => [xpathOnDemand],
    // The package that reads the country database was written for Node, so its `Buffer` is replaced by a class for
    // browsers.
    rolldownOptions: { transform: { inject: { Buffer: [fileBytes, "FileBytes"] } } },
  },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: browsers,
    cssTarget: browsers,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // sizes.mjs checks the sizes that matter, so Vite warns only about very large chunks and reports no times of
    // plugins.
    chunkSizeWarningLimit: 1000,
    rolldownOptions: { checks: { pluginTimings: false } },
  },
});
