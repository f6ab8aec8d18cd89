// Makes one classic script. In the library mode, Vite writes the WebAssembly module into the script.

// biome-ignore lint/style/noDefaultExport: Vite takes the configuration from there
export default {
  // A classic script has no `import.meta`.
  define: { "import.meta.url": "document.baseURI" },
  build: {
    target: "es2022",
    lib: { entry: "main.ts", formats: ["iife"], name: "page", fileName: () => "page.js" },
  },
};
