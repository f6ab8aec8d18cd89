// A zip of source maps, read entry by entry and never unpacked, so that no entry can be written anywhere. What an entry
// may be is bounded before and while it is inflated.

import { type Entry, openPromise, type ZipFile } from "yauzl";
import { MapTooLarge } from "./source-map.ts";

export interface Archive {
  has(name: string): boolean;
  names(): Iterable<string>;
  /** Throws MapTooLarge for an entry of more than `mostBytes`, another error for one that is damaged. */
  read(name: string, mostBytes: number): Promise<Uint8Array>;
  close(): void;
}

export const maxEntries = 20_000;
/** Of all wanted entries, as the archive declares them. */
export const maxTotalBytes = 512 * 1024 * 1024;

/** Throws when the file is no zip, an entry's name leaves the archive, or a bound is passed. */
export async function openArchive(file: string, isWanted: (name: string) => boolean): Promise<Archive> {
  // The reader refuses absolute names, `..` and drive letters, and sizes that differ from the declared ones.
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
  // The reader ends with an error where the entry has another size.
  const bytes = Buffer.allocUnsafeSlow(entry.uncompressedSize);
  let size = 0;
  const stream = await zip.openReadStreamPromise(entry);
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    bytes.set(chunk, size);
    size += chunk.length;
  }
  return bytes;
}
