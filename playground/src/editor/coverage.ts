// A gutter of the script editor that shows how many points reached each line. For a line with a call of `grok`, it
// shows how many points the call matched. A click on a number selects the rows of these points.

import { type Extension, RangeSet, StateEffect, StateField } from "@codemirror/state";
import { type EditorView, GutterMarker, gutter, keymap } from "@codemirror/view";
import type { PlaceFilter } from "../worker/query.ts";

/**
 * Decides the colour of a number in the gutter. `never`, `some`, `all`: how many of the points reached the line.
 * `missed`: a call of `grok` in the line did not match all points. `matched`: the calls of `grok` in the line matched
 * all points.
 */
export type LineTone = "never" | "some" | "all" | "matched" | "missed";

export interface LineCount {
  /** Number of the script's line, from 1. */
  readonly ln: number;
  readonly text: string;
  readonly tone: LineTone;
  readonly title: string;
  /**
   * A filter for the rows of the result. A click on the number in the gutter sets it, and the page then shows only the
   * rows that reached the line, or only the rows that a `grok` call in the line did not match. Null when no point
   * reached the line.
   */
  readonly place: PlaceFilter | null;
  /** How much of the script's time the line takes, as a level from 0 (unknown or almost nothing) to 4 (much). */
  readonly heat: number;
}

/** Replaces the numbers of the gutter. The numbers move with their lines while the script is edited. */
export const setLineCounts = StateEffect.define<readonly LineCount[]>();

class CountMarker extends GutterMarker {
  readonly count: LineCount;

  constructor(count: LineCount) {
    super();
    this.count = count;
  }

  override eq(other: CountMarker): boolean {
    const { text, tone, title, place, heat } = this.count;
    return (
      text === other.count.text &&
      tone === other.count.tone &&
      title === other.count.title &&
      heat === other.count.heat &&
      place === other.count.place
    );
  }

  override toDOM(): HTMLElement {
    const { text, tone, title, place, heat } = this.count;
    const made = document.createElement("span");
    made.className = `count ${tone}${place === null ? "" : " active"}${heat === 0 ? "" : ` heat heat-${heat}`}`;
    made.textContent = text;
    made.title = title;
    return made;
  }
}

const counts = StateField.define<RangeSet<CountMarker>>({
  create: () => RangeSet.empty,
  update: (set, transaction) => {
    let next = set.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (!effect.is(setLineCounts)) continue;
      const { doc } = transaction.state;
      const within = effect.value.filter(({ ln }) => ln >= 1 && ln <= doc.lines);
      next = RangeSet.of(
        within.map((count) => new CountMarker(count).range(doc.line(count.ln).from)),
        true,
      );
    }
    return next;
  },
});

function countAt(view: EditorView, from: number): LineCount | null {
  let found: LineCount | null = null;
  view.state.field(counts).between(from, from, (_from, _to, { count }) => {
    found = count;
  });
  return found;
}

/**
 * Makes the gutter. A click on a number, or Alt+G in its line, calls `pick` with the filter that selects the rows which
 * the number counts.
 */
export function coverageGutter(pick: (place: PlaceFilter) => void): Extension {
  const pickAt = (view: EditorView, from: number): boolean => {
    const place = countAt(view, from)?.place ?? null;
    if (place !== null) pick(place);
    return place !== null;
  };
  return [
    counts,
    gutter({
      class: "cm-coverage",
      markers: (view) => view.state.field(counts),
      domEventHandlers: { mousedown: (view, line) => pickAt(view, line.from) },
    }),
    keymap.of([
      { key: "Alt-g", run: (view) => pickAt(view, view.state.doc.lineAt(view.state.selection.main.head).from) },
    ]),
  ];
}
