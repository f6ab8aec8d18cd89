// Colours parts of the expression in its editor: each part that captures gets the colour of its capture, and the
// element that failed to match is marked.

import { type Extension, type Range, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view";
import { t } from "../../../text/translate.ts";
import type { Capture, Part } from "../../../worker/grok/workbench.ts";
import { captureClass, marksTheme } from "./marks-theme.ts";

export interface ExpressionMarks {
  readonly parts: readonly Part[];
  readonly captures: readonly Capture[];
  readonly pointed: number | null;
  /** Range of the element that failed to match the line with the cursor, as UTF-16 indexes in the expression. */
  readonly failed: readonly [from: number, to: number] | null;
}

const setMarks = StateEffect.define<ExpressionMarks>();

const field = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (value, { effects, docChanged, changes, state }) => {
    for (const effect of effects) if (effect.is(setMarks)) return decorate(effect.value, state.doc.length);
    return docChanged ? value.map(changes) : value;
  },
  provide: (own) => EditorView.decorations.from(own),
});

export function showExpressionMarks(view: EditorView, marks: ExpressionMarks): void {
  view.dispatch({ effects: setMarks.of(marks) });
}

/**
 * Makes the extension. It calls `point` with the index of the capture under the pointer; null when the pointer is over
 * none.
 */
export function expressionMarks(point: (capture: number | null) => void): Extension {
  return [
    field,
    marksTheme,
    EditorView.domEventHandlers({
      // Each redraw of the marks also causes enter and leave events for a pointer that rests on a mark. So only moves
      // of the pointer decide which mark it points at.
      mousemove: ({ target }) => {
        const marked = (target as Element | null)?.closest?.("[data-capture]");
        point(marked == null ? null : Number(marked.getAttribute("data-capture")));
      },
      mouseleave: () => point(null),
    }),
  ];
}

/** Largest length, in UTF-16 units, of a part of the expression that the editor never breaks over two lines. */
const longestWhole = 40;

function decorate({ parts, captures, pointed, failed }: ExpressionMarks, length: number): DecorationSet {
  const ranges: Range<Decoration>[] = [];
  for (const { from, to, captures: own } of parts) {
    const [first] = own;
    if (first === undefined || to > length || from >= to) continue;
    const title = own.map((at) => captures[at]?.name ?? "").join(", ");
    const isPointed = pointed !== null && own.includes(pointed);
    // A short reference stays on one line, so that it is easy to read.
    const whole = to - from <= longestWhole ? " whole" : "";
    const mark: Parameters<typeof Decoration.mark>[0] =
      own.length === 1
        ? { class: captureClass(first, isPointed) + whole, attributes: { "data-capture": String(first), title } }
        : {
            class: `capture several${whole}${isPointed ? " pointed" : ""}`,
            attributes: { title: t("captures {names}", { names: title }) },
          };
    ranges.push(Decoration.mark(mark).range(from, to));
  }
  if (failed !== null && failed[1] <= length && failed[0] < failed[1])
    ranges.push(Decoration.mark({ class: "failed" }).range(failed[0], failed[1]));
  return Decoration.set(ranges, true);
}
