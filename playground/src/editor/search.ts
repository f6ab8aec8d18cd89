// The search of an editor: its panel, its keys, and marks of the texts that equal the selected text. The page loads it
// through `searchOnDemand`.

import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import { type Command, keymap } from "@codemirror/view";
import { t } from "../text/translate.ts";

export function searching(marksSelected: boolean): Extension {
  return [
    ...(marksSelected ? [highlightSelectionMatches({ minSelectionLength: 2 })] : []),
    search({ top: false }),
    EditorState.phrases.of(phrases()),
    keymap.of(searchKeymap),
  ];
}

/**
 * Returns the texts of CodeMirror's own controls, such as its search panel, in the language of the page; `$` stands for
 * a number.
 */
function phrases(): Record<string, string> {
  return {
    Find: t("Find"),
    Replace: t("Replace"),
    next: t("next"),
    previous: t("previous"),
    all: t("all"),
    "match case": t("match case"),
    regexp: t("regexp"),
    "by word": t("by word"),
    replace: t("replace"),
    "replace all": t("replace all"),
    close: t("close"),
    "current match": t("current match"),
    "on line": t("on line"),
    "replaced match on line $": t("replaced match on line $"),
    "replaced $ matches": t("replaced $ matches"),
    "Go to line": t("Go to line"),
    go: t("go"),
    Diagnostics: t("Diagnostics"),
    "No diagnostics": t("No diagnostics"),
    Completions: t("Completions"),
  };
}

/** Returns the editor command that belongs to a key of the search, such as `Shift-F3`. */
export function searchCommand(pressed: string): Command | undefined {
  const binding = searchKeymap.find(({ key }) => key === pressed.replace(/^Shift-/, ""));
  return pressed.startsWith("Shift-") ? binding?.shift : binding?.run;
}
