// What is shown when the pointer rests on a word of a script.

import type { Extension } from "@codemirror/state";
import { hoverTooltip } from "@codemirror/view";
import { type Assist, functionNamed, surroundings } from "./assist.ts";
import { functionCard, keyCard, notBuiltCard, patternCard } from "./cards.ts";

export function hover(assist: Assist): Extension {
  return hoverTooltip((view, pos) => {
    const word = view.state.wordAt(pos);
    if (word === null) return null;
    const name = view.state.sliceDoc(word.from, word.to);
    const card = cardFor(assist, name, view.state.sliceDoc(0, word.from), view.state.sliceDoc(word.to, word.to + 40));
    return card === null ? null : { pos: word.from, end: word.to, create: () => ({ dom: card }) };
  });
}

function cardFor(assist: Assist, name: string, before: string, after: string): HTMLElement | null {
  const language = assist.language();
  const { inString, inComment } = surroundings(before);
  if (inComment) return null;
  if (inString !== null) {
    const definition = language?.patterns.get(name);
    if (definition !== undefined && inString.endsWith("%{")) return patternCard(name, definition);
    const fact = /%\{\w+:$/.test(inString) ? assist.keys().get(name) : undefined;
    return fact === undefined ? null : keyCard(name, fact);
  }
  if (/^\s*\(/.test(after)) {
    const doc = functionNamed(language, name);
    if (doc !== undefined) return functionCard(doc);
    if (language?.notBuilt.includes(name)) return notBuiltCard(name);
  }
  const key = name === "_" ? "message" : name;
  const fact = assist.keys().get(key);
  return fact === undefined ? null : keyCard(key, fact);
}
