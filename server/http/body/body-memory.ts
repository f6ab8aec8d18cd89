// Reuses the memory of large bodies, both received and sent. Memory of a body that is no longer needed serves the next
// body, since new memory would have to be cleared first and collected as garbage afterwards.
//
// The caller that takes memory owns it until the caller gives the memory back, or passes the memory on with its
// contents. Memory that is never given back is garbage-collected as usual.

/** Largest amount of memory that is kept for later bodies, in bytes. */
const mostSpareBytes = 16 * 1024 * 1024;
/**
 * Length in bytes of a body from which its memory is kept for later bodies. A shorter body gets memory of its exact
 * length.
 */
const leastBytes = 32 * 1024;
const granule = 64 * 1024;

const spares: ArrayBuffer[] = [];
let spareBytes = 0;
/**
 * Memory that only one body uses. The memory may be longer than the body. Memory kept for later bodies is not in this
 * set.
 */
const alone = new WeakSet<ArrayBufferLike>();

/**
 * Returns the length of the memory for a body of `length` bytes. Only memory of such lengths can be kept for later
 * bodies.
 */
export function memoryLength(length: number): number {
  return length < leastBytes ? length : Math.ceil(length / granule) * granule;
}

/** Returns memory for a body. The memory may hold old bytes, so the caller must overwrite them. */
export function takeMemory(length: number): Uint8Array {
  if (length < leastBytes) return new Uint8Array(length);
  const wanted = memoryLength(length);
  // Makes V8 check whether to collect memory outside its heap. V8 does so only when JavaScript allocates such memory,
  // so one byte is allocated here. Otherwise the chunks of received bodies, which Node itself allocates, would trigger
  // the check much later, as a full collection.
  if (spares.length > 0) new ArrayBuffer(1);
  const at = fittest(wanted);
  const memory = at < 0 ? new ArrayBuffer(wanted) : spares.splice(at, 1)[0];
  if (at >= 0) spareBytes -= memory.byteLength;
  alone.add(memory);
  return new Uint8Array(memory, 0, length);
}

/**
 * Returns the index of the smallest kept memory whose length is `wanted` to twice `wanted` bytes; -1 when there is
 * none. When several have the same length, takes the one given back last, which may still be in the processor's cache.
 */
function fittest(wanted: number): number {
  let found = -1;
  for (const [at, { byteLength }] of spares.entries()) {
    if (byteLength < wanted || byteLength > 2 * wanted) continue;
    if (found < 0 || byteLength <= spares[found].byteLength) found = at;
  }
  return found;
}

/** Returns a copy of the bytes in memory that nothing else uses. The memory is not cleared before the copy. */
export function copyOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}

/**
 * Keeps the memory of a body for later bodies, if no other body uses this memory. The caller must no longer use the
 * body, because its bytes may change at any moment.
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

/**
 * A closed port, through which memory is freed: a message to the port takes the memory along, and nobody receives it.
 */
const nowhere = new MessageChannel().port1;
nowhere.close();

/**
 * Frees memory at once; no code may read it any more. Without this call, V8 lets 64 MiB and more wait for collection.
 */
export function free(memory: ArrayBuffer): void {
  nowhere.postMessage(null, [memory]);
}

/**
 * Frees the memory of a body that is no longer used, if only this body uses the memory. Does not keep it for later
 * bodies.
 */
export function freeBody({ buffer }: Pick<Uint8Array, "buffer">): void {
  if (alone.delete(buffer)) free(buffer as ArrayBuffer);
}

/** Returns whether only this body uses its memory. */
export function isAlone({ buffer }: Uint8Array): boolean {
  return alone.has(buffer);
}

/**
 * Marks memory as used by one body alone. The caller must have got it from another thread or a stream that has given
 * the memory up.
 */
export function setAlone({ buffer }: Uint8Array): void {
  alone.add(buffer);
}

/**
 * Removes the mark that one body alone uses the memory. The memory is then never used for a later body, because unknown
 * code may still read it.
 */
export function leave({ buffer }: Uint8Array): void {
  alone.delete(buffer);
}
