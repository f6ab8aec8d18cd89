// The styles of the marks in the editors of the grok mode. The colours of captures are CSS variables of `Grok.svelte`.

import { EditorView } from "@codemirror/view";

/** Number of colours of captures. Captures with higher indexes use the colours again from the first one. */
export const colours = 8;

/** Returns the CSS classes of the mark of a capture. */
export function captureClass(capture: number, isPointed: boolean): string {
  return `capture colour-${capture % colours}${isPointed ? " pointed" : ""}`;
}

const colourRules = Object.fromEntries(
  Array.from({ length: colours }, (_, at) => [
    `.colour-${at}`,
    { "--own": `var(--capture-${at})`, "--own-soft": `var(--capture-${at}-soft)` },
  ]),
);

export const marksTheme = EditorView.theme({
  ...colourRules,
  ".capture": {
    backgroundColor: "var(--own-soft)",
    boxShadow: "inset 0 -2px var(--own)",
    borderRadius: "3px 3px 0 0",
    color: "var(--ink)",
  },
  ".capture.pointed": { outline: "2px solid var(--own)", outlineOffset: "0" },
  ".whole": { whiteSpace: "nowrap" },
  ".several": { "--own": "var(--ink-3)", "--own-soft": "var(--hover)" },
  ".match": { textDecoration: "underline dotted var(--ink-3) 1px", textUnderlineOffset: "4px" },
  ".reached": { backgroundColor: "var(--good-soft)", boxShadow: "inset 0 -2px var(--good)" },
  ".beyond": { color: "var(--ink-3)" },
  ".failed": { outline: "2px solid var(--bad)", outlineOffset: "0", borderRadius: "3px" },
  ".stop": {
    display: "inline-block",
    position: "relative",
    width: "2px",
    height: "1.2em",
    margin: "0 -1px",
    verticalAlign: "-0.28em",
    backgroundColor: "var(--bad)",
  },
  ".stop::after": {
    content: '"▲"',
    position: "absolute",
    left: "-3.5px",
    top: "calc(100% - 4px)",
    color: "var(--bad)",
    fontSize: "9px",
    lineHeight: "1",
  },
  ".hidden-lines": {
    padding: "1px 16px 1px 8px",
    color: "var(--ink-3)",
    fontFamily: "var(--sans)",
    fontSize: "12px",
    backgroundColor: "var(--bar)",
    borderTop: "1px solid var(--line)",
    borderBottom: "1px solid var(--line)",
  },
  ".cm-lineNumbers .cm-gutterElement": { fontSize: "12px" },
  ".state-gutter .cm-gutterElement": { width: "18px", textAlign: "center", fontWeight: "700" },
  ".state-matched": { color: "var(--good)" },
  ".state-unmatched": { color: "var(--bad)" },
  ".piece": { cursor: "pointer" },
  ".piece.chosen": { outline: "2px solid var(--accent)" },
});
