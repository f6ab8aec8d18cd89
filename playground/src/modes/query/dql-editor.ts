// Adds the query language to the editor: colours, completion by the worker, and help beside a word.

import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { EditorState, type Extension } from "@codemirror/state";
import { hoverTooltip } from "@codemirror/view";
import { dqlColours } from "../../editor/dql-colours.ts";
import { pluralText } from "../../state/text.ts";
import { t } from "../../text/translate.ts";
import type { HeldSource, QueryItem, QueryItems, QueryWord } from "../../worker/query-run/asking.ts";

/**
 * Functions that return the sources (such as measurements), the keys and the words of the query language that
 * completion and help need.
 */
export interface QueryAssist {
  items(before: string): Promise<QueryItems>;
  words(): readonly QueryWord[];
  sources(): readonly HeldSource[];
}

export function dqlEditor(assist: QueryAssist): Extension {
  // The editor compares completion functions by identity, so the array with the function is made only once.
  const data = [{ autocomplete: (context: CompletionContext) => complete(context, assist) }];
  return [dqlColours(), EditorState.languageData.of(() => data), help(assist)];
}

async function complete(context: CompletionContext, assist: QueryAssist): Promise<CompletionResult | null> {
  const before = context.state.doc.sliceString(0, context.pos);
  // The list of completions opens while a word is typed, and after `:`, `(`, `{` and `,`.
  if (!context.explicit && !/[\w:({,\u0080-\uffff]$/.test(before)) return null;
  const { from, items } = await assist.items(before);
  if (items.length === 0 || context.aborted) return null;
  return { from, options: items.map(optionOf), validFor: /^[\w.\u0080-\uffff]*$/ };
}

const boosts: Partial<Record<QueryItem["kind"], number>> = { key: 2, source: 2, keyword: -1 };

function optionOf({ text, label, kind, summary }: QueryItem): Completion {
  return {
    ...{ label, apply: text, type: kind === "source" ? "script" : kind, boost: boosts[kind] ?? 0 },
    ...(summary === "" ? {} : { detail: summary.length > 60 ? "" : summary, info: summary.length > 60 ? summary : "" }),
  };
}

function help(assist: QueryAssist): Extension {
  return hoverTooltip((view, pos) => {
    const line = view.state.doc.lineAt(pos);
    for (const { 0: word, index } of line.text.matchAll(/[A-Za-z_\u0080-\uffff][\w.\u0080-\uffff]*/g)) {
      const [from, end] = [line.from + index, line.from + index + word.length];
      if (pos < from || pos > end) continue;
      const text = aboutWord(word, line.text.slice(index + word.length), assist);
      return text === null ? null : { pos: from, end, create: () => ({ dom: card(word, text) }) };
    }
    return null;
  });
}

function aboutWord(word: string, behind: string, assist: QueryAssist): string | null {
  const isCall = /^\s*\(/.test(behind);
  const isNamespace = /^\s*::/.test(behind);
  const known = assist
    .words()
    .find(({ name, kind }) =>
      isNamespace ? name === word.toUpperCase() && kind === "namespace" : isCall && name === word.toLowerCase(),
    );
  if (known !== undefined) return `${known.kind}: ${known.summary}`;
  for (const { text, points, name, keys } of assist.sources()) {
    if (name === word)
      return points === null
        ? t("source {source}", { source: text })
        : t("source {source}, {points}", { source: text, points: pluralText(points, "point") });
    const key = keys.find((each) => each.key === word);
    if (key !== undefined)
      return t(key.kind === "tag" ? "a tag of {source}" : "a field of {source}, of type {type}", {
        source: text,
        type: key.kind,
      });
  }
  return null;
}

function card(word: string, text: string): HTMLElement {
  const element = (tag: string, name: string, content: string) => {
    const made = document.createElement(tag);
    made.className = name;
    made.textContent = content;
    return made;
  };
  const made = element("div", "card", "");
  made.append(element("code", "card-title", word), element("p", "card-text", text));
  return made;
}
