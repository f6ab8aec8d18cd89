// Which workspace a token names. Tokens are kept as digests; a token that is known here is the only key to its workspace.

import { createHash, timingSafeEqual } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { newToken, pointsIdOf } from "./metadata/ids.ts";

export interface Workspaces {
  /** Its id; undefined for a token that names none. */
  idOf(token: string): Promise<string | undefined>;
}

/** What the metadata store tells: whether a workspace has points of this id. */
export type IsKnown = (id: string) => Promise<boolean>;

const shape = /^[A-Za-z0-9_-]{8,128}$/;

/** `tokens`: those of the configuration. The local one lies in the data folder and is made when it is missing. */
export function openWorkspaces(
  folder: string,
  tokens: readonly string[],
  isKnown: IsKnown,
): Workspaces & { readonly localToken: string } {
  const localToken = readLocalToken(folder);
  const known = [localToken, ...tokens].map((token) => {
    if (!shape.test(token)) throw new Error("platform.tokens: a token has 8 to 128 letters, digits, - and _");
    return digestOf(token);
  });
  return {
    localToken,
    idOf: async (token) => {
      const digest = digestOf(token);
      const id = pointsIdOf(token);
      // All are compared, in constant time each.
      const found = known.filter((each) => timingSafeEqual(each, digest));
      return found.length > 0 || (await isKnown(id)) ? id : undefined;
    },
  };
}

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** Made when it is missing. */
export function readLocalToken(folder: string): string {
  const file = path.join(folder, "token");
  if (existsSync(file)) return readFileSync(file, "utf8").trim();
  const token = newToken();
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${token}\n`, { mode: 0o600 });
  return token;
}
