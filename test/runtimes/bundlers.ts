// Builds a page with each installed bundler. The configuration of a bundler is as short as possible, because users
// write little configuration, too.

import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { build as viteBuild } from "vite";

const here = fileURLToPath(new URL(".", import.meta.url));
const require = createRequire(import.meta.url);

/** The form in which code gets an imported `*.wasm` file from the bundler: a URL, or the bytes of the file. */
export type WasmImport = "url" | "bytes";

export interface Job {
  readonly project: string;
  /** Name of the file in the project with which the bundler starts; `entry.mjs` when absent. */
  readonly entry?: string;
  /** The folder for the bundle `main.js` and its other files. */
  readonly outDir: string;
  /**
   * The form in which code gets `*.wasm` files from the bundler: a URL, or the bytes of the file. Undefined when the
   * bundler is not configured for these files.
   */
  readonly wasm?: WasmImport;
  /**
   * The platform of the bundle; default `browser`. With `node external` the bundle is for Node and does not include
   * packages.
   */
  readonly platform?: "browser" | "node" | "node external";
}

export interface Bundler {
  readonly isInstalled: boolean;
  build(job: Job): Promise<void>;
}

/** Returns whether a package of test/runtimes is installed. */
function has(name: string): boolean {
  return existsSync(path.join(here, "node_modules", name));
}

const load = async <T>(name: string): Promise<T> =>
  (await import(pathToFileURL(require.resolve(name, { paths: [here] })).href)) as T;

/** The part of webpack's interface that the tests use. */
interface Webpack {
  readonly default: (
    options: object,
    done: (error: Error | null, stats?: { hasErrors(): boolean; toString(options: object): string }) => void,
  ) => void;
}

interface Rollup {
  rollup(options: object): Promise<{ write(options: object): Promise<unknown>; close(): Promise<void> }>;
}

interface Esbuild {
  build(options: object): Promise<unknown>;
}

export const bundlers = {
  Vite: {
    isInstalled: true,
    build: async ({ project, outDir }) => {
      await viteBuild({
        root: project,
        configFile: false,
        logLevel: "error",
        build: {
          outDir,
          emptyOutDir: false,
          target: "es2022",
          rolldownOptions: { input: path.join(project, "entry.mjs"), output: { entryFileNames: "main.js" } },
        },
      });
    },
  },
  webpack: {
    isInstalled: has("webpack"),
    build: async ({ project, outDir, entry = "entry.mjs", wasm, platform = "browser" }) => {
      const webpack = (await load<Webpack>("webpack")).default;
      const isPage = platform === "browser";
      const options = {
        mode: "production",
        context: project,
        entry: `./${entry}`,
        target: isPage ? "web" : "node20",
        output: {
          path: outDir,
          filename: isPage ? "main.js" : "main.cjs",
          ...(isPage ? {} : { library: { type: "commonjs2" } }),
        },
        ...(platform === "node external" ? { externals: [/^millrace/], externalsType: "import" } : {}),
        ...(wasm === "url" ? { module: { rules: [{ test: /\.wasm$/, type: "asset/resource" }] } } : {}),
        // Minifying would take longer than all other steps of the build together, and does not affect the tests.
        optimization: { minimize: false },
        performance: false,
      };
      await new Promise<void>((resolve, reject) =>
        webpack(options, (error, stats) => {
          if (error !== null) reject(error);
          else if (stats?.hasErrors() === true) reject(new Error(stats.toString({ all: false, errors: true })));
          else resolve();
        }),
      );
    },
  },
  Rollup: {
    isInstalled: has("@rollup/wasm-node") && has("@rollup/plugin-node-resolve"),
    build: async ({ project, outDir }) => {
      const { rollup } = await load<Rollup>("@rollup/wasm-node");
      const { nodeResolve } = await load<{ nodeResolve(options: object): object }>("@rollup/plugin-node-resolve");
      const bundle = await rollup({
        input: path.join(project, "entry.mjs"),
        plugins: [nodeResolve({ browser: true })],
      });
      await bundle.write({ file: path.join(outDir, "main.js"), format: "es" });
      await bundle.close();
    },
  },
  esbuild: {
    isInstalled: has("esbuild-wasm"),
    build: async ({ project, outDir, wasm }) => {
      const { build } = await load<Esbuild>("esbuild-wasm");
      await build({
        absWorkingDir: project,
        entryPoints: ["entry.mjs"],
        outfile: path.join(outDir, "main.js"),
        bundle: true,
        format: "esm",
        logLevel: "silent",
        ...(wasm === undefined ? {} : { loader: { ".wasm": wasm === "url" ? "file" : "binary" } }),
      });
    },
  },
  // test/runtimes/package.json does not list Parcel, because packages that it needs (lmdb, @parcel/watcher, @swc/core)
  // run scripts when they are installed. Parcel is tested only where somebody has installed it in test/runtimes by
  // hand; `--ignore-scripts` may be used for that.
  Parcel: {
    isInstalled: has("parcel"),
    build: async ({ project, outDir }) => {
      const command = path.join(here, "node_modules/parcel/lib/bin.js");
      const manifest = path.join(project, "package.json");
      const given = JSON.parse(readFileSync(manifest, "utf8")) as object;
      const line = { "@parcel/resolver-default": { packageExports: true } };
      writeFileSync(manifest, JSON.stringify({ ...given, ...line }));
      const args = [
        "build",
        "index.html",
        "--dist-dir",
        outDir,
        "--no-cache",
        "--no-autoinstall",
        "--log-level",
        "error",
      ];
      await promisify(execFile)(process.execPath, [command, ...args], { cwd: project });
    },
  },
} as const satisfies Readonly<Record<string, Bundler>>;
