// Formats numbers, times and strings for display on the page.

import { isTranslated, t } from "../text/translate.ts";

const units = ["B", "KB", "MB", "GB"];

/** Returns a size in bytes as text such as `18.2 MB`, in powers of 1000. */
export function sizeText(bytes: number): string {
  let unit = 0;
  while (bytes >= 1000 && unit < units.length - 1) {
    bytes /= 1000;
    unit++;
  }
  return `${unit === 0 || bytes >= 100 ? Math.round(bytes) : bytes.toFixed(1)} ${units[unit]}`;
}

export function countText(count: number): string {
  return Math.round(count).toLocaleString("en");
}

/** Returns a count in at most four characters, such as `999`, `9.9k`, `650k` or `1.2M`. */
export function shortCount(count: number): string {
  if (count < 1000) return String(count);
  const [unit, letter] = count < 999_500 ? [1e3, "k"] : [1e6, "M"];
  const units = count / unit;
  return `${units < 9.95 ? units.toFixed(1) : Math.round(units)}${letter}`;
}

/**
 * Returns a number of things as text, such as `1 point` or `12,000 points`. Languages other than English use one form
 * for all numbers, which the catalogue of translations holds under `{n} points`.
 */
export function pluralText(count: number, one: string, more = `${one}s`): string {
  return count === 1 && !isTranslated() ? `1 ${one}` : t(`{n} ${more}`, { n: countText(count) });
}

/** Returns a duration in milliseconds as text such as `3.4 ms` or `12.08 s`. */
export function durationText(ms: number): string {
  if (ms < 1) return `${(ms * 1000).toFixed(0)} µs`;
  return ms < 1000 ? `${ms.toFixed(ms < 100 ? 1 : 0)} ms` : `${(ms / 1000).toFixed(2)} s`;
}

/** Returns a time per point in nanoseconds as text such as `840 ns/point` or `12.1 µs/point`. */
export function perPointText(ns: number): string {
  const us = ns / 1e3;
  const time = us < 1 ? `${Math.round(ns)} ns` : us < 1e3 ? `${twoDigits(us)} µs` : `${twoDigits(us / 1e3)} ms`;
  return t("{time}/point", { time });
}

function twoDigits(value: number): string {
  return value < 10 ? value.toFixed(1) : String(Math.round(value));
}

/**
 * Returns nanoseconds since 1970 as text such as `2025-11-21 10:00:00.123`, in UTC, with as many digits of the fraction
 * as needed.
 */
export function timeText(time: bigint): string {
  const ms = time / 1_000_000n;
  const date = new Date(Number(ms));
  if (Number.isNaN(date.getTime())) return `${time} ns`;
  const iso = date.toISOString().replace("T", " ").replace("Z", "");
  const rest = ((time % 1_000_000n) + 1_000_000n) % 1_000_000n;
  if (rest === 0n) return iso.replace(/\.000$/, "");
  return (iso + String(rest).padStart(6, "0")).replace(/0+$/, "");
}

/**
 * Returns JSON text formatted over several lines. Every token stays unchanged, so that large integers keep all digits.
 */
export function prettyJson(text: string): string {
  let out = "";
  let depth = 0;
  const line = () => `\n${"  ".repeat(depth)}`;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/g)) {
    if (token === "{" || token === "[") {
      depth++;
      out += token + line();
    } else if (token === "}" || token === "]") {
      depth--;
      // A pair of brackets with nothing inside stays on one line.
      out = /[[{]\s*$/.test(out) ? out.trimEnd() + token : out + line() + token;
    } else if (token === ",") out += token + line();
    else out += token === ":" ? ": " : token;
  }
  return out;
}
