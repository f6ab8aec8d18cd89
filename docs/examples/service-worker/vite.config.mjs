// Builds the page and its service worker. The browser looks for the worker under the name that it was registered with.

// biome-ignore lint/style/noDefaultExport: Vite takes the configuration from there
export default {
  build: {
    target: "es2022",
    rolldownOptions: {
      input: ["index.html", "sw.js"],
      output: { entryFileNames: ({ name }) => (name === "sw" ? "sw.js" : "assets/[name]-[hash].js") },
    },
  },
};
