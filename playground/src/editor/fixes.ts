// Quick fixes: when the hint of an error asks "did you mean …?", the diagnostic gets an action that writes the proposed
// text.

import { type Action, forEachDiagnostic } from "@codemirror/lint";
import type { KeyBinding } from "@codemirror/view";
import { t } from "../text/translate.ts";

/** A quick fix: it replaces the text from `from` to `to`, UTF-16 offsets into the script, by `insert`. */
export interface Fix {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
  /** Offset at which the underlined range of the error began when the fix was made. */
  readonly markedFrom: number;
}

/**
 * Returns the fix for an error, when its message or hint names exactly one replacement. `from` and `to` are the range
 * of the error in `text`.
 */
export function fixOf(text: string, from: number, to: number, message: string, hint: string | undefined): Fix | null {
  const meant = /did you mean (%?\{?[\w:]+\}?|==|&&|\|\|)\?/.exec(`${message}; ${hint ?? ""}`)?.[1];
  if (meant === undefined) return null;
  const marked = text.slice(from, to);
  if (meant === "elif" && /^else\s+if\b/.test(text.slice(from)))
    return { from, to: from + /^else\s+if\b/.exec(text.slice(from))![0].length, insert: meant, markedFrom: from };
  if (/^(?:\w+|=|&|\|)$/.test(marked)) return { from, to, insert: meant, markedFrom: from };
  // The error about an unknown grok pattern underlines the whole grok expression. The fix replaces only the name of the
  // pattern, if the name occurs exactly once in the expression.
  const wrong = /%\{(\w+)/.exec(message)?.[1] ?? /['"`](\w+)['"`]/.exec(message)?.[1];
  if (wrong === undefined) return null;
  const places = [...marked.matchAll(/%\{(\w+)(?=[:}])/g)].filter(([, name]) => name === wrong);
  if (places.length !== 1) return null;
  const at = from + places[0]!.index + "%{".length;
  return { from: at, to: at + wrong.length, insert: meant.replace(/^%\{|\}$/g, ""), markedFrom: from };
}

/** Returns the editor's action (a button in the tooltip of an error) that applies a quick fix to the script. */
export function fixAction(fix: Fix): Action {
  return {
    name: t("Change to {text} (Ctrl+.)", { text: fix.insert }),
    // `from` is where the diagnostic begins now; `fix.markedFrom` is where it began when the fix was made. They differ
    // when the user has edited the text before the diagnostic.
    apply: (view, from) => {
      const moved = from - fix.markedFrom;
      view.dispatch({ changes: { from: fix.from + moved, to: fix.to + moved, insert: fix.insert } });
      view.focus();
    },
  };
}

/** Ctrl+. applies the fix at the cursor, when there is exactly one. */
export const fixKey: KeyBinding = {
  key: "Mod-.",
  run: (view) => {
    const { head } = view.state.selection.main;
    const line = view.state.doc.lineAt(head);
    const found: { readonly action: Action; readonly from: number; readonly to: number; readonly isHere: boolean }[] =
      [];
    forEachDiagnostic(view.state, ({ actions = [] }, from, to) => {
      if (from <= line.to && to >= line.from)
        for (const action of actions) found.push({ action, from, to, isHere: from <= head && head <= to });
    });
    // When the cursor is inside an underlined error, Ctrl+. considers only the fixes of this error, and not those of
    // other errors in the line.
    const here = found.filter(({ isHere }) => isHere);
    const [only] = here.length > 0 ? here : found;
    if (only === undefined || (here.length > 0 ? here : found).length !== 1) return false;
    only.action.apply(view, only.from, only.to);
    return true;
  },
};
