// A generator of random values from a seed: the same seed gives the same values in every run.

export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

/** Range for a random length or number; both ends are included. */
export type Range = readonly [least: number, most: number];

const letters = "abcdefghijklmnopqrstuvwxyz";

export class Dice {
  private readonly random: () => number;

  constructor(seed: number) {
    this.random = seeded(seed);
  }

  below(limit: number): number {
    return Math.floor(this.random() * limit);
  }

  within([least, most]: Range): number {
    return least + this.below(most - least + 1);
  }

  /** Returns true with the probability `share`. */
  chance(share: number): boolean {
    return this.random() < share;
  }

  /** Returns a number from 0 (included) to 1 (excluded) with 53 random bits. */
  fraction(): number {
    return (this.below(2 ** 26) * 2 ** 27 + this.below(2 ** 27)) / 2 ** 53;
  }

  /** Returns a whole number of 64 random bits. */
  bits64(): bigint {
    return (BigInt(this.below(2 ** 32)) << 32n) | BigInt(this.below(2 ** 32));
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)]!;
  }

  /** Returns the given items in a random order. */
  shuffled<T>(items: readonly T[]): T[] {
    const list = [...items];
    for (let at = list.length - 1; at > 0; at--) {
      const other = this.below(at + 1);
      [list[at], list[other]] = [list[other]!, list[at]!];
    }
    return list;
  }

  digits(count: number): string {
    return Array.from({ length: count }, () => this.below(10)).join("");
  }

  word(least: number, most: number): string {
    let word = "";
    for (let left = this.within([least, most]); left > 0; left--) word += letters[this.below(26)];
    return word;
  }

  address(): string {
    return `${1 + this.below(223)}.${this.below(256)}.${this.below(256)}.${1 + this.below(254)}`;
  }

  clock(): string {
    return [24, 60, 60].map((limit) => String(this.below(limit)).padStart(2, "0")).join(":");
  }

  day(): string {
    return String(1 + this.below(28)).padStart(2, "0");
  }

  sentence(words: number): string {
    return Array.from({ length: words }, () => this.word(2, 9)).join(" ");
  }

  path(): string {
    const parts = Array.from({ length: 1 + this.below(4) }, () => this.word(2, 8));
    return `/${parts.join("/")}${this.below(3) === 0 ? `?${this.word(1, 4)}=${this.digits(4)}` : ""}`;
  }
}
