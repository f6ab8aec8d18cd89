// Which workspace a token names. Tokens are kept as digests; a token that is known here is the only key to its workspace.

import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

export interface Workspaces {
  /** Its id; undefined for a token that names none. */
  idOf(token: string): string | undefined;
}

const shape = /^[A-Za-z0-9_-]{8,128}$/;

/** `tokens`: those of the configuration. The local one lies in the data folder and is made when it is missing. */
export function openWorkspaces(
  folder: string,
  tokens: readonly string[],
): Workspaces & { readonly localToken: string } {
  const localToken = readLocalToken(path.join(folder, "token"));
  const known = [localToken, ...tokens].map((token) => {
    if (!shape.test(token)) throw new Error("platform.tokens: a token has 8 to 128 letters, digits, - and _");
    return digestOf(token);
  });
  return {
    localToken,
    idOf: (token) => {
      const digest = digestOf(token);
      // All are compared, in constant time each.
      const found = known.filter((each) => timingSafeEqual(each, digest));
      return found.length === 0 ? undefined : digest.toString("hex").slice(0, 32);
    },
  };
}

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

function readLocalToken(file: string): string {
  if (existsSync(file)) return readFileSync(file, "utf8").trim();
  const token = `tkn_${randomBytes(16).toString("hex")}`;
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${token}\n`, { mode: 0o600 });
  return token;
}
