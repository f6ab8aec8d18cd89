// Bundles a package into one module of lib, with the package's licence as a comment at the top. So lib needs no package
// at run time.

import { readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { build } from "vite";

const [name, entry, made] = process.argv.slice(2);
const licence = readFileSync(`node_modules/${name}/LICENSE`, "utf8").trim();

await build({
  configFile: false,
  logLevel: "warn",
  publicDir: false,
  build: {
    lib: { entry, formats: ["es"], fileName: () => path.basename(made) },
    outDir: path.dirname(made),
    emptyOutDir: false,
    minify: false,
    target: "es2022",
    rolldownOptions: {
      output: { banner: `/*! Made by server/bundle.mjs from the package ${name}.\n\n${licence}\n*/` },
    },
  },
});
