// Searches for changes that make an expression match a line: applies one edit at the failed element and, when a later
// element then fails, up to two more edits at that element. Every change is tried on the line, and the number of tries
// is limited.

import type { Span } from "../../regex/regex.ts";
import { type Edit, editsAt } from "./changes.ts";
import { type Element, elementsOf } from "./elements.ts";
import type { Trials } from "./trials.ts";

/** A change of an expression that makes the expression match a line. */
export interface Change {
  /** The changed expression, which matches the line. */
  readonly expression: string;
  /** Total number of elements of the expression that the edits of this change alter. */
  readonly edits: number;
  /** Range of the original expression that the first edit replaces, in UTF-16 indexes. */
  readonly span: Span;
  /** The text that the first edit puts into the range `span`. */
  readonly to: string;
  /** A description of the change that is shown to the user. */
  readonly text: string;
}

/**
 * Two limits of the search: the number of edits in one change, and the number of partly repaired expressions that are
 * edited further in each step.
 */
const STEPS = 3;
const BREADTH = 3;

interface State {
  readonly elements: readonly Element[];
  readonly failed: number;
  readonly spans: readonly Span[];
  /** UTF-16 index in the line at which a match must begin. */
  readonly start: number;
  readonly edits: number;
  readonly weight: number;
  readonly texts: readonly string[];
  readonly first: { readonly span: Span; readonly to: string } | null;
}

/** Returns at most `most` changes, the changes with the fewest edits first. */
export function findChanges(
  elements: readonly Element[],
  failed: number,
  spans: readonly Span[],
  start: number,
  trials: Trials,
  most: number,
): Change[] {
  const found = new Map<string, Change & { readonly weight: number }>();
  let states: State[] = [{ elements, failed, spans, start, edits: 0, weight: 0, texts: [], first: null }];
  for (let step = 0; step < STEPS && states.length > 0; step++) {
    const next: State[] = [];
    for (const state of states) next.push(...extend(state, trials, found));
    if (found.size >= most && step > 0) break;
    // Each later step of the search finds only changes with more edits. So the search ends as soon as it has found a
    // change with a weight below 6. A change with a weight of 6 or more replaces the end of the expression by free
    // text. In this case the search continues, because a later step may find a better change.
    if ([...found.values()].some(({ edits, weight }) => edits <= step + 1 && weight < 6)) break;
    next.sort((a, b) => b.failed - b.elements.length - (a.failed - a.elements.length) || a.weight - b.weight);
    states = next.slice(0, BREADTH);
  }
  return [...found.values()]
    .sort((a, b) => a.edits - b.edits || a.weight - b.weight)
    .slice(0, most)
    .map(({ weight: _, ...change }) => change);
}

/**
 * Tries all edits of an expression (`state`) that fails at one of its elements. Adds the edited expressions that
 * match the line to `found`. Returns the edited expressions that still do not match the line, but fail at a
 * later element.
 */
function extend(state: State, trials: Trials, found: Map<string, Change & { readonly weight: number }>): State[] {
  const { line } = trials;
  const { start } = state;
  const end = state.spans.at(-1)?.[1] ?? 0;
  const further: State[] = [];
  const isFirst = state.edits === 0;
  for (const each of editsAt(state.elements, state.failed, line.slice(end), state.spans)) {
    if (!isFirst && each.weight > 4 && each.edits < 2) continue;
    const old = state.elements.slice(each.at, each.at + each.remove);
    const from = state.elements[each.at]?.start ?? 0;
    const parts = [
      ...state.elements.slice(0, each.at).map(({ source }) => source),
      ...(each.insert === "" ? [] : [each.insert]),
      ...state.elements.slice(each.at + each.remove).map(({ source }) => source),
    ];
    const expression = parts.join("");
    const spans = trials.match(parts);
    const common = {
      edits: state.edits + each.edits,
      weight: state.weight + each.weight,
      texts: [...state.texts, each.text],
      first: state.first ?? {
        span: [from, from + old.reduce((sum, { source }) => sum + source.length, 0)] as const,
        to: each.insert,
      },
    };
    if (spans !== null) {
      if (isSound(spans, each, state.elements, line, start) && !found.has(expression))
        found.set(expression, {
          expression,
          edits: common.edits,
          weight: common.weight,
          span: common.first.span,
          to: common.first.to,
          text: common.texts.join("; "),
        });
    } else if (each.weight < 4 && each.edits === 1 && further.length < BREADTH) {
      const elements = elementsOf(expression);
      const sources = elements.map(({ source }) => source);
      const behind = elements.length - (state.elements.length - state.failed) + 1;
      // When an edit does not make the whole expression match, the edit is kept only if the match reaches at least the
      // end of the first element after the edited elements.
      if (behind <= 0 || trials.match(sources.slice(0, behind + 1)) === null) continue;
      const { count, spans: own } = trials.longest(sources);
      further.push({ elements, failed: Math.min(count, elements.length - 1), spans: own, start, ...common });
    }
  }
  return further;
}

/**
 * Returns whether a match of the edited expression is plausible: it must begin at the position where the original
 * expression began to match. When the edit changes the last element, the match must also end at the end of the line, or
 * at least at the end of a word.
 */
function isSound(
  spans: readonly Span[],
  { at, insert, remove }: Edit,
  elements: readonly Element[],
  line: string,
  start: number,
): boolean {
  const [first, last] = [spans[0], spans.at(-1)];
  if (first === undefined || last === undefined || first[0] !== start) return false;
  if (at + remove < elements.length || elements.at(-1)?.kind === "anchor") return true;
  const isOptional = insert === "" || insert.endsWith("?");
  return last[1] === line.length || (!isOptional && /^[\s\])"',;]/.test(line.slice(last[1])));
}
