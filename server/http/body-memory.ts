// Memory for bodies whose length is known. That of a body which was handed to another thread comes back when the thread is
// done with it, and serves the next one: new memory for each would be cleared first, and collected as garbage afterwards.

/** Kept for the next bodies, in bytes of all together. */
const mostSpareBytes = 16 * 1024 * 1024;
/** Smaller bodies get memory of their own size. */
const leastBytes = 32 * 1024;
const granule = 64 * 1024;

const spares: ArrayBuffer[] = [];
let spareBytes = 0;
/** Memory that one body has to itself, though it may be longer. */
const alone = new WeakSet<ArrayBufferLike>();

/** What stands in it is to be overwritten. */
export function takeMemory(length: number): Uint8Array {
  if (length < leastBytes) return new Uint8Array(length);
  const wanted = Math.ceil(length / granule) * granule;
  // V8 looks whether memory outside its heap should be collected when JavaScript makes some. Node's own, the chunks of bodies,
  // makes it look only much later, and then it collects everything.
  if (spares.length > 0) new ArrayBuffer(1);
  const at = spares.findIndex(({ byteLength }) => byteLength >= wanted && byteLength <= 2 * wanted);
  const memory = at < 0 ? new ArrayBuffer(wanted) : spares.splice(at, 1)[0];
  if (at >= 0) spareBytes -= memory.byteLength;
  alone.add(memory);
  return new Uint8Array(memory, 0, length);
}

/** In memory of their own, which is not cleared first. */
export function copyOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}

/** Nobody else uses it any more. */
export function giveSpare(memory: ArrayBuffer): void {
  if (memory.byteLength < leastBytes || memory.byteLength % granule !== 0) return;
  if (spareBytes + memory.byteLength > mostSpareBytes) return;
  spares.push(memory);
  spareBytes += memory.byteLength;
}

/** Whether the bytes came from `takeMemory` and share it with nothing. */
export function isAlone(bytes: Uint8Array): boolean {
  return alone.has(bytes.buffer);
}
