// Records which bodies are alone in their memory, so that nothing else uses it. Such memory can be transferred
// to another thread without a copy, and it can be freed without waiting for the garbage collector.

/** The memory that `setOwnMemory` has marked. Only one body uses each piece of this memory, and nothing else. */
const ownMemory = new WeakSet<ArrayBufferLike>();

/** Records that the memory of this body is used by nothing but this body. The memory may be longer than the body. */
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

/** Frees the memory of a body that is no longer used, if `setOwnMemory` has marked the memory. */
export function freeOwn({ buffer }: Uint8Array): void {
  if (ownMemory.delete(buffer)) free(buffer);
}

/**
 * Frees the memory of bytes that are no longer used, if they fill the memory completely. The caller must know that
 * nothing else refers to these bytes.
 */
export function freeWhole({ buffer, byteLength }: Uint8Array): void {
  if (byteLength === buffer.byteLength) free(buffer);
}

/** The smallest size in bytes of memory that is freed at once. Smaller pieces are left to the garbage collector. */
const largeBytes = 32 * 1024;

/**
 * A closed message port that is used to free memory: memory that is sent to the port is transferred away from
 * this thread, and nobody receives it.
 */
const nowhere = new MessageChannel().port1;
nowhere.close();

/**
 * Frees a large piece of memory at once; no code may use it afterwards. Without this call, 64 MiB and more of unused
 * memory can wait for V8's garbage collector.
 */
export function free(memory: ArrayBufferLike): void {
  if (memory.byteLength >= largeBytes) nowhere.postMessage(null, [memory as ArrayBuffer]);
}
