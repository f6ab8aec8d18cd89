// Random expressions and texts from a seed: small alphabets, so that they match often, and every construct of the dialect.

export type Random = (below: number) => number;

export function seededRandom(seed: number): Random {
  let state = seed >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % below;
  };
}

const ATOMS = [
  "a",
  "b",
  "c",
  "ab",
  ".",
  "[ab]",
  "[^a]",
  "\\w",
  "\\d",
  "\\s",
  "é",
  "[é-ü]",
  "\\pL",
  "\\PL",
  "\\n",
  "-",
  "[[:alpha:]]",
];
const PLACES = ["^", "$", "\\b", "\\B", "\\A", "\\z", "(?m:^)", "(?m:$)"];
const COUNTS = ["*", "+", "?", "*?", "+?", "??", "{2}", "{0,2}", "{1,3}?", "{2,}", "{0}"];

export function randomPattern(random: Random, depth = 3): string {
  const choice = random(depth > 0 ? 12 : 4);
  switch (choice) {
    case 0:
    case 1:
    case 2:
      return pick(random, ATOMS);
    case 3:
      return random(3) === 0 ? pick(random, PLACES) : pick(random, ATOMS);
    case 4:
    case 5:
      return `(${randomPattern(random, depth - 1)})`;
    case 6:
      return `(?:${randomPattern(random, depth - 1)}|${randomPattern(random, depth - 1)})`;
    case 7:
      return `(${randomPattern(random, depth - 1)}|${random(4) === 0 ? "" : randomPattern(random, depth - 1)})`;
    case 8:
      return `(?:${randomPattern(random, depth - 1)})${pick(random, COUNTS)}`;
    case 9:
      return `${random(4) === 0 ? "(?i)" : ""}(${randomPattern(random, depth - 1)})${pick(random, COUNTS)}`;
    default:
      return randomPattern(random, depth - 1) + randomPattern(random, depth - 1);
  }
}

const PIECES = ["a", "b", "c", "A", "1", " ", "-", "é", "\n", "日", "😀", "ab", "aab"];

export function randomText(random: Random, pieces: number): string {
  let text = "";
  for (let i = random(pieces + 1); i > 0; i--) text += pick(random, PIECES);
  return text;
}

/** A text some of whose bytes were made invalid. */
export function randomBytes(random: Random, pieces: number): Uint8Array {
  const bytes = new TextEncoder().encode(randomText(random, pieces));
  if (random(4) === 0)
    for (let i = random(3); i >= 0 && bytes.length > 0; i--) bytes[random(bytes.length)] = 0x80 + random(128);
  return bytes;
}

function pick<T>(random: Random, from: readonly T[]): T {
  return from[random(from.length)] as T;
}
