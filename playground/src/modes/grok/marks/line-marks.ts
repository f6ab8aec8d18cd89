// Shows in the editor of the lines how the expression matches them: captures in their colours, the position at which a
// line stops matching, and a sign for each line. Also hides the lines that the filter excludes. Only the visible lines
// get marks.

import { type Extension, type Range, StateEffect, StateField, type Text } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  EditorView,
  GutterMarker,
  gutter,
  ViewPlugin,
  type ViewUpdate,
  WidgetType,
} from "@codemirror/view";
import { pluralText } from "../../../state/text.ts";
import { t } from "../../../text/translate.ts";
import { type Analysis, lineState, type Stop } from "../../../worker/grok/workbench.ts";
import type { Filter } from "../workbench.svelte.ts";
import { captureClass, marksTheme } from "./marks-theme.ts";

/** The data from which the editor computes the marks of its lines: the results of matching, and the filter. */
export interface LineMarks {
  /**
   * How the expression matches the lines; null when the last result belongs to another text than the one in the editor.
   */
  readonly analysis: Analysis | null;
  readonly stops: ReadonlyMap<number, Stop>;
  readonly filter: Filter;
  /** Index of the line that the user edits, which the filter never hides; null for none. */
  readonly edited: number | null;
  /** Index of the capture under the pointer; null for none. */
  readonly pointed: number | null;
}

export interface LineEvents {
  /** Receives the index of the capture under the pointer; null when the pointer has left it. */
  point(capture: number | null): void;
  /** Called when the cursor has moved to another line, or when the user has edited the line with the cursor. */
  choose(line: number, isEdited: boolean): void;
  /** Called when the user has clicked in a line; `at` is the UTF-16 index in the line. */
  click(line: number, at: number): void;
}

const setMarks = StateEffect.define<LineMarks>();
const none: LineMarks = { analysis: null, stops: new Map(), filter: "all", edited: null, pointed: null };

const marksField = StateField.define<LineMarks>({
  create: () => none,
  update: (value, { effects, docChanged }) => {
    for (const effect of effects) if (effect.is(setMarks)) return effect.value;
    // The marks of the old text stay until the marks of the new text are computed.
    return docChanged ? { ...value, analysis: null } : value;
  },
});

export function showLineMarks(view: EditorView, marks: LineMarks): void {
  view.dispatch({ effects: setMarks.of(marks) });
}

export function lineMarks(events: LineEvents): Extension {
  return [marksField, hiddenField, inlineMarks, stateGutter, marksTheme, listeners(events)];
}

const inlineMarks = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = decorate(view);
    }

    update(update: ViewUpdate): void {
      const { view, startState, state, docChanged, viewportChanged, changes } = update;
      const marks = state.field(marksField);
      if (docChanged && marks.analysis === null) this.decorations = this.decorations.map(changes);
      else if (viewportChanged || marks !== startState.field(marksField)) this.decorations = decorate(view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

function decorate(view: EditorView): DecorationSet {
  const marks = view.state.field(marksField);
  const { doc } = view.state;
  if (marks.analysis === null) return Decoration.none;
  const ranges: Range<Decoration>[] = [];
  let last = 0;
  for (const { from, to } of view.visibleRanges) {
    for (let at = from; at <= to; ) {
      const line = doc.lineAt(at);
      if (line.number > last && line.number <= marks.analysis.checked) decorateLine(line, marks, ranges);
      last = line.number;
      at = line.to + 1;
    }
  }
  return Decoration.set(ranges, true);
}

interface Line {
  readonly from: number;
  readonly to: number;
  readonly number: number;
}

function decorateLine(
  { from, to, number }: Line,
  { analysis, stops, pointed }: LineMarks,
  into: Range<Decoration>[],
): void {
  const { starts, marks } = analysis!;
  const index = number - 1;
  for (let mark = starts[index]!; mark < starts[number]!; mark++) {
    const [start, end] = [from + marks[3 * mark]!, from + marks[3 * mark + 1]!];
    const capture = marks[3 * mark + 2]!;
    if (start >= end || end > to) continue;
    // A match that is the whole line gets no mark.
    if (capture < 0 && start === from && end === to) continue;
    const { name } = analysis!.captures[capture] ?? {};
    into.push(
      capture < 0
        ? Decoration.mark({ class: "match", inclusive: false }).range(start, end)
        : Decoration.mark({
            class: captureClass(capture, capture === pointed),
            attributes: { "data-capture": String(capture), title: name ?? "" },
          }).range(start, end),
    );
  }
  const stop = stops.get(index);
  if (stop === undefined) return;
  const start = from + stop.matched[0];
  const at = Math.min(to, from + stop.at);
  if (at > start) into.push(Decoration.mark({ class: "reached" }).range(start, at));
  into.push(Decoration.widget({ widget: stopWidget, side: -1 }).range(at));
  if (at < to) into.push(Decoration.mark({ class: "beyond" }).range(at, to));
}

class StopWidget extends WidgetType {
  override eq(): boolean {
    return true;
  }

  toDOM(): HTMLElement {
    const mark = document.createElement("span");
    mark.className = "stop";
    mark.setAttribute("aria-hidden", "true");
    return mark;
  }
}

const stopWidget = new StopWidget();

class HiddenLines extends WidgetType {
  private readonly count: number;

  constructor(count: number) {
    super();
    this.count = count;
  }

  override eq({ count }: HiddenLines): boolean {
    return count === this.count;
  }

  toDOM(): HTMLElement {
    const bar = document.createElement("div");
    bar.className = "hidden-lines";
    bar.textContent = t("{lines} hidden", { lines: pluralText(this.count, "line") });
    return bar;
  }
}

/** The ranges of lines that the filter hides; each is replaced by a bar with the number of lines. */
const hiddenField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (value, transaction) => {
    const marks = transaction.state.field(marksField);
    if (transaction.effects.some((effect) => effect.is(setMarks))) return hiddenLines(transaction.state.doc, marks);
    return transaction.docChanged ? value.map(transaction.changes) : value;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function hiddenLines(doc: Text, { analysis, filter, edited }: LineMarks): DecorationSet {
  if (analysis === null || filter === "all") return Decoration.none;
  const shown = filter === "matched" ? lineState.matched : lineState.unmatched;
  const ranges: Range<Decoration>[] = [];
  for (let first = 1; first <= doc.lines; first++) {
    let end = first;
    const isHidden = () => end - 1 !== edited && (end > analysis.checked || analysis.states[end - 1] !== shown);
    while (end <= doc.lines && isHidden()) end++;
    if (end > first) {
      const block = Decoration.replace({ widget: new HiddenLines(end - first), block: true });
      ranges.push(block.range(doc.line(first).from, doc.line(end - 1).to));
    }
    first = end;
  }
  return Decoration.set(ranges);
}

class StateMarker extends GutterMarker {
  private readonly isMatched: boolean;

  constructor(isMatched: boolean) {
    super();
    this.isMatched = isMatched;
  }

  override toDOM(): Node {
    const sign = document.createElement("span");
    sign.className = this.isMatched ? "state-matched" : "state-unmatched";
    sign.textContent = this.isMatched ? "✓" : "✗";
    sign.title = t(this.isMatched ? "matches" : "does not match");
    return sign;
  }
}

const matchedMarker = new StateMarker(true);
const unmatchedMarker = new StateMarker(false);

const stateGutter = gutter({
  class: "state-gutter",
  lineMarker: (view, { from }) => {
    const { analysis } = view.state.field(marksField);
    const index = view.state.doc.lineAt(from).number - 1;
    if (analysis === null || index >= analysis.checked) return null;
    const state = analysis.states[index];
    return state === lineState.matched ? matchedMarker : state === lineState.unmatched ? unmatchedMarker : null;
  },
  lineMarkerChange: ({ startState, state }) => startState.field(marksField) !== state.field(marksField),
});

function listeners(events: LineEvents): Extension {
  const captureAt = (target: EventTarget | null) => {
    const marked = (target as Element | null)?.closest?.("[data-capture]");
    return marked == null ? null : Number(marked.getAttribute("data-capture"));
  };
  return [
    EditorView.updateListener.of(({ state, selectionSet, docChanged }) => {
      if (selectionSet || docChanged) events.choose(state.doc.lineAt(state.selection.main.head).number - 1, docChanged);
    }),
    EditorView.domEventHandlers({
      // Each redraw of the marks also causes enter and leave events for a pointer that rests on a mark. So only moves
      // of the pointer decide which mark it points at.
      mousemove: ({ target }) => events.point(captureAt(target)),
      mouseleave: () => events.point(null),
      click: (_, view) => {
        if (!view.state.selection.main.empty) return;
        const line = view.state.doc.lineAt(view.state.selection.main.head);
        events.click(line.number - 1, view.state.selection.main.head - line.from);
      },
    }),
  ];
}
