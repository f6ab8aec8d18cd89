// Completes the names of patterns after `%{` in an expression.

import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { EditorState, type Extension } from "@codemirror/state";
import { t } from "../../../text/translate.ts";
import type { LibraryPattern } from "../../../worker/grok/workbench.ts";

export function patternCompletion(library: () => readonly LibraryPattern[]): Extension {
  // The editor compares completion sources by identity, so the array with the source is made only once.
  const data = [{ autocomplete: (context: CompletionContext) => complete(context, library()) }];
  return EditorState.languageData.of(() => data);
}

function complete(context: CompletionContext, library: readonly LibraryPattern[]): CompletionResult | null {
  const before = context.matchBefore(/%\{[\w.-]*/);
  if (before === null || library.length === 0) return null;
  return {
    from: before.from + 2,
    options: library.map(
      ({ name, about, definition, isOwn }): Completion => ({
        label: name,
        type: "pattern",
        detail: isOwn ? t("own") : "",
        info: about === "" ? definition.slice(0, 300) : about,
      }),
    ),
    validFor: /^[\w.-]*$/,
  };
}
