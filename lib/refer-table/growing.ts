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
/** Address space that is reserved, as a multiple of what is needed. */
const reserve = 16;

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
  const buffer = new (ArrayBuffer as unknown as ResizableConstructor)(bytes, { maxByteLength: bytes * reserve });
  const longer = new (array.constructor as new (buffer: ArrayBuffer) => A)(buffer);
  longer.set(array as never);
  return longer;
}
