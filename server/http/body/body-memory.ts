// Memory for large bodies, those that come and those that are sent on. When nobody needs a body any more its memory serves the next
// one: new memory for each would be cleared first, and collected as garbage afterwards.
//
// Whoever takes memory owns it until it is given back or handed on with what stands in it; memory that nobody gives back is
// collected like any other.

/** Kept for the next bodies, in bytes of all together. */
const mostSpareBytes = 16 * 1024 * 1024;
/** Smaller bodies get memory of their own size. */
const leastBytes = 32 * 1024;
const granule = 64 * 1024;

const spares: ArrayBuffer[] = [];
let spareBytes = 0;
/** Memory that one body has to itself, though it may be longer; spares are not among them. */
const alone = new WeakSet<ArrayBufferLike>();

/** Returns the bytes of memory that a body of this length gets: memory of other lengths is not kept for the next bodies. */
export function memoryLength(length: number): number {
  return length < leastBytes ? length : Math.ceil(length / granule) * granule;
}

/** What stands in it is to be overwritten. */
export function takeMemory(length: number): Uint8Array {
  if (length < leastBytes) return new Uint8Array(length);
  const wanted = memoryLength(length);
  // V8 looks whether memory outside its heap should be collected when JavaScript makes some. Node's own, the chunks of bodies,
  // makes it look only much later, and then it collects everything.
  if (spares.length > 0) new ArrayBuffer(1);
  const at = fittest(wanted);
  const memory = at < 0 ? new ArrayBuffer(wanted) : spares.splice(at, 1)[0];
  if (at >= 0) spareBytes -= memory.byteLength;
  alone.add(memory);
  return new Uint8Array(memory, 0, length);
}

/** The least spare that is no more than twice as long; of those of one length the last to come, which may still be in the processor's cache. */
function fittest(wanted: number): number {
  let found = -1;
  for (const [at, { byteLength }] of spares.entries()) {
    if (byteLength < wanted || byteLength > 2 * wanted) continue;
    if (found < 0 || byteLength <= spares[found].byteLength) found = at;
  }
  return found;
}

/** In memory of their own, which is not cleared first. */
export function copyOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}

/** The memory of a body that nobody uses any more, if it had that to itself; afterwards `bytes` may change at any moment. */
export function giveBack({ buffer }: Uint8Array): void {
  if (buffer.byteLength > mostSpareBytes) {
    freeBody({ buffer });
    return;
  }
  if (!alone.delete(buffer)) return;
  const memory = buffer as ArrayBuffer;
  if (memory.byteLength < leastBytes || memory.byteLength % granule !== 0) return;
  if (spareBytes + memory.byteLength > mostSpareBytes) return;
  spares.push(memory);
  spareBytes += memory.byteLength;
}

/** A message to a closed port takes its memory along, and nobody receives it. */
const nowhere = new MessageChannel().port1;
nowhere.close();

/** Frees memory at once that nobody reads any more: V8 lets 64 MiB of it and more wait to be collected. */
export function free(memory: ArrayBuffer): void {
  nowhere.postMessage(null, [memory]);
}

/** Frees the memory of a body that nobody uses any more, if it had that to itself, and keeps it for no other. */
export function freeBody({ buffer }: Pick<Uint8Array, "buffer">): void {
  if (alone.delete(buffer)) free(buffer as ArrayBuffer);
}

/** Whether the bytes share their memory with nothing. */
export function isAlone({ buffer }: Uint8Array): boolean {
  return alone.has(buffer);
}

/** Of memory that came from another thread or a stream, which has none of it left. */
export function setAlone({ buffer }: Uint8Array): void {
  alone.add(buffer);
}

/** Its memory is never used again: somebody unknown may still read it. */
export function leave({ buffer }: Uint8Array): void {
  alone.delete(buffer);
}
