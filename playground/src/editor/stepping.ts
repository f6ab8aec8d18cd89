// A gutter of the script editor with breakpoints for the step debugger, and a mark for the line of the current step.

import { type Extension, RangeSet, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, GutterMarker, gutter, keymap } from "@codemirror/view";
import { english, t } from "../text/translate.ts";

/**
 * CodeMirror effect that marks a line, by its number from 1, as the line of the current step; null removes the mark.
 */
export const setStepLine = StateEffect.define<number | null>();
const toggle = StateEffect.define<number>();

class Marker extends GutterMarker {
  private readonly name: string;
  private readonly sign: string;
  private readonly title: string;

  constructor(name: string, sign: string, title: string) {
    super();
    this.name = name;
    this.sign = sign;
    this.title = title;
  }

  override toDOM(): HTMLElement {
    const made = document.createElement("span");
    made.className = this.name;
    made.textContent = this.sign;
    made.title = t(this.title);
    return made;
  }
}

const breakpoint = new Marker("breakpoint", "●", english("A breakpoint (F9)"));
const arrow = new Marker("step-arrow", "▶", english("The step that is shown"));
const empty = new Marker("breakpoint idle", "●", "");

const breakpoints = StateField.define<RangeSet<Marker>>({
  create: () => RangeSet.empty,
  update: (set, transaction) => {
    let next = set.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (!effect.is(toggle)) continue;
      const from = effect.value;
      let has = false;
      next.between(from, from, () => {
        has = true;
      });
      next = next.update(has ? { filter: (at) => at !== from } : { add: [breakpoint.range(from)] });
    }
    return next;
  },
});

const stepLine = StateField.define<number | null>({
  create: () => null,
  update: (from, transaction) => {
    let next = from === null ? null : transaction.changes.mapPos(from);
    for (const effect of transaction.effects) {
      if (!effect.is(setStepLine)) continue;
      const { doc } = transaction.state;
      next = effect.value === null || effect.value > doc.lines ? null : doc.line(effect.value).from;
    }
    return next;
  },
  provide: (field) =>
    EditorView.decorations.from(field, (from) =>
      from === null ? Decoration.none : Decoration.set(Decoration.line({ class: "cm-step" }).range(from)),
    ),
});

/**
 * Makes the extension. It calls `changed` with the lines of all breakpoints whenever a breakpoint is set, removed or
 * moved. When the user presses Alt+R, it calls `runTo` with the line of the cursor.
 */
export function stepping(changed: (lines: readonly number[]) => void, runTo: (ln: number) => void): Extension {
  const cursorLine = (view: EditorView) => view.state.doc.lineAt(view.state.selection.main.head);
  return [
    breakpoints,
    stepLine,
    gutter({
      class: "cm-breakpoints",
      markers: (view) => [view.state.field(breakpoints), arrowAt(view)],
      initialSpacer: () => empty,
      domEventHandlers: {
        mousedown: (view, line) => {
          view.dispatch({ effects: toggle.of(view.state.doc.lineAt(line.from).from) });
          return true;
        },
      },
    }),
    keymap.of([
      {
        key: "F9",
        run: (view) => {
          view.dispatch({ effects: toggle.of(cursorLine(view).from) });
          return true;
        },
      },
      {
        key: "Alt-r",
        run: (view) => {
          runTo(cursorLine(view).number);
          return true;
        },
      },
    ]),
    EditorView.updateListener.of((update) => {
      const { state, startState, view } = update;
      const set = state.field(breakpoints);
      if (set !== startState.field(breakpoints, false)) changed(linesOf(set, state.doc));
      const from = state.field(stepLine);
      const isNew = update.transactions.some(({ effects }) => effects.some((effect) => effect.is(setStepLine)));
      // An editor cannot be scrolled while it is being updated, so the scrolling happens right after the update.
      if (isNew && from !== null)
        queueMicrotask(() =>
          view.dispatch({ effects: EditorView.scrollIntoView(from, { y: "nearest", yMargin: 48 }) }),
        );
    }),
  ];
}

function arrowAt(view: EditorView): RangeSet<Marker> {
  const from = view.state.field(stepLine);
  return from === null ? RangeSet.empty : RangeSet.of(arrow.range(from));
}

function linesOf(set: RangeSet<Marker>, doc: EditorView["state"]["doc"]): number[] {
  const lines: number[] = [];
  for (const cursor = set.iter(); cursor.value !== null; cursor.next()) lines.push(doc.lineAt(cursor.from).number);
  return lines;
}
