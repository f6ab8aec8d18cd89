// Makes bodies compressed with zstd, because Node 20 cannot compress with zstd. In a run-length block, four bytes stand
// for 128 KiB of the same byte.

const blockBytes = 128 * 1024;
/** The header of a zstd frame with a window of 128 KiB and without the length of its content. */
const frameHeader = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38]);

function blockHeader(size: number, type: "raw" | "run", isLast: boolean): Buffer {
  const header = (size << 3) | (type === "run" ? 2 : 0) | (isLast ? 1 : 0);
  return Buffer.from([header & 255, (header >> 8) & 255, header >> 16]);
}

/**
 * Returns run-length blocks that decompress to `size` copies of `byte`. The last block is marked as the end of
 * the zstd frame.
 */
function runs(size: number, byte: number): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0; at < size; at += blockBytes) {
    const length = Math.min(blockBytes, size - at);
    parts.push(blockHeader(length, "run", at + length === size), Buffer.from([byte]));
  }
  return parts;
}

/** Returns a zstd frame of zeros, or of another byte, in run-length blocks. */
export function zstdZeros(size: number, byte = 0): Buffer {
  return Buffer.concat([frameHeader, ...runs(size, byte)]);
}

/** Returns a text as a zstd frame. Equal characters at the end of the text become run-length blocks. */
export function zstdPadded(text: string): Buffer {
  const last = text.at(-1)!;
  let end = text.length - 1;
  while (end > 0 && text[end - 1] === last) end--;
  const head = Buffer.from(text.slice(0, end));
  return Buffer.concat([
    ...[frameHeader, blockHeader(head.length, "raw", false), head],
    ...runs(text.length - end, last.charCodeAt(0)),
  ]);
}
