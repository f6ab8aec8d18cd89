// Formats of strfmt that need no parsing while the script runs: text with the directives %s, %v, %d and %.0f,
// and also %.0f with zeros in front, such as %09.0f. This file formats the values for which a directive has a
// short rule. When one of the values has no such rule, format-verbs.ts formats the whole text. For values that
// both files can format, their results are equal.

import { Float } from "../../../point/value.ts";
import { isInt, isText, textOf, type Value } from "../../runtime/value.ts";

interface Directive {
  /** The text before the directive. */
  readonly before: string;
  readonly verb: "s" | "v" | "d" | "f";
  /** Smallest number of characters of a number; a shorter number gets zeros in front. */
  readonly width: number;
}

/** Smallest width that this file does not handle; format-verbs.ts handles such widths. */
const mostWidth = 32;

/**
 * Returns a function that formats the values. The function returns undefined when it has no rule for a value. Returns
 * null for a format with other directives, or with another number of directives than `count`.
 */
export function plainFormat(format: string, count: number): ((values: readonly Value[]) => string | undefined) | null {
  const directives: Directive[] = [];
  let from = 0;
  for (const found of format.matchAll(/%(?:([svd])|(?:0(\d{1,2}))?\.0f|(.|$))/gsu)) {
    if (found[3] !== undefined) return null;
    const width = Number(found[2] ?? 0);
    if (width >= mostWidth) return null;
    directives.push({
      before: format.slice(from, found.index),
      verb: (found[1] ?? "f") as Directive["verb"],
      width,
    });
    from = found.index + found[0].length;
  }
  if (directives.length !== count) return null;
  const end = format.slice(from);
  return (values) => {
    let text = "";
    for (let at = 0; at < count; at++) {
      const { before, verb, width } = directives[at]!;
      const part = verb === "f" ? wholeText(values[at]!, width) : plainText(values[at]!, verb);
      if (part === undefined) return undefined;
      text += before + part;
    }
    return text + end;
  };
}

function plainText(value: Value, verb: "s" | "v" | "d"): string | undefined {
  if (isText(value)) return verb === "d" ? undefined : textOf(value);
  return verb !== "s" && isInt(value) ? String(value) : undefined;
}

/** Formats a float that is a whole number not below zero. */
function wholeText(value: Value, width: number): string | undefined {
  if (!(value instanceof Float) || !Number.isSafeInteger(value.value) || value.value < 0) return undefined;
  if (Object.is(value.value, -0)) return undefined;
  return String(value.value).padStart(width, "0");
}
