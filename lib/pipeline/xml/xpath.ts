// XPath expressions over XML texts (docs/reference/functions.md#xml.31): the bundled evaluator, restricted to the part of XPath
// that the document names, plus functions that the evaluator lacks.

import { Regex, RegexSyntaxError } from "../../regex/regex.ts";
import { prefixSpace, Walks, WalkTooLong, type XmlNode } from "./node.ts";
import { parseXml } from "./parse.ts";
import { NodeSet, parse, type XPathOptions, type XPathValue } from "./xpath-bundle.js";

/** The error for an expression that cannot be used; `message` says why. */
export class XPathMistake extends Error {}

export interface XPathAnswer {
  /** The text of the first node, or the result itself as text; null when there is no such node or the text is not XML. */
  readonly text: string | null;
  /** Number of walks over nodes; more than the limit means that there is no answer. */
  readonly walks: number;
}

export type XPath = (xml: string, walkLimit: number) => XPathAnswer;

/** Node tests and operators that may stand before a parenthesis. */
const words = "text comment node and or div mod".split(" ");
const functionNames = `contains starts-with ends-with matches substring substring-before substring-after string-length
  normalize-space translate concat replace string name local-name namespace-uri position last count number sum round floor
  ceiling not true false boolean reverse`.split(/\s+/);
const allowed: ReadonlySet<string> = new Set([...words, ...functionNames]);

/** Compiles an expression. Throws XPathMistake. */
export function compileXPath(expression: string): XPath {
  refuseUnsupported(expression);
  const parsed = parsedExpression(expression);
  const functions = addedFunctions();
  return (xml, walkLimit) => {
    const walks = new Walks(walkLimit);
    const document = parseXml(xml, walks);
    if (document === null) return { text: null, walks: 0 };
    try {
      const result = parsed.evaluate({ node: document, isHtml: false, namespaces: prefixSpace, functions });
      const text = result instanceof NodeSet ? (result.toArray()[0]?.text() ?? null) : result.stringValue();
      return { text, walks: walks.taken };
    } catch (error) {
      if (error instanceof WalkTooLong) return { text: null, walks: walks.taken };
      // The evaluator only finds wrong arguments here; the expression then has no answer.
      if (error instanceof Error && !(error instanceof RangeError)) return { text: null, walks: walks.taken };
      throw error;
    }
  };
}

function parsedExpression(expression: string): ReturnType<typeof parse> {
  try {
    return parse(expression);
  } catch (error) {
    throw new XPathMistake(error instanceof Error && error.message !== "" ? error.message : "syntax error");
  }
}

function refuseUnsupported(expression: string): void {
  const bare = expression.replace(/"[^"]*"|'[^']*'/g, '""');
  if (bare.includes("$")) throw new XPathMistake("variables are not supported");
  if (/\bnamespace\s*::/.test(bare)) throw new XPathMistake("the namespace axis is not supported");
  for (const [, called] of bare.matchAll(/([\p{L}_][\p{L}\p{N}_.:-]*)\s*\(/gu)) {
    // An axis may stand before a node test.
    const name = called!.split("::").at(-1)!;
    if (!allowed.has(name)) throw new XPathMistake(`unknown function ${name}()`);
  }
}

type Added = NonNullable<ReturnType<XPathOptions["functions"]>>;

/** Returns functions that XPath 1.0 does not have, and a `namespace-uri` that does not show the stand-in of a prefix. */
function addedFunctions(): XPathOptions["functions"] {
  let last: { readonly source: string; readonly regex: Regex } | null = null;
  /** Patterns are nearly always literals, the same for each node. */
  const withRegex = <T>(pattern: XPathValue, use: (regex: Regex) => T, otherwise: T): T => {
    const source = pattern.stringValue();
    try {
      if (last?.source !== source) last = { source, regex: Regex.compile(source) };
      return use(last.regex);
    } catch (error) {
      if (error instanceof RegexSyntaxError) return otherwise;
      throw error;
    }
  };
  const added: Readonly<Record<string, Added | undefined>> = {
    "ends-with": (_, text, end) => text!.stringValue().endsWith(end!.stringValue()),
    matches: (_, text, pattern) => withRegex(pattern!, (regex) => regex.test(text!.stringValue()), false),
    replace: (_, text, pattern, by) => {
      const whole = text!.stringValue();
      return withRegex(pattern!, (regex) => regex.replace(whole, by!.stringValue()), whole);
    },
    // The first of its nodes in document order counts, as for any other node set.
    reverse: (_, nodes) => (nodes instanceof NodeSet ? nodes : nodes!.stringValue()),
    "namespace-uri": (context, nodes) => {
      const node = nodes instanceof NodeSet ? nodes.toArray()[0] : (context as { contextNode: XmlNode }).contextNode;
      return node?.boundNamespace ?? "";
    },
  };
  return (name) => added[name];
}
