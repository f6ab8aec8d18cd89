// Loads the WebAssembly module in hosts with Node's file system: Node, Deno and Bun. This is the only file of lib that
// imports a module of the host; the import `#default-wasm` in package.json selects another file for all other hosts.

import { readFile } from "node:fs/promises";

/**
 * Largest number of characters of an address (path or URL) that an error message shows. An address may be very long,
 * because a bundler may write the whole file into it.
 */
const longestAddress = 200;

/**
 * Reads and compiles `millrace.wasm` from the directory of the package's code. Throws when the file is missing, for
 * example because the code was bundled into one file.
 *
 * @example
 * const module = await defaultWasm();
 * const mills = await Promise.all([createMillrace({ wasm: module }), createMillrace({ wasm: module })]);
 */
export async function defaultWasm(): Promise<WebAssembly.Module> {
  let url: URL;
  try {
    url = new URL("../millrace.wasm", import.meta.url);
  } catch (cause) {
    // `import.meta.url` is undefined in a bundle that is not an ES module, so the URL of `millrace.wasm` cannot be made
    // from it.
    throw notFound("beside the code, whose address is unknown", cause);
  }
  return wasmAt(url);
}

/** Reads and compiles the module at the path of a file, or at a URL. */
export async function wasmAt(url: string | URL): Promise<WebAssembly.Module> {
  const text = String(url);
  const bytes = await read(text).catch((cause: unknown) => {
    throw notFound(`at ${text.slice(0, longestAddress)}`, cause);
  });
  return WebAssembly.compile(bytes);
}

async function read(address: string): Promise<Uint8Array<ArrayBuffer>> {
  if (!/^(?:https?|data):/.test(address)) return readFile(address.startsWith("file:") ? new URL(address) : address);
  const response = await fetch(address);
  if (!response.ok) throw new Error(`status ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

function notFound(place: string, cause: unknown): Error {
  const help =
    "If the code is bundled, keep the package out of the bundle (external: millrace), or copy " +
    'node_modules/millrace/dist/lib/wasm/millrace.wasm and write createMillrace({ wasm: "path/of/millrace.wasm" })';
  return new Error(`millrace.wasm was not found ${place}. ${help}`, { cause });
}
