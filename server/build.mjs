// Builds what is stale: assembly -> lib/wasm/millrace.wasm, the grammars -> parsers, TypeScript -> dist/, the playground
// -> playground/dist/.
// Each step has a stamp, the hash of what it reads; a step whose stamp is unchanged is not run.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { layouts, makeLayout } from "./layouts.mjs";

const grammars = ["lib/dql/syntax/grammar", "lib/filter/grammar", "lib/pipeline/syntax/grammar"];
/** Entries into a grammar besides its first rule. */
const startRules = { "lib/dql/syntax/grammar": ["Start", "Conditions", "Expr"] };
/** Packages that lib needs, each bundled into one module beside the entry that uses it. */
const bundles = [
  { name: "xpath", entry: "lib/pipeline/xml/xpath-entry.js", makes: "lib/pipeline/xml/xpath-bundle.js" },
];
const generated = [
  "lib/wasm/millrace.wasm",
  ...grammars.map((grammar) => `${grammar}.js`),
  ...bundles.map(({ makes }) => makes),
];

const steps = [
  {
    name: "WebAssembly",
    reads: ["assembly", "asconfig.json"],
    makes: ["lib/wasm/millrace.wasm"],
    run: () =>
      node(
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
    reads: ["assembly", "asconfig.json", "test/lib/wasm/count-steps.mjs"],
    makes: ["test/lib/wasm/counting.wasm"],
    run: () => node("test/lib/wasm/count-steps.mjs", "lib/wasm/millrace.wasm", "test/lib/wasm/counting.wasm"),
  },
  ...layouts.map((layout) => ({
    name: `layout ${layout.source}`,
    reads: [layout.source, "server/layouts.mjs"],
    makes: [layout.makes],
    run: () => makeLayout(layout),
  })),
  ...grammars.map((grammar) => ({
    name: `grammar ${grammar}`,
    reads: [`${grammar}.peggy`],
    makes: [`${grammar}.js`],
    run: () => {
      const entries = startRules[grammar] === undefined ? [] : ["--allowed-start-rules", startRules[grammar].join(",")];
      node("node_modules/peggy/bin/peggy.js", "--format", "es", ...entries, "-o", `${grammar}.js`, `${grammar}.peggy`);
    },
  })),
  ...bundles.map(({ name, entry, makes }) => ({
    name: `bundle of ${name}`,
    reads: [entry, "server/bundle.mjs", `node_modules/${name}/package.json`],
    makes: [makes],
    run: () => node("server/bundle.mjs", name, entry, makes),
  })),
  {
    name: "TypeScript",
    reads: [
      "lib",
      "server",
      "test/conformance",
      "test/bench",
      "test/baseline",
      "test/fuzz",
      "test/properties",
      "tsconfig.json",
      "package.json",
      "package-lock.json",
    ],
    makes: ["dist/lib/index.js", "dist/server/main.js", "dist/server/built-at.txt"],
    run: (root) => {
      rmSync(path.join(root, "dist"), { recursive: true, force: true });
      node("node_modules/typescript/bin/tsc", "-p", "tsconfig.json");
      for (const file of generated) {
        mkdirSync(path.dirname(path.join(root, "dist", file)), { recursive: true });
        copyFileSync(path.join(root, file), path.join(root, "dist", file));
      }
      cpSync(path.join(root, "server/pipelines"), path.join(root, "dist/server/pipelines"), {
        recursive: true,
        filter: (file) => !file.endsWith(".yaml"),
      });
      // Packages carry no times of their files.
      writeFileSync(path.join(root, "dist/server/built-at.txt"), new Date().toISOString());
      node("server/join-modules.mjs");
    },
  },
  {
    name: "playground",
    reads: ["playground", "lib", "tsconfig.json", "package-lock.json"],
    makes: ["playground/dist/index.html"],
    run: (root) => {
      node("node_modules/vite/bin/vite.js", "build", "--config", "playground/vite.config.ts", "--logLevel", "warn");
      compressAssets(path.join(root, "playground/dist/assets"));
    },
  },
];

/** Puts a `.gz` beside each file, for servers that send it to those who take it. */
function compressAssets(folder) {
  for (const file of readdirSync(folder)) {
    const at = path.join(folder, file);
    writeFileSync(`${at}.gz`, gzipSync(readFileSync(at), { level: 9 }));
  }
}

function node(script, ...args) {
  const done = spawnSync(process.execPath, [script, ...args], { stdio: ["ignore", 2, 2] });
  if (done.status !== 0) throw new Error(`${path.basename(script)} ${args.join(" ")} failed; its message stands above`);
}

/** Builds under `root`; `say` gets one line per step that runs. */
export async function build(root, say) {
  process.chdir(root);
  const stampFile = path.join(root, "node_modules", ".millrace-build.json");
  const stamps = existsSync(stampFile) ? JSON.parse(readFileSync(stampFile, "utf8")) : {};
  for (const step of steps) {
    const stamp = hashOf(root, step.reads);
    if (stamps[step.name] === stamp && step.makes.every((file) => existsSync(path.join(root, file)))) continue;
    say(`Building ${step.name} ...`);
    step.run(root);
    stamps[step.name] = stamp;
    writeFileSync(stampFile, JSON.stringify(stamps, null, 2));
  }
}

/** A hash of the names and contents of files, folders walked; test files are not part of a build. */
function hashOf(root, places) {
  const hash = createHash("sha256");
  const visit = (place) => {
    const full = path.join(root, place);
    if (!existsSync(full)) return;
    const entries = isFolder(full) ? readdirSync(full).sort() : undefined;
    if (entries === undefined) hash.update(`${place}\n`).update(readFileSync(full));
    else
      for (const entry of entries)
        if (entry !== "node_modules" && entry !== "dist" && !entry.endsWith(".test.ts")) visit(`${place}/${entry}`);
  };
  for (const place of places) visit(place);
  return hash.digest("hex");
}

function isFolder(full) {
  try {
    readdirSync(full);
    return true;
  } catch {
    return false;
  }
}

/** The package of the server carries library, server and playground, built, in a `dist` of its own, from `pack` to `unpack`. */
function pack(root) {
  unpack(root);
  for (const part of ["lib", "server"]) {
    cpSync(path.join(root, "dist", part), path.join(root, "server/dist", part), { recursive: true });
  }
  cpSync(path.join(root, "playground/dist"), path.join(root, "server/dist/playground/dist"), {
    recursive: true,
    // The country database stands in a package that the server needs anyway; the agent serves that one.
    filter: (file) => !/\.(?:gz|mmdb)$/.test(file),
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
