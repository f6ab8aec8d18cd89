// Builds the parts of the project that are outdated: assembly -> lib/wasm/millrace.wasm, the grammars -> parsers,
// TypeScript -> dist/, the playground -> playground/dist/. Each build step has a stamp file with a hash of the files
// that the step reads. A step whose hash is unchanged is skipped. Each step belongs to a part of the project. A caller
// that needs only a few parts, such as the run of one test, names them.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync, constants as zlib } from "node:zlib";
import { layouts, makeLayout } from "./layouts.mjs";
import { hashSources, transpile, writeSources } from "./transpile.mjs";

const grammars = ["lib/dql/syntax/grammar", "lib/filter/grammar", "lib/pipeline/syntax/grammar"];
/**
 * For each grammar, the rules with which a parser may start to parse. A parser of a grammar that is not in this table
 * can start only with the first rule of its grammar.
 */
const startRules = { "lib/dql/syntax/grammar": ["Start", "Conditions", "Expr"] };
/** Packages that lib uses. Each is bundled into one module beside the file that imports it. */
const bundles = [
  { name: "xpath", entry: "lib/pipeline/xml/xpath-entry.js", makes: "lib/pipeline/xml/xpath-bundle.js" },
];
const generated = [
  "lib/wasm/millrace.wasm",
  ...grammars.map((grammar) => `${grammar}.js`),
  ...bundles.map(({ makes }) => makes),
];

/** The folders with the TypeScript files that tsconfig.json includes. */
const compiled = ["lib", "server", "test/conformance", "test/bench", "test/baseline", "test/fuzz", "test/properties"];
const readByCompiler = [...compiled, "tsconfig.json", "package.json", "package-lock.json"];

/**
 * The build steps. `part`: the part of the project that the step belongs to. The part "library" is always built. Two
 * parts write dist/: "published" compiles TypeScript with type checks, and "quick" compiles it without type checks, for
 * tests. `fulfils`: another step, whose output is up to date after this step has run. `undoes`: another step, whose
 * output this step overwrites.
 */
const steps = [
  {
    name: "WebAssembly",
    part: "library",
    reads: ["assembly", "asconfig.json"],
    makes: ["lib/wasm/millrace.wasm"],
    run: (root) =>
      node(
        root,
        "node_modules/assemblyscript/bin/asc.js",
        "assembly/index.ts",
        "--config",
        "asconfig.json",
        "--target",
        "release",
      ),
  },
  {
    name: "WebAssembly that counts its steps, for tests",
    part: "library",
    reads: ["assembly", "asconfig.json", "test/lib/wasm/count-steps.mjs"],
    makes: ["test/lib/wasm/counting.wasm"],
    run: (root) => node(root, "test/lib/wasm/count-steps.mjs", "lib/wasm/millrace.wasm", "test/lib/wasm/counting.wasm"),
  },
  ...layouts.map((layout) => ({
    name: `layout ${layout.source}`,
    part: "library",
    reads: [layout.source, "server/layouts.mjs"],
    makes: [layout.makes],
    run: (root) => makeLayout(root, layout),
  })),
  ...grammars.map((grammar) => ({
    name: `grammar ${grammar}`,
    part: "library",
    reads: [`${grammar}.peggy`],
    makes: [`${grammar}.js`],
    run: (root) => {
      const entries = startRules[grammar] === undefined ? [] : ["--allowed-start-rules", startRules[grammar].join(",")];
      const peggy = "node_modules/peggy/bin/peggy.js";
      node(root, peggy, "--format", "es", ...entries, "-o", `${grammar}.js`, `${grammar}.peggy`);
    },
  })),
  ...bundles.map(({ name, entry, makes }) => ({
    name: `bundle of ${name}`,
    part: "library",
    reads: [entry, "server/bundle.mjs", `node_modules/${name}/package.json`],
    makes: [makes],
    run: (root) => node(root, "server/bundle.mjs", name, entry, makes),
  })),
  {
    name: "TypeScript",
    part: "published",
    fulfils: "TypeScript without types",
    reads: readByCompiler,
    makes: ["dist/lib/index.js", "dist/lib/index.d.ts", "dist/server/main.js", "dist/server/built-at.txt"],
    run: (root) => {
      rmSync(path.join(root, "dist"), { recursive: true, force: true });
      node(root, "node_modules/typescript/bin/tsc", "-p", "tsconfig.json");
      copyToDist(root);
      writeSources(root, hashSources(root, compiled));
      node(root, "server/join-modules.mjs");
    },
  },
  {
    // The build step that compiles TypeScript for tests. It takes less than a second, because it checks no types,
    // writes no declarations and joins no modules.
    name: "TypeScript without types",
    part: "quick",
    undoes: "TypeScript",
    reads: readByCompiler,
    makes: ["dist/lib/index.js", "dist/server/main.js", "dist/server/built-at.txt"],
    run: async (root) => {
      await transpile(root, compiled);
      copyToDist(root);
    },
  },
  {
    name: "playground",
    part: "page",
    reads: ["playground", "lib", "server/build.mjs", "tsconfig.json", "package-lock.json"],
    makes: ["playground/dist/index.html"],
    run: (root) => {
      const page = path.join(root, "playground/dist");
      const compressed = compressedFiles(page);
      const config = "playground/vite.config.ts";
      node(root, "node_modules/vite/bin/vite.js", "build", "--config", config, "--logLevel", "warn");
      compressPage(page, compressed);
    },
  },
];

/** The parts of the project that `npm run build` builds. */
const allParts = ["library", "published", "page"];

/** Copies files into dist/ that the TypeScript compiler does not copy. */
function copyToDist(root) {
  for (const file of [...generated, "lib/wasm/millrace.d.wasm.ts"]) {
    mkdirSync(path.dirname(path.join(root, "dist", file)), { recursive: true });
    copyFileSync(path.join(root, file), path.join(root, "dist", file));
  }
  cpSync(path.join(root, "server/pipelines"), path.join(root, "dist/server/pipelines"), {
    recursive: true,
    filter: (file) => !file.endsWith(".yaml"),
  });
  // A running service shows when it was built. An npm package does not preserve the times of its files, so the build
  // writes the time as text into dist/server/built-at.txt.
  writeFileSync(path.join(root, "dist/server/built-at.txt"), new Date().toISOString());
}

/**
 * Maps each extension of compressed files to the function that compresses a file of the web page into this
 * format.
 */
const compressions = {
  ".br": (bytes) =>
    brotliCompressSync(bytes, {
      params: {
        // Brotli's best quality would take 45 seconds for the country database, which few visitors of the page load.
        // Quality 5, which files of more than 1 MB get, takes half a second.
        [zlib.BROTLI_PARAM_QUALITY]: bytes.length > 1_000_000 ? 5 : zlib.BROTLI_MAX_QUALITY,
        [zlib.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  ".gz": (bytes) => gzipSync(bytes, { level: 9 }),
};

/**
 * Returns the compressed files of the web page from an earlier build, by path. A file's name contains the hash of its
 * content, so a file with the same name need not be compressed again.
 */
function compressedFiles(page) {
  const folder = path.join(page, "assets");
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => path.extname(file) in compressions) : [];
  return new Map(files.map((file) => [path.join(folder, file), readFileSync(path.join(folder, file))]));
}

/**
 * Writes a `.br` file and a `.gz` file beside each file of the web page. A server sends the compressed file to a client
 * that accepts its encoding. `earlier` contains the compressed files of an earlier build, which are reused.
 */
function compressPage(page, earlier) {
  const assets = readdirSync(path.join(page, "assets")).map((file) => `assets/${file}`);
  for (const file of ["index.html", "service-worker.js", ...assets]) {
    const at = path.join(page, file);
    for (const [ending, compress] of Object.entries(compressions))
      writeFileSync(`${at}${ending}`, earlier.get(`${at}${ending}`) ?? compress(readFileSync(at)));
  }
}

function node(root, script, ...args) {
  const done = spawnSync(process.execPath, [script, ...args], { cwd: root, stdio: ["ignore", 2, 2] });
  if (done.status !== 0) throw new Error(`${path.basename(script)} ${args.join(" ")} failed; its message stands above`);
}

/**
 * Runs the outdated build steps of the given parts of the project (without `parts`: of all parts that are published).
 * `root` is the root folder of the project. `say` is called with a line about each step that runs. `run` runs a step.
 */
export async function build(root, say, parts = allParts, run = (step) => step.run(root)) {
  const stampFile = path.join(root, "node_modules", ".millrace-build.json");
  const stamps = existsSync(stampFile) ? JSON.parse(readFileSync(stampFile, "utf8")) : {};
  for (const step of stepsOf(parts)) {
    const stamp = hashOf(root, step.reads);
    if (stamps[step.name] === stamp && step.makes.every((file) => existsSync(path.join(root, file)))) continue;
    say(`Building ${step.name} ...`);
    // Some steps overwrite the output of another step (`undoes`). The stamp of that other step is removed before this
    // step runs, because even a failed run may have overwritten a part of the output.
    delete stamps[step.undoes];
    writeFileSync(stampFile, JSON.stringify(stamps, null, 2));
    await run(step);
    stamps[step.name] = stamp;
    if (step.fulfils !== undefined) stamps[step.fulfils] = stamp;
    writeFileSync(stampFile, JSON.stringify(stamps, null, 2));
  }
}

/**
 * Returns whether a build step of `parts` reads this file (a path relative to the root); false for files that a build
 * step writes.
 */
export function isRead(file, parts) {
  if (isLeftOut(path.basename(file)) || generated.includes(file)) return false;
  return stepsOf(parts).some(({ reads }) => reads.some((place) => file === place || file.startsWith(`${place}/`)));
}

function stepsOf(parts) {
  return steps.filter(({ part }) => part === "library" || parts.includes(part));
}

/**
 * Returns a hash of the names and contents of files, including all files in given folders. Test files are left out,
 * because no build reads them.
 */
function hashOf(root, places) {
  const hash = createHash("sha256");
  const visit = (place) => {
    const full = path.join(root, place);
    if (!existsSync(full)) return;
    const entries = isFolder(full) ? readdirSync(full).sort() : undefined;
    if (entries === undefined) hash.update(`${place}\n`).update(readFileSync(full));
    else for (const entry of entries) if (!isLeftOut(entry)) visit(`${place}/${entry}`);
  };
  for (const place of places) visit(place);
  return hash.digest("hex");
}

function isLeftOut(name) {
  return name === "node_modules" || name === "dist" || name.endsWith(".test.ts");
}

function isFolder(full) {
  try {
    readdirSync(full);
    return true;
  } catch {
    return false;
  }
}

/**
 * Copies the built library, server and playground into the `dist` folder of the npm package of the server. The copy
 * exists only while npm packs the package: `pack` makes it, and `unpack` removes it.
 */
function pack(root) {
  unpack(root);
  for (const part of ["lib", "server"]) {
    cpSync(path.join(root, "dist", part), path.join(root, "server/dist", part), { recursive: true });
  }
  packPage(path.join(root, "playground/dist"), path.join(root, "server/dist/playground/dist"));
}

/**
 * Copies the built page for the npm package of the server. The package contains each asset only as a `.br` file
 * (compressed with Brotli). Browsers accept Brotli, so they get the smallest file without any work for the server. The
 * package is also smaller than with plain files, which npm would compress only with gzip. The agent decompresses an
 * asset for a client that does not accept Brotli. The country database is not copied, because the server's package
 * depends on the package that contains the database.
 */
export function packPage(from, to) {
  cpSync(from, to, {
    recursive: true,
    filter: (file) =>
      !/\.mmdb(?:\.\w+)?$|\.gz$/.test(file) && (!/assets[/\\]/.test(path.relative(from, file)) || file.endsWith(".br")),
  });
}

function unpack(root) {
  rmSync(path.join(root, "server/dist"), { recursive: true, force: true });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
  const [, , task] = process.argv;
  if (task !== "unpack") await build(root, (line) => process.stderr.write(`${line}\n`));
  if (task === "pack") pack(root);
  if (task === "unpack") unpack(root);
}
