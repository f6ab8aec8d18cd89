// Typed arrays that grow while a table is read. They lie in resizable buffers: growing them copies nothing most of the
// time, and what they leave goes back to the system at once (with plain buffers half of the memory stayed with the
// allocator as holes).

type Growing = Uint8Array | Uint32Array | Float64Array | BigInt64Array;

/** What the compiler's library does not know of ArrayBuffer yet. */
interface ResizableBuffer extends ArrayBuffer {
  readonly resizable: boolean;
  readonly maxByteLength: number;
  resize(bytes: number): void;
}
type ResizableConstructor = new (bytes: number, options: { readonly maxByteLength: number }) => ResizableBuffer;

const step = 64 * 1024;
/** Address space that is reserved, as a multiple of what is needed, up to what every engine allows. */
const reserve = 16;
const mostReserved = 2 ** 32;

/** The array with room for so many elements: the same one where its buffer could grow, else a longer copy. */
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
  givenBack(array);
  return longer;
}

/** So many zeros. */
export function zeros(length: number): Uint32Array {
  const bytes = length * Uint32Array.BYTES_PER_ELEMENT;
  return bytes < step ? new Uint32Array(length) : new Uint32Array(resizable(bytes, bytes), 0, length);
}

/** The memory of an array that nobody needs any more, before the collector sees that. */
export function givenBack(array: Growing): void {
  const buffer = array.buffer as ResizableBuffer;
  if (buffer.resizable) buffer.resize(0);
}

function resizable(bytes: number, maxByteLength: number): ArrayBuffer {
  return new (ArrayBuffer as unknown as ResizableConstructor)(bytes, { maxByteLength });
}

/** Bytes that are moved at once. */
const block = 8 * 1024 * 1024;

/** The array in a buffer of its exact length. From the end on, what has been moved is given back, so that there is never twice of it. */
export function moved<A extends Growing | Int32Array>(array: A, allocate: (bytes: number) => ArrayBufferLike): A {
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
