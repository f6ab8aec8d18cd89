// Matches lines with an expression: marks the captures in all lines, and gives the details of one line.

import { explainMismatch } from "./engine.ts";
import { compile, type Matcher } from "./matcher.ts";
import { readPatterns } from "./own-patterns.ts";
import {
  type Analysis,
  type Expression,
  type LineAnswer,
  lineState,
  type Note,
  type Row,
  type Stop,
  type Why,
} from "./workbench.ts";

/**
 * Time limit in milliseconds for matching all lines. The clock is not read after every line, so matching may
 * stop some lines after the limit.
 */
const budgetMs = 1500;
/** Matching reads the clock each time after this many lines or characters, whichever comes first. */
const [linesBetween, charactersBetween] = [64, 4096];
/** The time for matching a line is measured in this many rounds. A round takes at least `roundMs` milliseconds. */
const rounds = 5;
const roundMs = 1.5;
/**
 * Largest number of lines that are matched to measure the matching time, and longest duration of this
 * measurement in milliseconds.
 */
const [measuredLines, measureMs] = [200, 250];
/** Number of passes over all lines that a round of the measurement makes between two readings of the clock. */
const passesBetween = 8;
/**
 * Time limit in milliseconds for finding, in each line that does not match, the position up to which the
 * expression matches.
 */
const stopsMs = 400;

/** Matches all lines. For an invalid expression, returns its errors and does not throw. */
export function analyse(expression: Expression, lines: readonly string[]): Analysis {
  const { notes, matcher } = compile(expression);
  if (matcher === null || expression.text === "") return nothing(notes, matcher, lines.length);
  const states = new Uint8Array(lines.length);
  const starts = new Uint32Array(lines.length + 1);
  const marks: number[] = [];
  let [matched, unmatched, checked] = [0, 0, 0];
  const begin = performance.now();
  const end = begin + budgetMs;
  let characters = 0;
  /**
   * Milliseconds that matching the first `measuredLines` lines took, or all lines when there are fewer. The measurement
   * of speed matches the same lines again.
   */
  let sampleMs = 0;
  for (const line of lines) {
    characters += line.length;
    if (checked % linesBetween === 0 || characters > charactersBetween) {
      if (checked > 0 && performance.now() > end) break;
      characters = 0;
    }
    let state: number = lineState.blank;
    if (line.trim() !== "") {
      const matches = matcher.marks(line, (from, to, capture) => void marks.push(from, to, capture));
      state = matches ? lineState.matched : lineState.unmatched;
      if (matches) matched++;
      else unmatched++;
    }
    states[checked] = state;
    checked++;
    starts[checked] = marks.length / 3;
    if (checked === measuredLines) sampleMs = performance.now() - begin;
  }
  const measured = Math.min(checked, measuredLines);
  if (measured < measuredLines) sampleMs = performance.now() - begin;
  return {
    notes,
    isWrong: false,
    captures: matcher.captures,
    parts: matcher.parts,
    lines: lines.length,
    checked,
    matched,
    unmatched,
    states,
    starts,
    marks: Int32Array.from(marks),
    nanoseconds: measure(
      matcher,
      lines.slice(0, measured).filter((line) => line.trim() !== ""),
      sampleMs,
    ),
  };
}

function nothing(notes: readonly Note[], matcher: Matcher | null, lines: number): Analysis {
  return {
    notes,
    isWrong: matcher === null,
    captures: [],
    parts: [],
    lines,
    checked: 0,
    matched: 0,
    unmatched: 0,
    states: new Uint8Array(0),
    starts: new Uint32Array(1),
    marks: new Int32Array(0),
    nanoseconds: 0,
  };
}

/**
 * Returns the average time for matching one line, in nanoseconds; 0 when there are no lines. `onceMs`: milliseconds
 * that an earlier pass took to match all `lines` once.
 */
function measure(matcher: Matcher, lines: readonly string[], onceMs: number): number {
  if (lines.length === 0) return 0;
  // The measurement matches the lines at least 48 more times, which could take minutes for a slow expression and
  // 200 lines. When it would take longer than `measureMs`, there is no measurement, and the result is computed
  // from `onceMs`.
  if (onceMs * (rounds + 1) * passesBetween > measureMs) return (onceMs * 1e6) / lines.length;
  // The first round does not count, because the regular expression engine builds its tables in this round. The
  // result is the time of the fastest other round, because other programs on the machine have disturbed this round
  // least.
  timeOf(matcher, lines);
  return Math.min(...Array.from({ length: rounds }, () => timeOf(matcher, lines)));
}

function timeOf(matcher: Matcher, lines: readonly string[]): number {
  let passes = 0;
  const begin = performance.now();
  let now = begin;
  while (now < begin + roundMs) {
    // The clock of a browser may be as coarse as 0.1 ms, so it is read only after several passes.
    for (let again = 0; again < passesBetween; again++) matcher.time(lines);
    passes += passesBetween;
    now = performance.now();
  }
  return ((now - begin) * 1e6) / (passes * lines.length);
}

/**
 * Returns the details of one line: its captured values, or the reason why it does not match. Returns null when the
 * expression is empty or invalid.
 */
export function lineAnswer(expression: Expression, line: string): LineAnswer | null {
  const { matcher } = compile(expression);
  if (matcher === null || expression.text === "") return null;
  const begin = performance.now();
  const values = matcher.values(line);
  const nanoseconds = measure(matcher, [line], performance.now() - begin);
  const replaced = matcher.replace(line);
  return {
    matched: values !== null,
    values: values ?? [],
    replaced,
    why: values === null ? why(expression, line, 6) : null,
    nanoseconds,
  };
}

function why({ method, text, patterns }: Expression, line: string, changes: number): Why | null {
  // In a plain regular expression `%{NAME}` is literal text, but `explainMismatch` would read it as a reference to a
  // grok pattern. So such an expression gets no explanation.
  if (method !== "grok" && text.includes("%{")) return null;
  const found = explainMismatch(text, line, { patterns: method === "grok" ? readPatterns(patterns) : {}, changes });
  if (found === null) return null;
  const { failed } = found;
  return {
    matched: found.matched,
    at: found.at,
    found: found.found,
    failed: failed.span,
    source: failed.source,
    field: failed.field,
    expected: failed.text,
    message: found.message,
    changes: found.changes,
  };
}

/** Returns the captured values of the given lines, for the table of captures on the page. */
export function rows(expression: Expression, lines: readonly string[], indexes: readonly number[]): readonly Row[] {
  const { matcher } = compile(expression);
  if (matcher === null) return [];
  return lines.map((line, at) => ({
    line: indexes[at]!,
    values: matcher.values(line) ?? [],
    replaced: matcher.replace(line),
  }));
}

/** Returns, for lines that do not match, how far the expression matches each of them. Stops at the time limit. */
export function stops(expression: Expression, lines: readonly string[], indexes: readonly number[]): readonly Stop[] {
  const { matcher } = compile(expression);
  if (matcher === null) return [];
  const end = performance.now() + stopsMs;
  const found: Stop[] = [];
  for (const [at, line] of lines.entries()) {
    if (performance.now() > end) break;
    const stop = why(expression, line, 0);
    if (stop !== null) found.push({ line: indexes[at]!, matched: stop.matched, at: stop.at });
  }
  return found;
}
