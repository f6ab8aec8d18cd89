// The search of an editor: its panel, its keys, and marks of the texts that equal the selected text. The page loads it
// through `searchOnDemand`.

import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import type { Extension } from "@codemirror/state";
import { type Command, keymap } from "@codemirror/view";

export function searching(marksSelected: boolean): Extension {
  return [
    ...(marksSelected ? [highlightSelectionMatches({ minSelectionLength: 2 })] : []),
    search({ top: false }),
    keymap.of(searchKeymap),
  ];
}

/** Returns the command of a key of the search, such as `Shift-F3`. */
export function searchCommand(pressed: string): Command | undefined {
  const binding = searchKeymap.find(({ key }) => key === pressed.replace(/^Shift-/, ""));
  return pressed.startsWith("Shift-") ? binding?.shift : binding?.run;
}
