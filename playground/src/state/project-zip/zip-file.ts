// Writes zip files, and reads zip files of unknown origin. Reading has limits: a zip whose content is larger than its
// directory says, or than the limits allow, causes an error before this content is in memory. Reads entries as common
// programs write them: stored or deflated, without encryption and without ZIP64.

import { Inflate, zipSync } from "fflate";
import { t } from "../../text/translate.ts";

/**
 * Limits of a zip, for reading and for writing. A zip that would exceed them is not written, because it could not be
 * read again.
 */
export const zipLimits = {
  zipBytes: 64 * 1024 * 1024,
  entries: 2000,
  nameBytes: 400,
  /** Largest size of an entry after decompression, in bytes. */
  entryBytes: 32 * 1024 * 1024,
  /** Largest size of all entries together after decompression, in bytes. */
  allBytes: 64 * 1024 * 1024,
} as const;

/** Thrown when the whole zip cannot be read or written. The message is a sentence for the user. */
export class ZipError extends Error {}

export interface ReadZip {
  /** The content of each entry by its name, in the order of the zip. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** The reasons why entries were left out: for each entry a text such as `scripts/a.p: its check sum is wrong`. */
  readonly leftOut: readonly string[];
}

/**
 * Returns a zip with the given files. Each file in the zip has the time `time`. Throws ZipError when a limit is
 * exceeded.
 */
export function writeZip(files: ReadonlyMap<string, Uint8Array>, time: Date): Uint8Array<ArrayBuffer> {
  let all = 0;
  if (files.size > zipLimits.entries)
    throw new ZipError(
      t("The zip would have {n} files, and at most {most} are allowed.", { n: files.size, most: zipLimits.entries }),
    );
  for (const [name, { length }] of files) {
    all += length;
    if (length > zipLimits.entryBytes)
      throw new ZipError(t("{name} is too large for a zip: {size}.", { name, size: sized(length) }));
    if (all > zipLimits.allBytes)
      throw new ZipError(t("The project is too large for a zip: more than {size}.", { size: sized(all) }));
  }
  return zipSync(Object.fromEntries(files), { level: 6, mtime: time });
}

/** An entry as the directory at the end of a zip lists it. */
interface Entry {
  readonly name: string;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly packedBytes: number;
  readonly bytes: number;
  /** Offset in the zip of the entry's local header, which stands before the content of the entry. */
  readonly at: number;
}

/**
 * Reads a zip. Leaves out entries that cannot be read. Throws ZipError when the bytes are no zip, when the directory is
 * damaged, when the zip has too many entries, and when its content has too many bytes after decompression.
 */
export function readZip(zip: Uint8Array): ReadZip {
  if (zip.length > zipLimits.zipBytes)
    throw new ZipError(
      t("The zip has {size}, and at most {most} are read.", {
        size: sized(zip.length),
        most: sized(zipLimits.zipBytes),
      }),
    );
  const files = new Map<string, Uint8Array>();
  const leftOut: string[] = [];
  let left: number = zipLimits.allBytes;
  for (const entry of entriesOf(zip)) {
    if (isIgnored(entry.name)) continue;
    const reason = files.has(entry.name) ? t("a second entry of this name") : refusal(entry);
    if (reason !== null) {
      leftOut.push(`${shown(entry.name)}: ${reason}`);
      continue;
    }
    // A small zip can list many entries that have much content after decompression. So there is also a limit for all
    // entries together.
    if (entry.bytes > left)
      throw new ZipError(
        t("The zip unfolds to more than {size}, at {name}.", {
          size: sized(zipLimits.allBytes),
          name: shown(entry.name),
        }),
      );
    const content = contentOf(zip, entry);
    if (typeof content === "string") leftOut.push(`${shown(entry.name)}: ${content}`);
    else {
      left -= content.length;
      files.set(entry.name, content);
    }
  }
  return { files, leftOut };
}

/**
 * Returns whether an entry is skipped without a message: the entry of a folder, or an entry that macOS adds.
 * Such entries contain no part of a project.
 */
function isIgnored(name: string): boolean {
  return name.endsWith("/") || /^__MACOSX\/|(?:^|\/)\.DS_Store$/.test(name);
}

function refusal({ name, flags, method, bytes }: Entry): string | null {
  if (!isSafeName(name)) return t("its name leaves the folder, or has characters that names of files may not have");
  if ((flags & encrypted) !== 0) return t("it is encrypted");
  if (method !== stored && method !== deflated)
    return t("it is compressed by method {method}, which is not read", { method });
  if (bytes > zipLimits.entryBytes)
    return t("it has {size}, and at most {most} are read", { size: sized(bytes), most: sized(zipLimits.entryBytes) });
  return null;
}

function isSafeName(name: string): boolean {
  if (name === "" || /[\u0000-\u001f\u007f\\:\ufffd]/.test(name)) return false;
  return name.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

const directoryEnd = 0x06054b50;
const directoryEntry = 0x02014b50;
const localHeader = 0x04034b50;
const encrypted = 1;
const stored = 0;
const deflated = 8;

function entriesOf(zip: Uint8Array): Entry[] {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength);
  const end = findEnd(view);
  const count = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  if (count === 0xffff || at === 0xffffffff) throw new ZipError(t("The zip has the form ZIP64, which is not read."));
  if (count > zipLimits.entries)
    throw new ZipError(
      t("The zip has {n} entries, and at most {most} are read.", { n: count, most: zipLimits.entries }),
    );
  const entries: Entry[] = [];
  for (let index = 0; index < count; index++) {
    if (at + 46 > end || view.getUint32(at, true) !== directoryEntry)
      throw new ZipError(
        t("The zip is damaged: its directory ends at entry {n} of {all}.", { n: index + 1, all: count }),
      );
    const nameBytes = view.getUint16(at + 28, true);
    const next = at + 46 + nameBytes + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    if (nameBytes > zipLimits.nameBytes || next > end)
      throw new ZipError(t("The zip has an entry, number {n}, whose name is too long or damaged.", { n: index + 1 }));
    entries.push({
      name: new TextDecoder().decode(zip.subarray(at + 46, at + 46 + nameBytes)),
      flags: view.getUint16(at + 8, true),
      method: view.getUint16(at + 10, true),
      crc: view.getUint32(at + 16, true),
      packedBytes: view.getUint32(at + 20, true),
      bytes: view.getUint32(at + 24, true),
      at: view.getUint32(at + 42, true),
    });
    at = next;
  }
  return entries;
}

/**
 * Returns the offset of the record that ends the zip's directory. Only a comment of up to 65,535 bytes may follow this
 * record.
 */
function findEnd(view: DataView): number {
  for (let at = view.byteLength - 22; at >= Math.max(0, view.byteLength - 22 - 0xffff); at--)
    if (view.getUint32(at, true) === directoryEnd) return at;
  throw new ZipError(t("The file is no zip, or its end is missing."));
}

/** Returns the content of an entry, or the reason why it cannot be read. */
function contentOf(zip: Uint8Array, { at, method, packedBytes, bytes, crc }: Entry): Uint8Array | string {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength);
  if (at + 30 > zip.length || view.getUint32(at, true) !== localHeader) return t("its header is damaged");
  const from = at + 30 + view.getUint16(at + 26, true) + view.getUint16(at + 28, true);
  if (from + packedBytes > zip.length) return t("its bytes are missing");
  const packed = zip.subarray(from, from + packedBytes);
  const content = method === stored ? packed : inflated(packed, bytes);
  if (content === null) return t("its compressed bytes are damaged");
  if (content.length !== bytes) return t("it unfolds to another size than the zip says");
  return crc32(content) === crc ? content : t("its check sum is wrong");
}

const sliceBytes = 16 * 1024;

/**
 * Decompresses an entry that has `bytes` bytes according to its header. When the entry has more bytes, stops soon and
 * returns a result that is longer than `bytes`, so that the caller notices. Returns null when the compressed bytes are
 * damaged.
 */
function inflated(packed: Uint8Array, bytes: number): Uint8Array | null {
  const parts: Uint8Array[] = [];
  let size = 0;
  const stream = new Inflate((part) => {
    parts.push(part);
    size += part.length;
  });
  try {
    // Decompressing a slice of the data yields at most about a thousand times the size of the slice. So small slices
    // limit the memory that the decompressed data takes.
    for (let at = 0; at < packed.length && size <= bytes; at += sliceBytes)
      stream.push(packed.subarray(at, at + sliceBytes), at + sliceBytes >= packed.length);
  } catch {
    return null;
  }
  const content = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    content.set(part, at);
    at += part.length;
  }
  return content;
}

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = (rest & 1) === 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  return rest;
});

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = crcTable[(crc ^ byte) & 0xff]! ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

/** Returns the name of an entry for a message: shortened, and without control characters. */
function shown(name: string): string {
  const text = name.replace(/\p{C}/gu, "?");
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

function sized(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
