// Typed arrays that grow while a reference table is read. The arrays lie in resizable buffers: growing such a buffer
// mostly copies nothing, and released memory returns to the operating system at once. With ordinary buffers, half of
// the memory was lost in gaps of the allocator.

type Growing = Uint8Array | Uint32Array | Float64Array | BigInt64Array;

/** Members of ArrayBuffer that TypeScript's library does not declare yet. */
interface ResizableBuffer extends ArrayBuffer {
  readonly resizable: boolean;
  readonly maxByteLength: number;
  resize(bytes: number): void;
}
type ResizableConstructor = new (bytes: number, options: { readonly maxByteLength: number }) => ResizableBuffer;

const step = 64 * 1024;
/**
 * Limits for the address space that a buffer reserves for its growth: at most `reserve` times the needed size, and at
 * most `mostReserved` bytes, which every JavaScript engine allows.
 */
const reserve = 16;
const mostReserved = 2 ** 32;

/**
 * Returns the array with room for `needed` elements: the same array when its buffer could grow, else a longer copy of
 * it.
 */
export function withRoom<A extends Growing>(array: A, needed: number): A {
  if (needed <= array.length) return array;
  const wanted = Math.max(needed, Math.ceil(array.length * 1.25)) * array.BYTES_PER_ELEMENT;
  const bytes = Math.ceil(wanted / step) * step;
  const held = array.buffer as ResizableBuffer;
  if (held.resizable && bytes <= held.maxByteLength) {
    held.resize(bytes);
    return array;
  }
  const longer = new (array.constructor as new (buffer: ArrayBuffer) => A)(
    resizable(bytes, Math.max(bytes, Math.min(bytes * reserve, mostReserved))),
  );
  longer.set(array as never);
  freeArray(array);
  return longer;
}

/** Returns a growable array of `length` zeros. */
export function zeros(length: number): Uint32Array {
  const bytes = length * Uint32Array.BYTES_PER_ELEMENT;
  return bytes < step ? new Uint32Array(length) : new Uint32Array(resizable(bytes, bytes), 0, length);
}

/** Frees the memory of an unused array at once, without waiting for the garbage collector. */
export function freeArray(array: Growing): void {
  const buffer = array.buffer as ResizableBuffer;
  if (buffer.resizable) buffer.resize(0);
}

function resizable(bytes: number, maxByteLength: number): ArrayBuffer {
  return new (ArrayBuffer as unknown as ResizableConstructor)(bytes, { maxByteLength });
}

/** Number of bytes that are moved at once from one buffer to another. */
const block = 8 * 1024 * 1024;

/**
 * Moves the array to a buffer of its exact length. Starts at the end of the array and frees each moved part at once, so
 * that the array never takes twice its memory.
 */
export function moveToExact<A extends Growing | Int32Array>(array: A, allocate: (bytes: number) => ArrayBufferLike): A {
  const Typed = array.constructor as new (buffer: ArrayBufferLike) => A;
  const { byteLength, byteOffset } = array;
  const from = array.buffer as ResizableBuffer;
  const to = allocate(byteLength);
  for (let end = byteLength; end > 0; ) {
    const start = Math.max(0, end - block);
    new Uint8Array(to, start).set(new Uint8Array(from, byteOffset + start, end - start));
    if (from.resizable) from.resize(byteOffset + start);
    end = start;
  }
  return new Typed(to);
}
