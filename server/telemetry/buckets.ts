// Counts values in buckets (ranges of values). The upper border of a bucket is at most 1.6 % above its lower
// border, so the middle of the bucket is at most 1 % away from any value in it. The number of a bucket consists
// of the exponent and the first six binary digits of the fraction of its values, so shifting the bits of a value
// yields the number of its bucket. The agent counts seven values for every write (request that brings points).
// Computing a logarithm for each value, as DDSketch does (https://arxiv.org/abs/1908.10693), would take several
// times as much time.

const number = new Float64Array(1);
const words = new Uint32Array(number.buffer);
/**
 * Index in `words` of the upper half of the 64-bit floating point number `number`. This half holds the sign, the
 * exponent and the first digits of the fraction.
 */
const upper = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 1 : 0;
/**
 * Number of low bits that are cut off from the upper 32 bits of a value. The remaining bits are the number of
 * the value's bucket.
 */
const ignoredBits = 14;

/** Upper border of the lowest bucket. Smaller values count as zero. */
const smallest = 1e-9;
const zeroBucket = 0;

/** Returns the number of the bucket of a value. Larger values have larger numbers. */
function bucketOf(value: number): number {
  // The condition is written with `!`, so that it is also true for NaN: no comparison with NaN is true.
  if (!(value > smallest)) return zeroBucket;
  number[0] = value;
  return words[upper]! >>> ignoredBits;
}

/** Returns the value in the middle between the borders of a bucket. */
export function middleOf(bucket: number): number {
  if (bucket === zeroBucket) return 0;
  words[1 - upper] = 0;
  words[upper] = (bucket << ignoredBits) | (1 << (ignoredBits - 1));
  return number[0]!;
}

/** Number of entries for which a new hash table has room. The number must be a power of two. */
const firstPlaces = 32;

/** A hash table with open addressing that holds, for each bucket, the number of values counted in it. */
export class BucketCounts {
  /** For each entry of the hash table, the number of its bucket plus one; 0 for an empty entry. */
  private buckets = new Int32Array(firstPlaces);
  private counts = new Float64Array(firstPlaces);
  private used = 0;

  /** Number of bytes of memory that the table of counts takes. */
  get byteLength(): number {
    return this.buckets.byteLength + this.counts.byteLength;
  }

  /** Counts the value `count` times. */
  addValue(value: number, count = 1): void {
    this.add(bucketOf(value), count);
  }

  add(bucket: number, count: number): void {
    // The table grows when more than three quarters of its entries are in use, so that every search soon ends at an
    // empty entry.
    if (4 * this.used > 3 * this.buckets.length) this.enlarge();
    const mask = this.buckets.length - 1;
    let place = bucket & mask;
    while (this.buckets[place] !== bucket + 1) {
      if (this.buckets[place] === 0) {
        this.buckets[place] = bucket + 1;
        this.used++;
        break;
      }
      place = (place + 1) & mask;
    }
    this.counts[place]! += count;
  }

  /** Returns pairs of the number of a bucket and its count, in no particular order. */
  entries(): readonly (readonly [bucket: number, count: number])[] {
    return Array.from(this.buckets, (there, place) => [there - 1, this.counts[place]!] as const).filter(
      ([, count]) => count > 0,
    );
  }

  private enlarge(): void {
    const entries = this.entries();
    const places = 2 * this.buckets.length;
    this.buckets = new Int32Array(places);
    this.counts = new Float64Array(places);
    this.used = 0;
    for (const [bucket, count] of entries) this.add(bucket, count);
  }
}
