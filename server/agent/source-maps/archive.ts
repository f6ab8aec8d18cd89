// A zip of source maps, read entry by entry and never unpacked, so that no entry can be written anywhere. What an entry
// may be is bounded before and while it is inflated.

import { type Entry, openPromise, type ZipFile } from "yauzl";

export interface Archive {
  has(name: string): boolean;
  /** Throws when the entry is too large or damaged. */
  read(name: string): Promise<Uint8Array>;
  close(): void;
}

export const maxEntries = 20_000;
/** Of one entry, inflated: more than that is no text that JavaScript can hold. */
export const maxEntryBytes = 256 * 1024 * 1024;
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
      if (entry.uncompressedSize > maxEntryBytes) throw new Error(`${name} is larger than ${maxEntryBytes} bytes`);
      total += entry.uncompressedSize;
      if (total > maxTotalBytes) throw new Error(`its entries are larger than ${maxTotalBytes} bytes together`);
      entries.set(name, entry);
    }
    return {
      has: (name) => entries.has(name),
      read: (name) => readEntry(zip, entries.get(name)!),
      close: () => zip.close(),
    };
  } catch (error) {
    zip.close();
    throw error;
  }
}

async function readEntry(zip: ZipFile, entry: Entry): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  const stream = await zip.openReadStreamPromise(entry);
  for await (const chunk of stream as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
