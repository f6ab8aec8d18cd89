// The identity of this build: version of the package, build time, and in a checkout the commit.

import { readFileSync } from "node:fs";
import { toHeaderBytes } from "../../lib/sharding/index.ts";

// Root of the checkout, or the folder of the installed package.
const root = ["../../..", "../.."].map((up) => new URL(`${up}/`, import.meta.url)).find(isRoot);

function isRoot(folder: URL): boolean {
  return /"name": "(?:@millrace\/server|millrace)"/.test(textOf(new URL("package.json", folder)) ?? "");
}

function textOf(file: URL): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

export const version: string =
  root === undefined
    ? "0.0.0"
    : (JSON.parse(readFileSync(new URL("package.json", root), "utf8")) as { version: string }).version;

/** Build time in ISO 8601; empty when the program runs from its sources. */
export const builtAt: string = textOf(new URL("../built-at.txt", import.meta.url)) ?? "";

/**
 * Returns version and host name for a header. A host name may have any characters, but a header may not: control
 * characters are removed and the rest is encoded.
 */
export function identityOf(hostname: string): string {
  return `${version}/${toHeaderBytes(hostname.replace(/\p{Cc}/gu, ""))}`;
}

/** First ten digits of the commit; empty outside a checkout. */
export const commit: string = root === undefined ? "" : commitOf(root);

function commitOf(folder: URL): string {
  const head = textOf(new URL(".git/HEAD", folder))?.trim() ?? "";
  const reference = /^ref: (\S+)$/.exec(head)?.[1];
  const hash = reference === undefined ? head : (textOf(new URL(`.git/${reference}`, folder))?.trim() ?? "");
  return /^[0-9a-f]{40}/.test(hash) ? hash.slice(0, 10) : "";
}
