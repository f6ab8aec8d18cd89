// Random regular expressions over the whole grammar of the dialect, and random texts that are likely to match them.

import fc from "fast-check";

/** Characters of one to four UTF-8 bytes. Some of them have variants in other cases, and some end lines or words. */
const characters = [..."aabbcABkKsx01_- \n\r\t.é\u00c9ßσςΣ日\u212a\u017f\ufffd\u0085😀"];

/** Byte sequences that are not UTF-8: invalid first bytes and incomplete characters. */
const strayBytes: readonly (readonly number[])[] = [
  [0xff],
  [0x80],
  [0xc3],
  [0xe6, 0x97],
  [0xf0, 0x9f, 0x98],
  [0xed, 0xa0, 0x80],
];

/**
 * A random part of an expression. `single`: whether a repetition such as `*` may follow the part without parentheses
 * around the part.
 */
interface Piece {
  readonly source: string;
  readonly single: boolean;
}

const single = (source: string): Piece => ({ source, single: true });
const several = (source: string): Piece => ({ source, single: false });
const atom = ({ source, single }: Piece): string => (single ? source : `(?:${source})`);

const literal = fc.constantFrom(...characters).map((c) => single(/[.\-^$*+?()[\]{}|\\]/.test(c) ? `\\${c}` : c));
const namedClass = fc.constantFrom(
  ...[
    ".",
    "\\d",
    "\\D",
    "\\w",
    "\\W",
    "\\s",
    "\\S",
    "\\pL",
    "\\PL",
    "\\p{Lu}",
    "\\p{Greek}",
    "\\p{^Nd}",
    "[[:alpha:]]",
  ],
  ...[
    "[[:^space:]]",
    "[[:upper:]]",
    "[^a]",
    "[^\\n]",
    "[^a-z]",
    "[é-日]",
    "[^\\x00-\\x7f]",
    "\\x{fffd}",
    "[^\\x00-\\x{10ffff}]",
  ],
);
const bracketClass = fc
  .record({
    negated: fc.boolean(),
    items: fc.array(
      fc.constantFrom(
        ..."abckKs01_é日σ😀",
        "a-c",
        "0-9",
        "K-s",
        "\\d",
        "\\w",
        "\\S",
        "\\pL",
        "[:lower:]",
        "\\n",
        "\\x{212a}-\\x{fffd}",
      ),
      { minLength: 1, maxLength: 3 },
    ),
  })
  .map(({ negated, items }) => `[${negated ? "^" : ""}${items.join("")}]`);
const anchor = fc.constantFrom("^", "$", "\\b", "\\B", "\\A", "\\z");
const leaf: fc.Arbitrary<Piece> = fc.oneof(
  { weight: 8, arbitrary: literal },
  { weight: 3, arbitrary: namedClass.map(single) },
  { weight: 2, arbitrary: bracketClass.map(single) },
  { weight: 2, arbitrary: anchor.map(single) },
  { weight: 1, arbitrary: fc.constantFrom(several(""), single("()"), several("\\Qa.b\\E")) },
);

const counts = fc
  .tuple(fc.nat(3), fc.nat(3), fc.constantFrom("{n}", "{n,}", "{n,m}"))
  .map(([n, more, form]) => form.replace("n", String(n)).replace("m", String(n + more)));
const repetition = fc
  .tuple(
    fc.oneof({ weight: 4, arbitrary: fc.constantFrom("*", "+", "?") }, { weight: 1, arbitrary: counts }),
    fc.boolean(),
  )
  .map(([operator, lazy]) => operator + (lazy ? "?" : ""));
const flags = fc.constantFrom("i", "m", "s", "U", "im", "is", "ms", "-i", "i-m", "m-s", "");

const { piece } = fc.letrec<{ piece: Piece }>((tie) => ({
  piece: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    { weight: 3, arbitrary: leaf },
    {
      weight: 4,
      arbitrary: fc
        .array(tie("piece"), { minLength: 2, maxLength: 4 })
        .map((parts) => several(parts.map(({ source }) => source).join(""))),
    },
    {
      weight: 2,
      arbitrary: fc
        .array(tie("piece"), { minLength: 2, maxLength: 3 })
        .map((parts) => single(`(?:${parts.map(({ source }) => source).join("|")})`)),
    },
    {
      weight: 3,
      arbitrary: fc.tuple(tie("piece"), repetition).map(([part, operator]) => several(atom(part) + operator)),
    },
    { weight: 3, arbitrary: tie("piece").map(({ source }) => single(`(${source})`)) },
    { weight: 1, arbitrary: fc.tuple(flags, tie("piece")).map(([its, { source }]) => single(`(?${its}:${source})`)) },
  ),
}));

/**
 * Generator of expressions. The parser accepts each of them, unless the product of its repetition counts is too high.
 */
export const expressions: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom("", "", "", "(?i)", "(?m)", "(?s)", "(?U)"), piece)
  .map(([prefix, { source }]) => prefix + source);

export const texts: fc.Arbitrary<string> = fc
  .array(fc.constantFrom(...characters), { maxLength: 14 })
  .map((parts) => parts.join(""));

const encoder = new TextEncoder();

export const byteTexts: fc.Arbitrary<Uint8Array> = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...characters).map((c) => Array.from(encoder.encode(c))) },
      { weight: 1, arbitrary: fc.constantFrom(...strayBytes) },
    ),
    { maxLength: 12 },
  )
  .map((parts) => Uint8Array.from(parts.flat()));
