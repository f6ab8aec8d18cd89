// Keeps the cursor of the journal (the position after which reading continues) in a file. The file is replaced as a
// whole, so at any moment it holds either the old cursor or the new one.

import { open, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import { makePrivateFolder, privateFileMode } from "../../../queue/private-files.ts";
import type { Log } from "../../../telemetry/log.ts";

const header = "millrace journald cursor 1";

export interface Cursor {
  /** The cursor (position in the journal) that was saved last; empty when no cursor is saved. */
  readonly value: string;
  /** Saves a cursor. Resolves when the cursor is written to the disk. */
  save(cursor: string): Promise<void>;
  forget(): Promise<void>;
}

/** Opens the saved cursor in `folder`. A damaged file is logged and treated as missing. */
export async function openCursor(folder: string, log: Pick<Log, "warn">): Promise<Cursor> {
  makePrivateFolder(folder);
  const file = path.join(folder, "cursor");
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  let value = text === undefined ? "" : (valueIn(text) ?? "");
  if (text !== undefined && value === "")
    log.warn(`journald: ${file} is damaged; reading begins as inputs.journald.from says`);
  return {
    get value() {
      return value;
    },
    save: async (cursor) => {
      const next = `${file}.new`;
      const handle = await open(next, "w", privateFileMode);
      try {
        await handle.writeFile(`${header}\n${cursor}\n`);
        await handle.datasync();
      } finally {
        await handle.close();
      }
      await rename(next, file);
      value = cursor;
    },
    forget: async () => {
      await rm(file, { force: true });
      value = "";
    },
  };
}

/** Returns the cursor (position in the journal) that a file's text contains; undefined when the text is damaged. */
function valueIn(text: string): string | undefined {
  const [first, cursor = "", end, ...rest] = text.split("\n");
  const isWhole = first === header && end === "" && rest.length === 0;
  return isWhole && isCursor(cursor) ? cursor : undefined;
}

/** Returns whether a text can be a cursor of the journal, such as `s=0639...;i=2f;b=...`. */
export function isCursor(text: string): boolean {
  return /^[\w=;+-]{1,1024}$/.test(text);
}
