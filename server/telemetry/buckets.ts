// Counts values in buckets whose borders lie at most 1.6 % apart, so a value that is read back is right to 1 %. The
// bucket of a positive number is the upper part of its binary form: the exponent and the first six digits of the
// fraction. Taking it costs a shift, where a logarithm (DDSketch, https://arxiv.org/abs/1908.10693) costs several times
// as much. The agent counts seven values for every write.

const number = new Float64Array(1);
const words = new Uint32Array(number.buffer);
/** Index of the 32-bit word that holds the sign, the exponent and the first digits of the fraction of `number`. */
const upper = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 1 : 0;
/** Number of low bits of the upper word that a bucket ignores. */
const ignoredBits = 14;

/** Upper border of the lowest bucket. Smaller values count as zero. */
const smallest = 1e-9;
const zeroBucket = 0;

/** Returns the number of the bucket of a value. Larger values have larger numbers. */
function bucketOf(value: number): number {
  // This comparison also sorts out NaN.
  if (!(value > smallest)) return zeroBucket;
  number[0] = value;
  return words[upper]! >>> ignoredBits;
}

/** Returns the value in the middle of a bucket. */
export function middleOf(bucket: number): number {
  if (bucket === zeroBucket) return 0;
  words[1 - upper] = 0;
  words[upper] = (bucket << ignoredBits) | (1 << (ignoredBits - 1));
  return number[0]!;
}

/** Number of places of a new table. It must be a power of two. */
const firstPlaces = 32;

/** How many values each bucket has got: a hash table with open addressing. */
export class BucketCounts {
  /** Number of the bucket in each place, plus one; 0 for an empty place. */
  private buckets = new Int32Array(firstPlaces);
  private counts = new Float64Array(firstPlaces);
  private used = 0;

  addValue(value: number): void {
    this.add(bucketOf(value), 1);
  }

  add(bucket: number, count: number): void {
    // A table that is more than three quarters full grows, so every search soon ends at an empty place.
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
