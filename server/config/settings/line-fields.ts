// The settings of inputs that split bytes into lines, or into events of several lines.

import { Regex, RegexSyntaxError } from "../../../lib/regex/index.ts";
import type { Form } from "../forms.ts";
import { type Setting, setting } from "../setting.ts";

export const lineEncodings = ["utf-8", "utf-16le", "utf-16be", "gbk"] as const;

/**
 * Returns a function that checks a string with `compile`. The function returns true when `compile` accepts the
 * string, and false when `compile` throws RegexSyntaxError.
 */
export const compiles =
  (compile: (text: string) => unknown) =>
  (text: string): boolean => {
    try {
      compile(text);
      return true;
    } catch (error) {
      if (error instanceof RegexSyntaxError) return false;
      throw error;
    }
  };

export const regularExpression: Form = {
  text: "a regular expression (RE2)",
  // A regular expression with a control character other than a tab is refused, because it is probably a mistake. A
  // user who wants to match such a character can write it as an escape.
  fits: (text) => !/[^\P{Cc}\t]/u.test(text) && compiles((each) => Regex.compile(each).free())(text),
};

export const lineFields = {
  multiline_start: setting(
    "text",
    "",
    "regular expression that finds the first line of an event; empty = one line each",
    {
      form: regularExpression,
    },
  ),
  multiline_timeout: setting("duration", "5s", "an event of several lines that does not grow for so long is complete"),
  max_line_bytes: setting(
    "int",
    256 * 1024,
    "longest event in bytes of the file; the rest of a longer one is dropped",
    {
      unit: "bytes",
      min: 1024,
      max: 16 * 1024 * 1024,
    },
  ),
  encoding: setting("text", "utf-8", "encoding of the files", { choices: lineEncodings }),
} as const satisfies Record<string, Setting>;
