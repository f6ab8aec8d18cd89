import { expect, it } from "vitest";
import { contains, fold } from "../../../../lib/regex/syntax/char-class.ts";

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/**
 * The last code point that the test checks. No later code point is the upper-case or lower-case form of a tested
 * letter.
 */
const last = 0x2fff;

it.each([...letters, "é", "ſ", "K", "Ω", "ǆ"])("%s has the other cases that the host's RegExp finds", (letter) => {
  const code = letter.codePointAt(0)!;
  const folded = fold([code, code]);
  const same = new RegExp(letter, "iu");
  for (let other = 0; other <= last; other++)
    if (contains(folded, other) !== same.test(String.fromCodePoint(other)))
      expect.fail(`U+${other.toString(16)} differs`);
});

it.each([
  { name: "no character", ranges: [], folded: [] },
  { name: "digits", ranges: [0x30, 0x39], folded: [0x30, 0x39] },
  { name: "a part of the alphabet", ranges: [0x61, 0x63], folded: [0x41, 0x43, 0x61, 0x63] },
  {
    name: "ASCII and more",
    ranges: [0x61, 0x61, 0xe9, 0xe9],
    folded: [0x41, 0x41, 0x61, 0x61, 0xc9, 0xc9, 0xe9, 0xe9],
  },
])("$name", ({ ranges, folded }) => {
  expect(fold(ranges)).toEqual(folded);
});
