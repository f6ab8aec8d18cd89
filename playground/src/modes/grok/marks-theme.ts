// How marks look in the editors of the mode. The colours of captures are variables of `Grok.svelte`.

import { EditorView } from "@codemirror/view";

/** Number of colours of captures; a capture with a higher index has the colour of an earlier one. */
export const colours = 8;

/** Returns the classes of a mark of a capture. */
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
  ".several": { "--own": "var(--ink-3)", "--own-soft": "var(--hover)" },
  ".match": { boxShadow: "inset 0 -1px var(--good)" },
  ".reached": { backgroundColor: "var(--good-soft)", boxShadow: "inset 0 -2px var(--good)" },
  ".beyond": { color: "var(--ink-3)" },
  ".failed": { backgroundColor: "var(--bad-soft)", boxShadow: "inset 0 -2px var(--bad)" },
  ".stop": { display: "inline-block", width: "0", position: "relative" },
  ".stop::before": {
    content: '""',
    position: "absolute",
    left: "-1px",
    top: "-1.05em",
    height: "1.3em",
    width: "2px",
    backgroundColor: "var(--bad)",
  },
  ".stop::after": {
    content: '"▲"',
    position: "absolute",
    left: "-0.45em",
    top: "0.15em",
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
  ".state-gutter .cm-gutterElement": { width: "18px", textAlign: "center", fontWeight: "700" },
  ".state-matched": { color: "var(--good)" },
  ".state-unmatched": { color: "var(--bad)" },
  ".piece": { cursor: "pointer" },
  ".piece.chosen": { outline: "2px solid var(--accent)" },
});
