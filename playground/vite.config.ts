// Builds the playground into static files under dist/: hashed assets, the worker and the WebAssembly module beside them.

import { fileURLToPath } from "node:url";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

const fileBytes = fileURLToPath(new URL("src/worker/file-bytes.ts", import.meta.url));
const browsers = ["chrome125", "firefox125", "safari18"];

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "./",
  plugins: [svelte()],
  resolve: { alias: { "#default-wasm": fileURLToPath(new URL("../lib/wasm/host/web.ts", import.meta.url)) } },
  worker: {
    format: "es",
    // The reader of the country database is written for Node.
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
    // sizes.mjs counts what matters; how long plugins took does not.
    chunkSizeWarningLimit: 1000,
    rolldownOptions: { checks: { pluginTimings: false } },
  },
});
