// Parses the text format of Prometheus 0.0.4 and OpenMetrics 1.0
// (https://prometheus.io/docs/instrumenting/exposition_formats/): samples with labels, values and times. Types, help
// texts and exemplars are left out. Each character of the parsed text stands for one byte (latin1).

import { ConversionError } from "../../ingest/converter.ts";

export interface Sample {
  readonly name: string;
  readonly labels: readonly (readonly [name: string, value: string])[];
  readonly value: number;
  /** Time in milliseconds since 1970; undefined when the sample has none. */
  readonly time: number | undefined;
}

/**
 * Calls `take` for each sample. Calls `refuse` for each line that cannot be read, with the line number and the reason.
 * Throws ConversionError when a text in OpenMetrics does not end with the line `# EOF`, because the text is then
 * incomplete.
 */
export function parseText(
  text: string,
  isOpenMetrics: boolean,
  take: (sample: Sample) => void,
  refuse: (line: number, reason: string) => void,
): void {
  let number = 0;
  for (let at = 0; at < text.length; ) {
    const found = text.indexOf("\n", at);
    const end = found < 0 ? text.length : found;
    const line = text.slice(at, end > at && text[end - 1] === "\r" ? end - 1 : end);
    at = end + 1;
    number++;
    const start = skipBlanks(line, 0);
    if (line[start] === "#") {
      if (isOpenMetrics && line.startsWith("EOF", skipBlanks(line, start + 1))) return;
    } else if (start < line.length) {
      const sample = parseSample(line, start, isOpenMetrics);
      if (typeof sample === "string") refuse(number, sample);
      else take(sample);
    }
  }
  if (isOpenMetrics) throw new ConversionError("the text does not end with # EOF");
}

const nameAt = /[a-zA-Z_:][a-zA-Z0-9_:]*/y;
const wordAt = /[^ \t]+/y;

/** Returns the sample that begins at `start`. When the line is no valid sample, returns the reason as a text. */
function parseSample(line: string, start: number, isOpenMetrics: boolean): Sample | string {
  let name = matchAt(nameAt, line, start);
  let at = skipBlanks(line, start + name.length);
  const labels: [string, string][] = [];
  if (line[at] === "{") {
    const inBraces = parseLabels(line, at + 1, labels);
    if (typeof inBraces === "string") return inBraces;
    if (name !== "" && inBraces.name !== "") return "two names of a metric";
    name ||= inBraces.name;
    at = skipBlanks(line, inBraces.end);
  }
  if (name === "") return "no name of a metric";
  const word = matchAt(wordAt, line, at);
  const value = numberOf(word);
  if (value === undefined) return word === "" ? "no value" : "the value is no number";
  at = skipBlanks(line, at + word.length);
  let time: number | undefined;
  if (at < line.length && line[at] !== "#") {
    const timeText = matchAt(wordAt, line, at);
    time = timeOf(timeText, isOpenMetrics);
    if (time === undefined) return "the time is no number";
    at = skipBlanks(line, at + timeText.length);
  }
  // A number sign begins an exemplar (an example added to the sample), which is left out.
  if (at < line.length && line[at] !== "#") return "there is more than a value and a time";
  return { name, labels, value, time };
}

/**
 * Reads labels up to the closing brace. A quoted text without a value is the name of the metric. Returns this name and
 * the offset after the brace. When the labels cannot be read, returns the reason as a text.
 */
function parseLabels(
  line: string,
  from: number,
  labels: [string, string][],
): { readonly name: string; readonly end: number } | string {
  let name = "";
  for (let at = skipBlanks(line, from); ; ) {
    if (line[at] === "}") return { name, end: at + 1 };
    let key: string;
    const isQuoted = line[at] === '"';
    if (isQuoted) {
      const quoted = parseQuoted(line, at);
      if (quoted === undefined) return "a text in quotes does not end";
      key = quoted.text;
      at = skipBlanks(line, quoted.end);
    } else {
      key = matchAt(nameAt, line, at);
      if (key === "") return "no name of a label";
      at = skipBlanks(line, at + key.length);
    }
    if (line[at] === "=") {
      at = skipBlanks(line, at + 1);
      if (line[at] !== '"') return "the value of a label is not in quotes";
      const value = parseQuoted(line, at);
      if (value === undefined) return "a text in quotes does not end";
      labels.push([key, value.text]);
      at = skipBlanks(line, value.end);
    } else if (isQuoted && name === "") name = key;
    else return "a label has no value";
    if (line[at] === ",") at = skipBlanks(line, at + 1);
    else if (line[at] !== "}") return "the labels do not end with }";
  }
}

/**
 * Reads the quoted text whose opening quote is at `from`. Decodes the escapes `\\`, `\"` and `\n`. Returns undefined
 * when the closing quote is missing.
 */
function parseQuoted(line: string, from: number): { readonly text: string; readonly end: number } | undefined {
  let text = "";
  let start = from + 1;
  for (let at = start; at < line.length; at++) {
    if (line[at] === '"') return { text: text + line.slice(start, at), end: at + 1 };
    if (line[at] !== "\\") continue;
    const escaped = line[at + 1];
    if (escaped === "n" || escaped === '"' || escaped === "\\") {
      text += line.slice(start, at) + (escaped === "n" ? "\n" : escaped);
      start = at + 2;
    }
    at++;
  }
  return undefined;
}

function matchAt(pattern: RegExp, line: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(line)?.[0] ?? "";
}

function skipBlanks(line: string, from: number): number {
  let at = from;
  while (line[at] === " " || line[at] === "\t") at++;
  return at;
}

function numberOf(word: string): number | undefined {
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(word)) return Number(word);
  if (/^[+-]?inf(?:inity)?$/i.test(word)) return word[0] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return /^nan$/i.test(word) ? Number.NaN : undefined;
}

/** Largest time in milliseconds that still fits into 64 bits when it is converted to nanoseconds. */
const latestMs = 9_223_372_036_854;

/**
 * Returns the time in milliseconds; undefined when `word` is no valid time. In Prometheus' own format `word` is in
 * milliseconds, in OpenMetrics in seconds.
 */
function timeOf(word: string, isOpenMetrics: boolean): number | undefined {
  const value = numberOf(word);
  if (value === undefined) return undefined;
  const ms = Math.round(isOpenMetrics ? value * 1000 : value);
  return Math.abs(ms) <= latestMs ? ms : undefined;
}
