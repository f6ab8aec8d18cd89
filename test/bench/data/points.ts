// Makes points in line protocol (docs/reference/points.md#line-protocol) from a seed and parameters (knobs). A shape is
// a measurement with its own set of tag keys and field keys; each line is a point of one shape. The flag `fails` of a
// line says whether a decoder has to refuse the line.

import { Dice, type Range } from "./dice.ts";
import { makeFaulty } from "./faults.ts";

export interface PointKnobs {
  readonly seed: number;
  /** Number of lines with points; comments are not counted. */
  readonly count: number;
  readonly shapes: number;
  /**
   * The order of the shapes (sets of keys) of the lines. `round-robin`: the lines have the first shape, the second
   * shape and so on, again and again. `random`: each line has a random shape.
   */
  readonly order: "round-robin" | "random";
  /**
   * Probability with which a point has each tag and field of its shape (set of keys). A point always has at least one
   * field.
   */
  readonly presence: number;
  /** Whether tags and fields are sorted by key (`fixed`) or in a new random order in each line. */
  readonly tagOrder: "fixed" | "random";
  readonly fieldOrder: "fixed" | "random";
  /**
   * The kinds of values from which the kind of each field is chosen. A kind that is listed twice is chosen twice as
   * often.
   */
  readonly kinds: readonly FieldKind[];
  /**
   * Number of digits in floats. `short`: 3 to 6 digits. `full`: 16 or 17 digits. `exponent`: a few digits and an
   * exponent.
   */
  readonly digits: "short" | "full" | "exponent";
  /** `short`: integers of up to 5 digits. `64-bit`: integers of the whole range of 64 bits. */
  readonly integers: "short" | "64-bit";
  /** Share of measurements, keys, tag values and strings with an escaped character. */
  readonly escapes: number;
  /** Share of strings and tag values with letters outside ASCII. */
  readonly foreign: number;
  /** Share of lines without a time. */
  readonly missingTimes: number;
  /** Share of lines that a decoder refuses. */
  readonly failing: number;
  readonly lengths: {
    /** Numbers of tags and of fields that a shape (set of keys) has. */
    readonly tags: Range;
    readonly fields: Range;
    /** Smallest and largest number of letters in a key. */
    readonly keys: Range;
    /** Smallest and largest number of letters in a tag value. */
    readonly values: Range;
    /** Smallest and largest number of characters in a string field. */
    readonly texts: Range;
  };
  readonly lineEnd: "\n" | "\r\n";
  /** Share of lines with a comment, an empty line or a blank line before them. */
  readonly comments: number;
}

export type FieldKind = "float" | "int" | "uint" | "bool" | "text";

export interface Line {
  readonly text: string;
  readonly fails: boolean;
}

/** Parameters for uniform points: equal keys in every line, short numbers, no escapes. */
export const plainKnobs: PointKnobs = {
  seed: 1,
  count: 6000,
  shapes: 1,
  order: "round-robin",
  presence: 1,
  tagOrder: "fixed",
  fieldOrder: "fixed",
  kinds: ["float", "float", "float", "int"],
  digits: "short",
  integers: "short",
  escapes: 0,
  foreign: 0,
  missingTimes: 0,
  failing: 0,
  lengths: { tags: [3, 6], fields: [4, 12], keys: [3, 14], values: [3, 16], texts: [5, 120] },
  lineEnd: "\n",
  comments: 0,
};

interface Shape {
  readonly measurement: string;
  readonly tags: readonly { readonly key: string; readonly values: readonly string[] }[];
  readonly fields: readonly { readonly key: string; readonly kind: FieldKind }[];
}

/** Time of the first point in nanoseconds since 1970. */
const firstTime = 1700000000000000000n;
const mostTagValues = 40;

/** Yields `count` lines. The lines have no line feed at their end. */
export function* pointLines(knobs: PointKnobs): Generator<Line> {
  const dice = new Dice(knobs.seed);
  const shapes = makeShapes(dice, knobs);
  let time = firstTime;
  for (let at = 0; at < knobs.count; at++) {
    const shape = knobs.order === "random" ? dice.pick(shapes) : shapes[at % shapes.length]!;
    time += BigInt(dice.below(20_000_000));
    const parts = {
      series: seriesOf(dice, shape, knobs),
      fields: fieldsOf(dice, shape, knobs),
      time: dice.chance(knobs.missingTimes) ? "" : ` ${time}`,
    };
    const fails = dice.chance(knobs.failing);
    yield { text: fails ? makeFaulty(dice, parts) : `${parts.series} ${parts.fields}${parts.time}`, fails };
  }
}

/** Yields the body line by line, with line ends; some lines have a comment before them. */
export function* bodyParts(knobs: PointKnobs): Generator<string> {
  const dice = new Dice(knobs.seed + 1);
  const end = knobs.lineEnd;
  for (const { text } of pointLines(knobs)) {
    yield `${dice.chance(knobs.comments) ? `${commentOf(dice)}${end}` : ""}${text}${end}`;
  }
}

function commentOf(dice: Dice): string {
  return dice.pick(["", "  ", `# ${dice.sentence(6)}`, `#${dice.word(4, 9)}=1,${dice.sentence(2)} "`]);
}

function makeShapes(dice: Dice, knobs: PointKnobs): Shape[] {
  const { lengths, kinds } = knobs;
  const names = new Set<string>();
  return Array.from({ length: knobs.shapes }, () => {
    const measurement = freshWord(dice, names, lengths.keys, knobs, ", ");
    const keys = new Set<string>();
    const tags = Array.from({ length: dice.within(lengths.tags) }, () => ({
      key: freshWord(dice, keys, lengths.keys, knobs, ",= "),
      values: Array.from({ length: 1 + dice.below(mostTagValues) }, () => tagValue(dice, knobs)),
    }));
    const fields = Array.from({ length: dice.within(lengths.fields) }, () => ({
      key: freshWord(dice, keys, lengths.keys, knobs, ",= "),
      kind: dice.pick(kinds),
    }));
    return { measurement, tags: tags.sort(byKey), fields: fields.sort(byKey) };
  });
}

/** Compares two keys, which are ASCII, by their bytes. */
function byKey(a: { readonly key: string }, b: { readonly key: string }): number {
  return a.key < b.key ? -1 : 1;
}

/**
 * Returns a word that is not in `taken`, and adds it to `taken`. Some words have one escaped character of `escaped`.
 */
function freshWord(dice: Dice, taken: Set<string>, length: Range, knobs: PointKnobs, escaped: string): string {
  for (;;) {
    const plain = dice.word(...length);
    const word = dice.chance(knobs.escapes) ? `${plain}\\${dice.pick([...escaped])}${dice.word(1, 5)}` : plain;
    if (taken.has(word)) continue;
    taken.add(word);
    return word;
  }
}

const foreignWords = ["größe", "журнал", "日志", "süd-west", "café", "🌊wave", "naïve", "οδός"];

function tagValue(dice: Dice, knobs: PointKnobs): string {
  const word = `${dice.word(...knobs.lengths.values)}${dice.chance(knobs.foreign) ? dice.pick(foreignWords) : ""}`;
  return dice.chance(knobs.escapes) ? `${word}\\${dice.pick([",", "=", " "])}${dice.word(1, 6)}` : word;
}

function seriesOf(dice: Dice, { measurement, tags }: Shape, knobs: PointKnobs): string {
  const present = tags.filter(() => dice.chance(knobs.presence));
  const ordered = knobs.tagOrder === "random" ? dice.shuffled(present) : present;
  return [measurement, ...ordered.map(({ key, values }) => `${key}=${dice.pick(values)}`)].join(",");
}

function fieldsOf(dice: Dice, { fields }: Shape, knobs: PointKnobs): string {
  const chosen = fields.filter(() => dice.chance(knobs.presence));
  const present = chosen.length > 0 ? chosen : [dice.pick(fields)];
  const ordered = knobs.fieldOrder === "random" ? dice.shuffled(present) : present;
  return ordered.map(({ key, kind }) => `${key}=${fieldValue(dice, kind, knobs)}`).join(",");
}

function fieldValue(dice: Dice, kind: FieldKind, knobs: PointKnobs): string {
  const isWide = knobs.integers === "64-bit";
  switch (kind) {
    case "float":
      return floatOf(dice, knobs.digits);
    case "int":
      return `${isWide ? BigInt.asIntN(64, dice.bits64()) : dice.below(100_000)}i`;
    case "uint":
      return `${isWide ? dice.bits64() : dice.below(100_000)}u`;
    case "bool":
      return dice.pick(["true", "false", "t", "f", "T", "F", "TRUE", "False"]);
    case "text":
      return `"${textOf(dice, knobs)}"`;
  }
}

function floatOf(dice: Dice, digits: PointKnobs["digits"]): string {
  const sign = dice.chance(0.1) ? "-" : "";
  if (digits === "full")
    return `${sign}${(0.01 + dice.fraction() * 10 ** dice.below(5)).toPrecision(16 + dice.below(2))}`;
  const value = dice.fraction() * 1000;
  if (digits === "exponent") return `${sign}${(value * 10 ** (dice.below(60) - 30)).toExponential(1 + dice.below(12))}`;
  return `${sign}${value.toFixed(dice.below(4))}`;
}

/** Returns the content of a string field; some contain quotes, backslashes, line feeds or tabs. */
function textOf(dice: Dice, knobs: PointKnobs): string {
  const length = dice.within(knobs.lengths.texts);
  const foreign = dice.chance(knobs.foreign) ? 0.2 : 0;
  let text = "";
  let special = '\\"';
  let next = dice.chance(knobs.escapes) ? dice.below(Math.min(60, length)) : Number.POSITIVE_INFINITY;
  while (text.length < length) {
    if (text.length >= next) {
      text += special;
      special = dice.pick(['\\"', "\\\\", "\n", "\t"]);
      next = text.length + 60 + dice.below(60);
    }
    text += dice.chance(foreign) ? dice.pick(foreignWords) : dice.word(1, 10);
    if (text.length < length) text += " ";
  }
  return text;
}
