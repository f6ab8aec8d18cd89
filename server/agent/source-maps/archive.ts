// Reads the entries of a zip of source maps into memory, one by one. Does not unpack the zip, so no entry can be
// written to disk. The size of an entry is checked before and during decompression.

import { type Entry, openPromise, type ZipFile } from "yauzl";
import { MapTooLarge } from "./source-map.ts";

export interface Archive {
  has(name: string): boolean;
  names(): Iterable<string>;
  /**
   * Reads an entry of the archive. Throws MapTooLarge when the entry has more than `mostBytes`, and another error when
   * it is damaged.
   */
  read(name: string, mostBytes: number): Promise<Uint8Array>;
  close(): void;
}

export const maxEntries = 20_000;
/**
 * Largest total size in bytes of the entries that `isWanted` selects in an archive. The sizes that the archive
 * declares are added up.
 */
export const maxTotalBytes = 512 * 1024 * 1024;

/**
 * Opens an archive. Throws when the file is not a zip, the name of an entry points outside of the archive, or a limit
 * is exceeded.
 */
export async function openArchive(file: string, isWanted: (name: string) => boolean): Promise<Archive> {
  // The zip package throws for absolute names, `..`, drive letters, and entries whose size differs from the declared
  // one.
  const zip = await openPromise(file, { autoClose: false, lazyEntries: true, validateEntrySizes: true });
  try {
    if (zip.entryCount > maxEntries) throw new Error(`more than ${maxEntries} entries`);
    const entries = new Map<string, Entry>();
    let total = 0;
    for await (const entry of zip.eachEntry()) {
      const name = entry.fileName.replace(/^(?:\.\/)+/, "");
      if (name.endsWith("/") || !isWanted(name)) continue;
      total += entry.uncompressedSize;
      if (total > maxTotalBytes) throw new Error(`its entries are larger than ${maxTotalBytes} bytes together`);
      entries.set(name, entry);
    }
    return {
      has: (name) => entries.has(name),
      names: () => entries.keys(),
      read: async (name, mostBytes) => {
        const entry = entries.get(name)!;
        if (entry.uncompressedSize > mostBytes) throw new MapTooLarge(`more than ${mostBytes} bytes`);
        return await readEntry(zip, entry);
      },
      close: () => zip.close(),
    };
  } catch (error) {
    zip.close();
    throw error;
  }
}

async function readEntry(zip: ZipFile, entry: Entry): Promise<Uint8Array> {
  // A buffer of the declared size is large enough, since the zip package throws when an entry has another size than it
  // declares.
  const bytes = Buffer.allocUnsafeSlow(entry.uncompressedSize);
  let size = 0;
  const stream = await zip.openReadStreamPromise(entry);
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    bytes.set(chunk, size);
    size += chunk.length;
  }
  return bytes;
}
