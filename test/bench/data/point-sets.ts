// The named sets of points that the benchmarks decode and encode, from uniform lines to lines that differ in every
// respect.

import { bodyParts, type PointKnobs, plainKnobs } from "./points.ts";

export interface PointSet {
  readonly name: string;
  /**
   * Category of the points. Metrics cannot have string fields, so points with string fields are in the category
   * `network`. No rule of this category corrects any of the points.
   */
  readonly category: "metric" | "network";
  readonly knobs: PointKnobs;
}

const sixty: Partial<PointKnobs> = { shapes: 60, order: "random" };
const withTexts = ["float", "float", "int", "text"] as const;

/** A set of points that combines the varying properties of all other sets. */
const everything: Partial<PointKnobs> = {
  ...sixty,
  digits: "full",
  presence: 0.85,
  fieldOrder: "random",
  kinds: withTexts,
  escapes: 0.15,
  integers: "64-bit",
  missingTimes: 0.2,
};

function set(name: string, category: PointSet["category"], knobs: Partial<PointKnobs>): PointSet {
  return { name, category, knobs: { ...plainKnobs, ...knobs } };
}

export const regularSet = set("one shape, short floats", "metric", {});
export const presenceSet = set("60 shapes, presence 0.85", "metric", { ...sixty, presence: 0.85 });
export const fieldOrderSet = set("60 shapes, fields in random order", "metric", { ...sixty, fieldOrder: "random" });
export const everythingSet = set("all of that, escapes, 64-bit integers, missing times", "network", everything);
export const longTextSet = set("long text fields", "network", {
  ...sixty,
  presence: 0.85,
  kinds: ["float", "int", "text", "text"],
  escapes: 0.3,
  foreign: 0.3,
  lengths: { ...plainKnobs.lengths, fields: [2, 5], texts: [20, 800] },
});

export const pointSets: readonly PointSet[] = [
  regularSet,
  set("60 shapes in random order", "metric", sixty),
  set("500 shapes in random order", "metric", { shapes: 500, order: "random" }),
  set("60 shapes, floats of 16 digits", "metric", { ...sixty, digits: "full" }),
  presenceSet,
  fieldOrderSet,
  everythingSet,
  longTextSet,
  set("many tags, in random order", "metric", {
    ...sixty,
    presence: 0.85,
    tagOrder: "random",
    lengths: { ...plainKnobs.lengths, tags: [12, 40], fields: [1, 4] },
  }),
  set("booleans, short texts, unsigned", "network", {
    ...sixty,
    presence: 0.85,
    kinds: ["bool", "text", "uint", "int"],
    lengths: { ...plainKnobs.lengths, texts: [1, 24] },
  }),
  set("1 to 120 fields", "metric", {
    ...sixty,
    presence: 0.85,
    lengths: { ...plainKnobs.lengths, fields: [1, 120] },
  }),
  set("floats with exponents", "metric", { ...sixty, presence: 0.85, digits: "exponent" }),
  set("letters beyond ASCII", "network", { ...sixty, presence: 0.85, kinds: withTexts, foreign: 0.6 }),
  set("CRLF", "metric", { ...sixty, presence: 0.85, lineEnd: "\r\n" }),
  set("comments and empty lines", "metric", { ...sixty, presence: 0.85, comments: 0.3 }),
];

/** One line in a hundred is wrong, so the decoder refuses the body. */
export const failingSet = set("of which 1 % fail", "network", { ...everything, failing: 0.01 });

const encoder = new TextEncoder();

/** Returns the body of a set of points. `changed` replaces some parameters of the set, such as the number of points. */
export function bodyOf({ knobs }: PointSet, changed: Partial<PointKnobs> = {}): Uint8Array {
  return encoder.encode([...bodyParts({ ...knobs, ...changed })].join(""));
}

/** Returns as many whole lines of a set as fit into `size` bytes. */
export function bodyOfSize({ knobs }: PointSet, size: number): Uint8Array {
  const body = new Uint8Array(size);
  let length = 0;
  for (const part of bodyParts({ ...knobs, count: Number.POSITIVE_INFINITY })) {
    const bytes = encoder.encode(part);
    if (length + bytes.length > size) break;
    body.set(bytes, length);
    length += bytes.length;
  }
  return body.slice(0, length);
}
