// Guesses the format of an input from its first lines. When the guessed format differs from the format that the user
// has chosen, the page suggests the guessed one.

import type { InputForm } from "../worker/protocol.ts";

/** Largest number of lines that are examined, and of characters of each line. */
const mostLines = 30;
const longestLine = 2000;

const key = String.raw`(?:[^\s,=\\]|\\.)+`;
const value = String.raw`(?:"(?:[^"\\]|\\.)*"|[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?[iu]?|[tTfF]|true|false|True|False|TRUE|FALSE)`;
const linePattern = new RegExp(
  `^(?:[^\\s,\\\\]|\\\\.)+(?:,${key}=${key})* ${key}=${value}(?:,${key}=${value})*(?: -?\\d+)?$`,
);

/**
 * Guesses the format of a text. Returns null when the guess is the format that the user selected (`form`), or when
 * there is no guess.
 */
export function suggestedForm(text: string, form: InputForm): InputForm | null {
  const lines = text
    .slice(0, mostLines * longestLine)
    .split("\n", mostLines)
    .map((line) => line.slice(0, longestLine).replace(/\r$/, ""))
    .filter((line) => line.trim() !== "");
  if (lines.length === 0) return null;
  const looks = formOfLines(text, lines);
  if (looks === form || looks === null) return null;
  // A message of several lines may begin like a message of a single line. So the format `lines` is not suggested when
  // the user has chosen the format `messages`.
  return looks === "lines" && form === "messages" ? null : looks;
}

function formOfLines(text: string, lines: readonly string[]): InputForm | null {
  if (looksLikePoints(text, lines[0]!)) return "json";
  const share = (is: (line: string) => boolean) => lines.filter(is).length / lines.length;
  if (
    share((line) => line.startsWith("#") || linePattern.test(line)) > 0.8 &&
    lines.some((line) => linePattern.test(line))
  )
    return "lp";
  if (lines.length > 1 && !/^\s/.test(lines[0]!) && share((line) => /^(?:\s+\S|Caused by: )/.test(line)) > 0.2)
    return "messages";
  return /^\s*[[{]/.test(lines[0]!) ? null : "lines";
}

/**
 * Returns whether a text looks like points in JSON. The JSON must have the members that points have, because other JSON
 * may be the log of a program.
 */
function looksLikePoints(text: string, first: string): boolean {
  const start = /^\s*\[?\s*\{/.exec(text);
  if (start === null) return false;
  const head = text.slice(0, 4000);
  return /"fields"\s*:\s*[[{]/.test(head) && /"(?:measurement|name)"\s*:\s*"/.test(head) && first.trim() !== "";
}
