// Stores session replays as files under replays/<workspace>/<session>/<part>. Each upload is one part. Its file
// has a line of JSON that describes the upload, followed by the decompressed body of the multipart form. Parts
// are deleted after a time, and the total size of all parts is limited.

import { createHash, randomUUID } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm, rmdir, stat } from "node:fs/promises";
import path from "node:path";
import {
  type KeptReplay,
  partShape,
  type ReplayPart,
  type ReplaySession,
  type Replays,
  type ReplayUpload,
} from "./open-api/replay-parts.ts";

/** Thrown when an upload was not stored because the store for session replays is full. */
export class TooManyReplays extends Error {}

export async function openReplays(folder: string, maxBytes: number): Promise<Replays> {
  const replays = new ReplayFolder(folder, maxBytes);
  await replays.countBytes();
  return replays;
}

class ReplayFolder implements Replays {
  private readonly folder: string;
  private readonly maxBytes: number;
  /** Total size in bytes of all stored parts of session replays. */
  private bytes = 0;

  constructor(folder: string, maxBytes: number) {
    this.folder = folder;
    this.maxBytes = maxBytes;
  }

  /**
   * Determines the total size of all stored parts when the platform starts. Deletes unfinished uploads that an
   * earlier process has left.
   */
  async countBytes(): Promise<void> {
    await this.eachSession(async (of, parts) => {
      for (const name of await namesIn(of)) if (name.endsWith(".tmp")) await rm(path.join(of, name), { force: true });
      for (const part of parts) this.bytes += part.bytes;
    });
  }

  async put(workspace: string, { id, session, contentType, values, body }: ReplayUpload): Promise<void> {
    const name = id === "" ? randomUUID().replaceAll("-", "") : digestOf(id);
    const file = path.join(this.folderOf(workspace, session), name);
    if ((await stat(file).catch(ignoreAbsent)) !== undefined) return;
    const head = Buffer.from(`${JSON.stringify({ contentType, values })}\n`);
    const size = head.length + body.length;
    const { bytes, maxBytes } = this;
    if (bytes + size > maxBytes) throw new TooManyReplays(`session replays take ${bytes} of ${maxBytes} bytes`);
    // The bytes of the upload are added to the total before the upload is written. Otherwise several concurrent
    // uploads could together exceed the limit.
    this.bytes += size;
    try {
      await write(file, [head, body]);
    } catch (error) {
      this.bytes -= size;
      throw error;
    }
  }

  async sessions(workspace: string): Promise<readonly ReplaySession[]> {
    const found: ReplaySession[] = [];
    for (const session of await namesIn(this.folderOf(workspace))) {
      const parts = await this.parts(workspace, session);
      if (parts.length === 0) continue;
      const size = parts.reduce((sum, part) => sum + part.bytes, 0);
      const [firstAt, lastAt] = [parts[0]!.at, parts.at(-1)!.at];
      found.push({ session, parts: parts.length, bytes: size, firstAt, lastAt });
    }
    return found.sort((a, b) => b.lastAt - a.lastAt || (a.session < b.session ? -1 : 1));
  }

  parts(workspace: string, session: string): Promise<readonly ReplayPart[]> {
    return partsIn(this.folderOf(workspace, session));
  }

  async part(workspace: string, session: string, uuid: string): Promise<KeptReplay | undefined> {
    const file = path.join(this.folderOf(workspace, session), uuid);
    const info = await stat(file).catch(ignoreAbsent);
    const kept = info === undefined ? undefined : await readFile(file).catch(ignoreAbsent);
    if (info === undefined || kept === undefined) return undefined;
    const end = kept.indexOf(0x0a);
    const head = JSON.parse(kept.subarray(0, end).toString()) as Pick<ReplayUpload, "contentType" | "values">;
    return { uuid, at: Math.floor(info.mtimeMs), bytes: info.size, ...head, body: kept.toString("base64", end + 1) };
  }

  async expire(before: number): Promise<number> {
    let deleted = 0;
    await this.eachSession(async (of, parts) => {
      for (const { uuid, at, bytes } of parts) {
        if (at >= before) continue;
        await rm(path.join(of, uuid));
        this.bytes -= bytes;
        deleted++;
      }
      // The folder of the session is removed only if it is empty: if another part of the session has arrived in the
      // meantime, `rmdir` fails and the folder stays.
      await rmdir(of).catch(() => {});
    });
    return deleted;
  }

  private folderOf(workspace: string, session = ""): string {
    return path.join(this.folder, workspace, session);
  }

  private async eachSession(visit: (of: string, parts: readonly ReplayPart[]) => Promise<void>): Promise<void> {
    for (const workspace of await namesIn(this.folder)) {
      for (const session of await namesIn(this.folderOf(workspace))) {
        const of = this.folderOf(workspace, session);
        await visit(of, await partsIn(of));
      }
    }
  }
}

/** Returns the parts in the folder of a session, in the order in which they arrived. */
async function partsIn(folder: string): Promise<readonly ReplayPart[]> {
  const parts: ReplayPart[] = [];
  for (const name of await namesIn(folder)) {
    // Files that end with .tmp are unfinished uploads and are skipped.
    const info = partShape.test(name) ? await stat(path.join(folder, name)).catch(ignoreAbsent) : undefined;
    if (info !== undefined) parts.push({ uuid: name, at: Math.floor(info.mtimeMs), bytes: info.size });
  }
  return parts.sort((a, b) => a.at - b.at || (a.uuid < b.uuid ? -1 : 1));
}

/**
 * Writes a file completely and syncs it to the disk before it gets its name. So a file with this name is never
 * incomplete.
 */
async function write(file: string, parts: readonly Uint8Array[]): Promise<void> {
  const folder = path.dirname(file);
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const handle = await open(temporary, "wx", 0o600);
    try {
      for (const part of parts) await handle.writeFile(part);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
    const named = await open(folder);
    await named.sync().finally(() => named.close());
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder).catch(ignoreAbsent)) ?? [];
}

function ignoreAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error;
  return undefined;
}

function digestOf(id: string): string {
  return createHash("sha256").update(id).digest("hex").slice(0, 32);
}
