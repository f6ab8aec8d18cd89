// Identifies this build: the version of the package, the build time, and the commit if the service runs in a
// checkout of the repository.

import { readFileSync } from "node:fs";
import { toHeaderBytes } from "../../lib/sharding/index.ts";

// Root folder of the checkout of the repository, or of the installed package.
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

/** Build time in ISO 8601; empty when the service runs from its source files. */
export const builtAt: string = textOf(new URL("../built-at.txt", import.meta.url)) ?? "";

/**
 * Returns the version and the host name as the value of a header. A host name may contain characters that are
 * not allowed in a header, so control characters are removed and other forbidden characters are encoded.
 */
export function identityOf(hostname: string): string {
  return `${version}/${toHeaderBytes(hostname.replace(/\p{Cc}/gu, ""))}`;
}

/** First ten digits of the commit id; empty outside a checkout of the repository. */
export const commit: string = root === undefined ? "" : commitOf(root);

function commitOf(folder: URL): string {
  const head = textOf(new URL(".git/HEAD", folder))?.trim() ?? "";
  const reference = /^ref: (\S+)$/.exec(head)?.[1];
  const hash = reference === undefined ? head : (textOf(new URL(`.git/${reference}`, folder))?.trim() ?? "");
  return /^[0-9a-f]{40}/.test(hash) ? hash.slice(0, 10) : "";
}
