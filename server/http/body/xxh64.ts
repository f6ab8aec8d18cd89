// The hash XXH64 with the seed 0. Zstandard uses its lower 32 bits as the checksum of a frame (RFC 8878, section
// 3.1.1). Almost all bytes are hashed with 32-bit numbers, which take a tenth of the time that BigInt takes. BigInt
// hashes only the last bytes.

const prime1 = 0x9e3779b185ebca87n;
const prime2 = 0xc2b2ae3d27d4eb4fn;
const prime3 = 0x165667b19e3779f9n;
const prime4 = 0x85ebca77c2b2ae63n;
const prime5 = 0x27d4eb2f165667c5n;
const [low1, high1] = halvesOf(prime1);
const [low2, high2] = halvesOf(prime2);

/** Number of bytes that are hashed together, eight in each of the four accumulators. */
const stripeBytes = 32;

/** Hashes the bytes of `data` from the offset `start` on. The bytes may be written while the hash is under way. */
export class Xxh64 {
  private readonly view: DataView;
  private readonly start: number;
  private at: number;
  /** The four accumulators. Each one has two members: the lower and the upper 32 bits. */
  private readonly state = Int32Array.from([prime1 + prime2, prime2, 0n, -prime1].flatMap(halvesOf));

  constructor(data: Uint8Array, start: number) {
    this.view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    this.start = start;
    this.at = start;
  }

  /** Hashes the bytes before `end`, except the last ones that do not fill a stripe. */
  readUntil(end: number): void {
    const { view, state } = this;
    let { at } = this;
    for (; at + stripeBytes <= end; at += stripeBytes) {
      for (let half = 0; half < 8; half += 2) {
        const low = view.getInt32(at + 4 * half, true);
        const high = view.getInt32(at + 4 * half + 4, true);
        // The accumulator becomes ((accumulator + input * prime2) rotated left by 31 bits) * prime1.
        const addedLow = Math.imul(low, low2);
        const addedHigh = upperOf(low, low2) + Math.imul(high, low2) + Math.imul(low, high2);
        const sumLow = (state[half]! + addedLow) | 0;
        const carry = sumLow >>> 0 < addedLow >>> 0 ? 1 : 0;
        const sumHigh = (state[half + 1]! + addedHigh + carry) | 0;
        const turnedLow = (sumLow << 31) | (sumHigh >>> 1);
        const turnedHigh = (sumHigh << 31) | (sumLow >>> 1);
        state[half] = Math.imul(turnedLow, low1);
        state[half + 1] = upperOf(turnedLow, low1) + Math.imul(turnedHigh, low1) + Math.imul(turnedLow, high1);
      }
    }
    this.at = at;
  }

  /** Returns the lower 32 bits of the hash of all bytes before `end`. */
  digest(end: number): number {
    this.readUntil(end);
    const { view, start } = this;
    let { at } = this;
    let hash = at === start ? prime5 : this.joined();
    hash = uint64(hash + BigInt(end - start));
    for (; at + 8 <= end; at += 8)
      hash = uint64(rotated(hash ^ round(view.getBigUint64(at, true)), 27n) * prime1 + prime4);
    if (at + 4 <= end) {
      hash = uint64(rotated(hash ^ uint64(BigInt(view.getUint32(at, true)) * prime1), 23n) * prime2 + prime3);
      at += 4;
    }
    for (; at < end; at++) hash = uint64(rotated(hash ^ uint64(BigInt(view.getUint8(at)) * prime5), 11n) * prime1);
    hash = uint64((hash ^ (hash >> 33n)) * prime2);
    hash = uint64((hash ^ (hash >> 29n)) * prime3);
    return Number(BigInt.asUintN(32, hash ^ (hash >> 32n)));
  }

  /** Returns the four accumulators joined into one number. */
  private joined(): bigint {
    const halves = [...this.state].map((half) => BigInt(half >>> 0));
    const accumulators = [0, 2, 4, 6].map((low) => halves[low]! | (halves[low + 1]! << 32n));
    let hash = uint64([1n, 7n, 12n, 18n].reduce((sum, bits, index) => sum + rotated(accumulators[index]!, bits), 0n));
    for (const each of accumulators) hash = uint64((hash ^ round(each)) * prime1 + prime4);
    return hash;
  }
}

/** Returns the upper 32 bits of the product of two unsigned 32-bit numbers. */
function upperOf(left: number, right: number): number {
  const [leftLow, leftHigh, rightLow, rightHigh] = [left & 0xffff, left >>> 16, right & 0xffff, right >>> 16];
  const middle = (Math.imul(leftHigh, rightLow) >>> 0) + (Math.imul(leftLow, rightLow) >>> 16);
  const other = (Math.imul(leftLow, rightHigh) >>> 0) + (middle & 0xffff);
  return (Math.imul(leftHigh, rightHigh) + (middle >>> 16) + (other >>> 16)) | 0;
}

function halvesOf(value: bigint): [low: number, high: number] {
  return [Number(BigInt.asIntN(32, value)), Number(BigInt.asIntN(32, value >> 32n))];
}

function uint64(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}

function rotated(value: bigint, bits: bigint): bigint {
  return uint64(value << bits) | (value >> (64n - bits));
}

/** Returns an accumulator of 0 after it has taken the input. */
function round(input: bigint): bigint {
  return uint64(rotated(uint64(input * prime2), 31n) * prime1);
}
