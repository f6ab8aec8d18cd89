// Handles text of several lines that reaches the editor without a paste event, for example from an input method, a text
// expander, or a tool that drives the page.

import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";

/**
 * Inserts text of several lines in one transaction. Chromium itself would insert the text line by line into the page
 * and lay the page out for each line: 1,500 lines took two minutes. The text passes through the editor's filters for
 * pasted text, although it was not pasted.
 */
export function insertedLines(): Extension {
  return EditorView.domEventHandlers({
    beforeinput: (event, view) => {
      const { data, inputType } = event;
      if (inputType !== "insertText" || data === null || !/[\r\n]/.test(data) || view.state.readOnly) return false;
      const text = view.state
        .facet(EditorView.clipboardInputFilter)
        .reduce((filtered, filter) => filter(filtered, view.state), data);
      const change = view.state.replaceSelection(view.state.toText(text));
      view.dispatch(change, { userEvent: "input.paste", scrollIntoView: true });
      return true;
    },
  });
}
