// The function xml: returns the text of the first node that an XPath expression finds
// (docs/reference/functions.md#xml).

import { writeKey } from "../../runtime/point-access.ts";
import type { Run } from "../../runtime/run.ts";
import { chargeWork } from "../../runtime/step-charge.ts";
import { toText } from "../../runtime/to-text.ts";
import { isText, type Text, textOf, type Value, VOID } from "../../runtime/value.ts";
import { compileXPath, type XPath, XPathMistake } from "../../xml/xpath.ts";
import { type Call, type Declaration, declare } from "../declare.ts";
import { isKeyNode, literalOr } from "../nodes.ts";

/** Largest length in characters of an XML text that is parsed. */
const longestText = 8 * 1024 * 1024;
const walksPerStep = 4;
/**
 * Largest number of node visits in one call, even when the script's step limit would allow more; 4,000,000
 * visits take about a third of a second.
 */
const mostWalks = 4_000_000;

const encoder = new TextEncoder();

function xpathArgument(call: Call): XPath {
  const expression = literalOr(call, 1, (kind) => `expect StringLiteral, got ${kind}`);
  try {
    return compileXPath(expression);
  } catch (error) {
    if (error instanceof XPathMistake) return call.fail(`invalid xpath expression: ${error.message}`, call.arg(1));
    throw error;
  }
}

/** Decodes an XML text whose declaration may name another encoding than UTF-8. Returns null for an unknown encoding. */
function decoded(text: Text): string | null {
  const whole = textOf(text);
  const label = /^<\?xml[^>]*?\sencoding\s*=\s*["']([^"']*)["']/.exec(whole)?.[1];
  if (label === undefined || /^utf-?8$/i.test(label)) return whole;
  try {
    const bytes = typeof text === "string" ? encoder.encode(text) : text.view();
    return new TextDecoder(label).decode(bytes);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function walkLimit(run: Run): number {
  return run.steps > 0 ? Math.min(run.steps * walksPerStep, mostWalks) : mostWalks;
}

export const xml = declare({
  name: "xml",
  summary:
    "Writes the text of the first node that an XPath 1.0 expression finds in XML, or the text of its number, text or bool; nothing when there is none.",
  params: [
    { name: "input", type: "key", summary: "the key that holds XML" },
    { name: "xpath_expr", type: "str", summary: "a literal: the expression" },
    { name: "key_name", type: "key", summary: "the key that is written" },
  ],
  style: "positional",
  arity: { min: 3, max: 3, tooFew: "func xml expects 3 args" },
  examples: [
    {
      script: `xml(_, "//gate[@zone='n']/level", level)`,
      input: `<mill><gate zone="s"><level>3</level></gate><gate zone="n"><level>12</level></gate></mill>`,
      gives: { level: "12" },
    },
    { script: `xml(_, "count(//b)", n)`, input: "<a><b/><b/></a>", gives: { n: "2" } },
    { script: `xml(_, "//b", b)`, input: "<a>not closed", gives: {} },
  ],
  bind(call) {
    const { read } = call.key(0);
    const find = xpathArgument(call);
    const node = call.arg(2);
    if (!isKeyNode(node)) call.fail(`expect AttrExpr or Identifier or StringLiteral, got ${node?.kind}`, node);
    const { key } = call.key(2);
    return (run): Value => {
      const value = read(run);
      if (value === undefined) return VOID;
      const text = decoded(isText(value) ? value : toText(value, run.memory));
      if (text === null || text.length > longestText) return VOID;
      chargeWork(run, text.length * 2);
      const limit = walkLimit(run);
      const found = find(text, limit);
      run.steps -= Math.floor(found.walks / walksPerStep);
      if (found.walks > limit) throw tooLong(call, run, limit);
      if (found.text !== null) writeKey(run, key, found.text);
      return VOID;
    };
  },
});

/**
 * Returns the error for an XPath expression that visits too many nodes of the document: either the run has
 * reached its step limit, or the number of visits exceeds the limit for one call.
 */
function tooLong(call: Call, run: Run, limit: number): Error {
  const overrun = limit < mostWalks ? run.overrun() : null;
  return call.runFailure(overrun ?? `xpath expression exceeded ${mostWalks} nodes`, call.arg(1));
}

export const xmlFunctions: readonly Declaration[] = [xml];
