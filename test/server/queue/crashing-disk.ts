// A folder in memory that can lose power. After a loss of power, an arbitrary part of the unsynced sectors and the
// first few unsynced changes of file names are kept; `random` decides which.

import type { QueueFile, QueueFiles } from "../../../server/queue/log/files.ts";

interface Inode {
  bytes: Buffer;
  /** The content that the file had at its last sync, which survives a loss of power. */
  durable: Buffer;
}

export interface CrashingDisk {
  /**
   * Returns the file interface that one process uses. When the power is lost, this process ends: its unfinished and
   * later file operations never complete.
   */
  mount(): QueueFiles;
  /** Simulates a loss of power: a process that is started afterwards finds only what the disk has kept. */
  crash(random: () => number): void;
}

export const folder = "/queue";
const sectorBytes = 64;

export function crashingDisk(): CrashingDisk {
  let names = new Map<string, Inode>();
  /**
   * The possible lists of the file names in the folder: the list at the last sync of the folder, and the list after
   * each later change. After a loss of power, the folder has one of these lists.
   */
  let states = [new Map(names)];
  let life = 0;

  const changed = () => {
    states.push(new Map(names));
  };

  const fileOf = (inode: Inode, passes: () => Promise<void>): QueueFile => ({
    write: async (parts, position) => {
      await passes();
      const all = Buffer.concat(parts);
      inode.bytes = resized(inode.bytes, Math.max(inode.bytes.length, position + all.length));
      all.copy(inode.bytes, position);
    },
    read: async (into, position) => {
      await passes();
      return position >= inode.bytes.length ? 0 : inode.bytes.copy(into, 0, position);
    },
    sync: async () => {
      await passes();
      inode.durable = inode.bytes;
    },
    truncate: async (size) => {
      await passes();
      inode.bytes = resized(inode.bytes, size);
    },
    close: async () => {},
  });

  return {
    mount: () => {
      const own = life;
      const passes = async () => {
        await new Promise((resolve) => setImmediate(resolve));
        if (own !== life) await new Promise(() => {});
      };
      const at = (path: string): Inode => {
        const inode = names.get(path);
        if (inode === undefined) throw new Error(`ENOENT: ${path}`);
        return inode;
      };
      return {
        makeFolder: async () => {},
        list: async (parent) =>
          [...names.keys()]
            .filter((path) => path.slice(0, path.lastIndexOf("/")) === parent)
            .map((path) => path.slice(parent.length + 1))
            .sort(),
        size: async (path) => at(path).bytes.length,
        open: async (path) => {
          await passes();
          return fileOf(at(path), passes);
        },
        openOrMake: async (path) => {
          await passes();
          if (!names.has(path)) {
            names.set(path, { bytes: Buffer.alloc(0), durable: Buffer.alloc(0) });
            changed();
          }
          return fileOf(at(path), passes);
        },
        rename: async (from, to) => {
          await passes();
          const inode = at(from);
          names.delete(from);
          names.set(to, inode);
          changed();
        },
        remove: async (path) => {
          await passes();
          if (names.delete(path)) changed();
        },
        syncFolder: async () => {
          await passes();
          states = [new Map(names)];
        },
      };
    },
    crash: (random) => {
      life++;
      const state = states[Math.floor(random() * states.length)]!;
      names = new Map([...state].map(([name, inode]) => [name, torn(inode, random)]));
      states = [new Map(names)];
    },
  };
}

/** Returns the bytes cut or extended to `size`, as a copy, so that the given bytes stay unchanged. */
function resized(bytes: Buffer, size: number): Buffer {
  const copy = Buffer.alloc(size);
  bytes.copy(copy);
  return copy;
}

/** Returns one of the contents that the file may have after the loss of power. */
function torn({ bytes, durable }: Inode, random: () => number): Inode {
  const found = resized(durable, random() < 0.5 ? bytes.length : durable.length);
  if (bytes !== durable) {
    for (let at = 0; at < found.length; at += sectorBytes) {
      if (random() < 0.5) found.set(bytes.subarray(at, Math.min(at + sectorBytes, found.length)), at);
    }
  }
  return { bytes: found, durable: found };
}
