// Measures download sizes in bytes, raw and gzipped: the npm packages, the WebAssembly module, and bundles for
// browsers.

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { columns } from "./measure.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

interface Sized {
  readonly name: string;
  readonly bytes: () => Promise<{ readonly raw: number; readonly gzip: number }>;
}

export interface SizeRow {
  readonly name: string;
  readonly rawBytes: number;
  readonly gzipBytes: number;
}

export const sizes: readonly Sized[] = [
  { name: "size of the module millrace.wasm", bytes: async () => sizeOf(readFileSync(moduleFile)) },
  { name: "size of millrace in a browser bundle", bytes: () => bundleSize("export * from 'millrace';") },
  { name: "size of millrace/regex in a browser bundle", bytes: () => bundleSize("export * from 'millrace/regex';") },
  { name: "size of millrace/grok in a browser bundle", bytes: () => bundleSize("export * from 'millrace/grok';") },
  { name: "size of millrace/point in a browser bundle", bytes: () => bundleSize("export * from 'millrace/point';") },
  { name: "size of millrace/dql in a browser bundle", bytes: () => bundleSize("export * from 'millrace/dql';") },
  { name: "size of the package millrace", bytes: () => packageSize(".") },
  { name: "size of the package @millrace/server", bytes: () => packageSize("server") },
];

const moduleFile = path.join(root, "dist/lib/wasm/millrace.wasm");

export async function measureSize({ name, bytes }: Sized): Promise<SizeRow> {
  process.stderr.write(`${name} ...\n`);
  const { raw, gzip } = await bytes();
  return { name, rawBytes: raw, gzipBytes: gzip };
}

export function sizeTableOf(rows: readonly SizeRow[]): string {
  const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;
  return columns([
    ["name", "raw", "gzip"],
    ...rows.map(({ name, rawBytes, gzipBytes }) => [name, kilobytes(rawBytes), kilobytes(gzipBytes)]),
  ]);
}

function sizeOf(bytes: Uint8Array): { raw: number; gzip: number } {
  return { raw: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length };
}

/** Returns the size of a minified bundle of this source code, without the WebAssembly module. */
async function bundleSize(source: string): Promise<{ raw: number; gzip: number }> {
  const entry = "\0entry";
  const built = await build({
    root,
    configFile: false,
    logLevel: "error",
    build: { write: false, minify: true, rolldownOptions: { input: entry, preserveEntrySignatures: "strict" } },
    plugins: [
      {
        name: "entry",
        resolveId: (id, importer) => (id === entry ? id : importer === entry ? ownExport(id) : null),
        load: (id) => (id === entry ? source : null),
      },
    ],
  });
  const outputs = (Array.isArray(built) ? built : [built]).flatMap((one) => ("output" in one ? one.output : []));
  const code = outputs.flatMap((output) => (output.type === "chunk" ? [output.code] : [])).join("");
  return sizeOf(new TextEncoder().encode(code));
}

/** Returns the path of the built file for one exported sub-path of the package. */
function ownExport(name: string): string {
  return path.join(root, "dist/lib", name.slice("millrace".length), "index.js");
}

/** Returns the sizes of the package that `npm pack` makes: unpacked, and as an archive. */
async function packageSize(folder: string): Promise<{ raw: number; gzip: number }> {
  const { stdout } = await promisify(execFile)("npm", ["pack", "--dry-run", "--json"], {
    cwd: path.join(root, folder),
    shell: process.platform === "win32",
  });
  const [{ size, unpackedSize }] = JSON.parse(stdout) as [{ size: number; unpackedSize: number }];
  return { raw: unpackedSize, gzip: size };
}
