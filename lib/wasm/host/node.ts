// Loads the default WebAssembly module in hosts with Node's file system: Node, Deno and Bun. This is the only file of
// lib that imports a module of the host; the conditions in package.json keep it away from all other hosts.

import { readFile } from "node:fs/promises";

/**
 * Reads and compiles `millrace.wasm` from the directory of the package's code. Throws when the file is missing, for
 * example because the code was bundled into one file.
 */
export async function defaultWasm(): Promise<WebAssembly.Module> {
  const url = new URL("../millrace.wasm", import.meta.url);
  const bytes = await readFile(url).catch((cause: unknown) => {
    throw new Error(`${url.href} cannot be read; pass \`wasm\` to createMillrace`, { cause });
  });
  return WebAssembly.compile(bytes);
}
