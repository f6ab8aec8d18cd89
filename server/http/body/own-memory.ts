// Records which bodies have memory that nothing else uses. Such memory can be transferred to another thread without a
// copy, and freed without waiting for the garbage collector.

/** Memory that `setOwnMemory` has marked: nothing but one body uses it. */
const ownMemory = new WeakSet<ArrayBufferLike>();

/** Records that nothing but this body uses its memory. The memory may be longer than the body. */
export function setOwnMemory({ buffer }: Uint8Array): void {
  ownMemory.add(buffer);
}

/**
 * Returns whether nothing else uses the memory of the body, so that the memory can be transferred to another thread
 * without a copy. A copy of a large body would double the memory that the body takes.
 */
export function hasOwnMemory({ buffer, byteLength }: Uint8Array): boolean {
  return byteLength === buffer.byteLength || ownMemory.has(buffer);
}

/** Least length in bytes of memory that is freed at once. Less memory can wait for the garbage collector. */
const largeBytes = 32 * 1024;

/** Frees the memory of a large body that is no longer used, if `setOwnMemory` has marked the memory. */
export function freeOwn({ buffer }: Uint8Array): void {
  if (ownMemory.delete(buffer) && buffer.byteLength >= largeBytes) free(buffer as ArrayBuffer);
}

/**
 * Frees the memory of a large chunk of a body that was copied. Node copies each chunk of a body out of the buffer of its
 * connection. So nothing else uses the memory, if the chunk fills it.
 */
export function freeChunk({ buffer, byteLength }: Uint8Array): void {
  if (byteLength >= largeBytes && byteLength === buffer.byteLength) free(buffer as ArrayBuffer);
}

/**
 * A closed port that serves to free memory. A message to the port takes over the memory, and nobody receives the
 * message.
 */
const nowhere = new MessageChannel().port1;
nowhere.close();

/**
 * Frees memory at once; no code may read it any more. Without this call, V8 lets 64 MiB and more wait for collection.
 */
export function free(memory: ArrayBuffer): void {
  nowhere.postMessage(null, [memory]);
}
