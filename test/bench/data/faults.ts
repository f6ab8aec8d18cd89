// Ways to damage a line of line protocol. None of them adds a quotation mark, which would begin a string, so the
// damage never reaches the next line.

import type { Dice } from "./dice.ts";

export interface LineParts {
  /** The measurement and the tags, exactly as they are written in the line. */
  readonly series: string;
  readonly fields: string;
  /** The time with a space before it; empty for a line without a time. */
  readonly time: string;
}

/**
 * The kinds of damage. `spoil` returns the damaged line, and `reason` is the reason with which the decoder refuses this
 * line.
 */
export const faults: readonly { readonly reason: string; readonly spoil: (parts: LineParts) => string }[] = [
  { reason: "missing field value", spoil: ({ series, time }) => `${series} value=${time}` },
  { reason: "missing fields", spoil: ({ series }) => series },
  { reason: "missing tag value", spoil: ({ series, fields, time }) => `${series},zone ${fields}${time}` },
  { reason: "invalid tag format", spoil: ({ series, fields, time }) => `${series},zone=a=b ${fields}${time}` },
  { reason: "missing measurement", spoil: ({ fields, time }) => `,zone=a ${fields}${time}` },
  { reason: "missing field key", spoil: ({ series, fields, time }) => `${series} ${fields},=1${time}` },
  { reason: "invalid number", spoil: ({ series, fields, time }) => `${series} ${fields},bad=12.3.4${time}` },
  { reason: "invalid boolean", spoil: ({ series, fields, time }) => `${series} ${fields},bad=yes${time}` },
  {
    reason: "value out of range",
    spoil: ({ series, fields, time }) => `${series} ${fields},bad=9223372036854775808i${time}`,
  },
  { reason: "bad timestamp", spoil: ({ series, fields }) => `${series} ${fields} 17x` },
];

/** Returns the line, damaged in one random way of `faults`. */
export function makeFaulty(dice: Dice, parts: LineParts): string {
  return dice.pick(faults).spoil(parts);
}
