// Adapts the library's completion to the editor: functions become snippets, items get documentation cards, and the best
// matches come first.

import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  snippetCompletion,
} from "@codemirror/autocomplete";
import { type CompletionItem, completions, type FunctionDoc } from "../../../lib/index.ts";
import type { Assist } from "./assist.ts";
import { factsOf } from "./assist-facts.ts";
import { callSnippet } from "./call-snippet.ts";
import { functionCard, patternCard } from "./cards.ts";

const boosts: Partial<Record<CompletionItem["kind"], number>> = { key: 2, parameter: 1, keyword: -1 };

export function complete(assist: Assist): (context: CompletionContext) => CompletionResult | null {
  return ({ state, pos, explicit }) => {
    const facts = factsOf(assist);
    const found = completions(state.doc.toString(), pos, facts);
    if (found === null || !(found.eager || explicit || found.from < pos)) return null;
    const docs = new Map(facts.functions.map((doc) => [doc.name, doc]));
    const options = found.items.map((item) => optionOf(item, docs, assist));
    return { from: found.from, options, validFor: /^[A-Za-z0-9_\u0080-\uffff]*$/ };
  };
}

function optionOf(
  { label, kind, insert, detail, info }: CompletionItem,
  docs: ReadonlyMap<string, FunctionDoc>,
  assist: Assist,
): Completion {
  const doc = kind === "function" ? docs.get(label) : undefined;
  if (doc !== undefined)
    return snippetCompletion(callSnippet(doc), { label, type: kind, detail, info: () => functionCard(doc) });
  return {
    label,
    type: kind,
    ...(insert === label ? {} : { apply: insert }),
    ...(detail === "" ? {} : { detail }),
    ...(kind === "pattern"
      ? { info: () => patternCard(label, info, assist.language()?.patterns.has(label) !== true) }
      : info === ""
        ? {}
        : { info: shortened(info) }),
    boost: boosts[kind] ?? 0,
  };
}

function shortened(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
