// Finds the workspace to which a token belongs. Only a client that knows a workspace's token can write to it.
// Tokens are stored as digests.

import { createHash, timingSafeEqual } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { newToken, pointsIdOf } from "./metadata/ids.ts";

export interface Workspaces {
  /** Returns the id of the workspace that a token belongs to, or undefined for an unknown token. */
  idOf(token: string): Promise<string | undefined>;
}

/** Returns whether the metadata store has a workspace whose points are stored under the given id. */
export type IsKnown = (id: string) => Promise<boolean>;

const shape = /^[A-Za-z0-9_-]{8,128}$/;

/**
 * Loads the known tokens: the tokens of the configuration (`tokens`), and the token of the workspace for the
 * points of this machine. This last token is stored in a file of the data folder; if the file is missing, it is
 * created with a new token.
 */
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
      // The digest is compared with every known digest, each time in constant time. So the duration of the comparison
      // reveals nothing about the known digests.
      const found = known.filter((each) => timingSafeEqual(each, digest));
      return found.length > 0 || (await isKnown(id)) ? id : undefined;
    },
  };
}

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/**
 * Returns the token that is stored in a file of the folder. If there is no such file, creates it with a new
 * token.
 */
export function readLocalToken(folder: string): string {
  const file = path.join(folder, "token");
  if (existsSync(file)) return readFileSync(file, "utf8").trim();
  const token = newToken();
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${token}\n`, { mode: 0o600 });
  return token;
}
