// Replaces the library's evaluator of XPath in the worker (vite.config.ts), and loads the real evaluator when a
// script calls `xml`. The library needs the evaluator when it compiles such a script, so the worker calls
// `loadXPath` before it compiles the script.

import type { ScriptText } from "../protocol.ts";

type Evaluator = typeof import("./xpath-evaluator.ts");

/** Parses an XPath expression. Always throws until the evaluator is loaded. */
export let parse: Evaluator["parse"] = () => {
  throw new Error("the page could not load its evaluator of XPath; reload the page");
};

/**
 * The class for a set of XML nodes; undefined until the evaluator is loaded. The library calls `parse` before it uses
 * this class, and `parse` throws until the evaluator is loaded.
 */
export let NodeSet: Evaluator["NodeSet"];

let isLoaded = false;

/**
 * Loads the evaluator when a script may call `xml`. When loading fails, the next call of `loadXPath` tries to load the
 * evaluator again.
 */
export async function loadXPath(scripts: readonly ScriptText[]): Promise<void> {
  if (isLoaded || !scripts.some(({ text }) => text.includes("xml"))) return;
  try {
    ({ parse, NodeSet } = await import("./xpath-evaluator.ts"));
    isLoaded = true;
  } catch {
    // A failure to load the evaluator is not reported here. The user sees it when the script calls `xml`, because
    // `parse` throws an error as long as the evaluator is not loaded.
  }
}
