// The settings of the input stdin, which reads lines from standard input.

import { type Setting, setting } from "../setting.ts";
import { tagMistakes } from "../table-mistakes.ts";
import { lineFields } from "./line-fields.ts";

export const stdinSettings = {
  "inputs.stdin.enable": setting(
    "bool",
    false,
    "make logs of the lines of standard input; the agent ends when it ends",
  ),
  "inputs.stdin.source": setting("text", "stdin", "measurement of the points; the script of this name runs over them", {
    mistakes: (source) => (source === "" ? [{ path: [], text: " must not be empty" }] : []),
  }),
  "inputs.stdin.tags": setting("table", {}, "tags of each point, besides host", {
    example: 'team = "web"',
    mistakes: tagMistakes,
  }),
  "inputs.stdin.multiline_start": lineFields.multiline_start,
  "inputs.stdin.multiline_timeout": lineFields.multiline_timeout,
  "inputs.stdin.max_line_bytes": lineFields.max_line_bytes,
  "inputs.stdin.encoding": lineFields.encoding,
} as const satisfies Record<string, Setting>;
