// A table of many prefixes or suffixes. For a given text, the table finds those of its prefixes with which the text
// begins, or those of its suffixes with which the text ends.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AffixTable } from "../../../lib/sharding/affix-table.ts";

const word = fc.string({ unit: fc.constantFrom("a", "b", "é", "\ud83d", "😀"), maxLength: 8 });
const affixes = fc.uniqueArray(
  word.filter((text) => text !== ""),
  { maxLength: 30 },
);

describe.each([
  { kind: "prefixes", isFromEnd: false, fits: (text: string, affix: string) => text.startsWith(affix) },
  { kind: "suffixes", isFromEnd: true, fits: (text: string, affix: string) => text.endsWith(affix) },
])("a table of $kind", ({ isFromEnd, fits }) => {
  it("finds every entry that fits a text, the longest first", () => {
    fc.assert(
      fc.property(affixes, word, (list, text) => {
        const table = new AffixTable(new Map(list.map((affix, at) => [affix, [at]])), isFromEnd);
        const found: string[] = [];
        table.visit(text, ([at]) => found.push(list[at!]!));
        const wanted = list.filter((affix) => fits(text, affix)).sort((a, b) => b.length - a.length);
        expect(found).toEqual(wanted);
      }),
      { numRuns: 2000 },
    );
  });
});
