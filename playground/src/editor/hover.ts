// Shows documentation when the pointer rests on a word of a script.

import type { EditorView, Tooltip } from "@codemirror/view";
import { type HoverSubject, hover as hoverAt } from "../../../lib/index.ts";
import type { Assist } from "./assist.ts";
import { factsOf } from "./assist-facts.ts";
import { functionCard, keyCard, parameterCard, patternCard } from "./cards.ts";

/** Returns the documentation of the word at `pos`, a UTF-16 offset; null when there is none. */
export function hover(view: EditorView, pos: number, assist: Assist): Tooltip | null {
  const found = hoverAt(view.state.doc.toString(), pos, factsOf(assist));
  return found && { pos: found.from, end: found.to, create: () => ({ dom: cardFor(found.subject, assist) }) };
}

function cardFor(subject: HoverSubject, assist: Assist): HTMLElement {
  switch (subject.kind) {
    case "function":
      return functionCard(subject.doc);
    case "parameter":
      return parameterCard(subject.param);
    case "key":
      return keyCard(subject.key, subject.fact);
    case "pattern":
      return patternCard(subject.name, subject.definition, assist.language()?.patterns.has(subject.name) !== true);
  }
}
