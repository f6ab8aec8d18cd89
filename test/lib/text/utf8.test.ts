// Conversion between offsets in UTF-8 bytes and offsets in the decoded string.

import fc from "fast-check";
import { expect, it } from "vitest";
import { offsetOf } from "../../../lib/text/utf8.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

it("offsetOf() returns the byte offset of every character as TextDecoder counts characters", () => {
  const part = fc.constantFrom(
    ...[
      [0x61],
      [0xc3, 0xa9],
      [0xe4, 0xb8, 0xad],
      [0xf0, 0x9f, 0x98, 0x80],
      [0xc3],
      [0xe0],
      [0xa0],
      [0xed],
      [0xf0, 0x9f],
      [0xf4, 0x90],
    ],
    ...[[0x80], [0xff], [0xc0], [0xe4, 0xb8], [0xf0, 0x9f, 0x98], [0x9f], [0xbf]],
  );
  const bytes = fc.oneof(
    fc.array(part, { maxLength: 12 }).map((parts) => Uint8Array.from(parts.flat())),
    fc.uint8Array({ maxLength: 20 }),
  );
  fc.assert(
    fc.property(bytes, (each) => {
      const text = decoder.decode(each);
      let unit = 0;
      for (const character of text) {
        const at = offsetOf(each, unit);
        expect(decoder.decode(each.subarray(0, at))).toBe(text.slice(0, unit));
        expect(decoder.decode(each.subarray(at))).toBe(text.slice(unit));
        unit += character.length;
      }
      expect(offsetOf(each, unit)).toBe(each.length);
    }),
    { numRuns: 3000 },
  );
});
