// Memory for large bodies, both received and sent. When a body is no longer needed, its memory serves the next body:
// new memory would have to be cleared first and collected as garbage afterwards.
//
// The caller that takes memory owns it until it gives the memory back or passes it on with its contents. Memory that is
// never given back is garbage-collected as usual.

/** Most memory kept for the next bodies, in bytes. */
const mostSpareBytes = 16 * 1024 * 1024;
/** Length in bytes from which memory is kept; shorter bodies get memory of their exact length. */
const leastBytes = 32 * 1024;
const granule = 64 * 1024;

const spares: ArrayBuffer[] = [];
let spareBytes = 0;
/** Memory that is used by one body alone; the memory may be longer than the body. Spares are not in this set. */
const alone = new WeakSet<ArrayBufferLike>();

/**
 * Returns the length of the memory for a body of `length` bytes. Memory of other lengths is not kept for the next
 * bodies.
 */
export function memoryLength(length: number): number {
  return length < leastBytes ? length : Math.ceil(length / granule) * granule;
}

/** Returns memory for a body. Its contents are undefined: the caller must overwrite them. */
export function takeMemory(length: number): Uint8Array {
  if (length < leastBytes) return new Uint8Array(length);
  const wanted = memoryLength(length);
  // V8 checks whether to collect memory outside its heap when JavaScript allocates such memory. Allocations by Node
  // itself, the chunks of bodies, trigger this check much later, and then it is a full collection.
  if (spares.length > 0) new ArrayBuffer(1);
  const at = fittest(wanted);
  const memory = at < 0 ? new ArrayBuffer(wanted) : spares.splice(at, 1)[0];
  if (at >= 0) spareBytes -= memory.byteLength;
  alone.add(memory);
  return new Uint8Array(memory, 0, length);
}

/**
 * Returns the index of the smallest spare of `wanted` to twice `wanted` bytes; -1 when there is none. Among spares of
 * one length it takes the youngest, which may still be in the processor's cache.
 */
function fittest(wanted: number): number {
  let found = -1;
  for (const [at, { byteLength }] of spares.entries()) {
    if (byteLength < wanted || byteLength > 2 * wanted) continue;
    if (found < 0 || byteLength <= spares[found].byteLength) found = at;
  }
  return found;
}

/** Returns a copy in memory of its own, which is not cleared first. */
export function copyOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}

/**
 * Takes back the memory of a body that is no longer used, if the memory is used by this body alone. Afterwards `bytes`
 * may change at any moment.
 */
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

/** A closed port. A message to it takes its transferred memory along, and nobody receives it. */
const nowhere = new MessageChannel().port1;
nowhere.close();

/** Frees memory at once; nobody may read it any more. V8 lets 64 MiB and more wait for collection. */
export function free(memory: ArrayBuffer): void {
  nowhere.postMessage(null, [memory]);
}

/**
 * Frees the memory of a body that is no longer used, if the memory is used by this body alone. Does not keep it for
 * another body.
 */
export function freeBody({ buffer }: Pick<Uint8Array, "buffer">): void {
  if (alone.delete(buffer)) free(buffer as ArrayBuffer);
}

/** Returns whether the memory is used by this body alone. */
export function isAlone({ buffer }: Uint8Array): boolean {
  return alone.has(buffer);
}

/** Marks memory as used by one body alone. For memory that another thread or a stream passed on and no longer has. */
export function setAlone({ buffer }: Uint8Array): void {
  alone.add(buffer);
}

/** Unmarks the memory of a body, so that it is never used for another body: an unknown reader may still read it. */
export function leave({ buffer }: Uint8Array): void {
  alone.delete(buffer);
}
