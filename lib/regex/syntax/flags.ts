// The flags of a regular expression, such as `i` (docs/reference/grok.md#regular-expressions).

import { RegexSyntaxError } from "./tree.ts";

export interface Flags {
  readonly fold: boolean;
  readonly lines: boolean;
  readonly dotNewline: boolean;
  readonly lazy: boolean;
}

export const FLAGS: Readonly<Record<string, keyof Flags>> = { i: "fold", m: "lines", s: "dotNewline", U: "lazy" };

/** Returns the flags that the letters `imsU` switch on. Throws RegexSyntaxError for any other letter. */
export function initialFlags(letters: string): Flags {
  const flags = { fold: false, lines: false, dotNewline: false, lazy: false };
  for (const letter of letters) {
    const flag = FLAGS[letter];
    if (flag === undefined) throw new RegexSyntaxError("invalid or unsupported Perl syntax", letter, 0);
    flags[flag] = true;
  }
  return flags;
}
