// Evaluates XPath expressions on XML texts (docs/reference/functions.md#xml): the bundled evaluator, restricted to the
// part of XPath that the reference lists, plus functions that the evaluator lacks.

import { Regex, RegexSyntaxError } from "../../regex/regex.ts";
import { prefixSpace, Walks, WalkTooLong, type XmlNode } from "./node.ts";
import { parseXml } from "./parse.ts";
import { NodeSet, parse, type XPathOptions, type XPathValue } from "./xpath-bundle.js";

/** The error for an XPath expression that cannot be used; `message` states the reason. */
export class XPathMistake extends Error {}

export interface XPathAnswer {
  /**
   * Text of the first node that the expression finds, or the string value of a result that is not a node set. Null when
   * no node is found or the document is not XML.
   */
  readonly text: string | null;
  /** Number of visits of nodes during the evaluation. When this number exceeds the limit, `text` is null. */
  readonly walks: number;
}

export type XPath = (xml: string, walkLimit: number) => XPathAnswer;

/** Names that are not functions although a parenthesis may follow them: node tests and operators. */
const words = "text comment node and or div mod".split(" ");
const functionNames = `contains starts-with ends-with matches substring substring-before substring-after string-length
  normalize-space translate concat replace string name local-name namespace-uri position last count number sum round floor
  ceiling not true false boolean reverse`.split(/\s+/);
const allowed: ReadonlySet<string> = new Set([...words, ...functionNames]);

/** Compiles an XPath expression. Throws XPathMistake. */
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
      // The XPath evaluator reports a wrong argument of a function only while it evaluates. The expression then has no
      // result.
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
    // An axis and `::` may precede the name, as in `child::text()`. They are removed before the name is checked.
    const name = called!.split("::").at(-1)!;
    if (!allowed.has(name)) throw new XPathMistake(`unknown function ${name}()`);
  }
}

type Added = NonNullable<ReturnType<XPathOptions["functions"]>>;

/**
 * Returns the functions that XPath 1.0 does not have, and another version of the function `namespace-uri`. This
 * version returns the namespace that the document declares, and not the evaluator's internal namespace of the
 * prefix.
 */
function addedFunctions(): XPathOptions["functions"] {
  let last: { readonly source: string; readonly regex: Regex } | null = null;
  /**
   * Calls `use` with the compiled regular expression; returns `otherwise` when the pattern is invalid. The last
   * compiled expression is kept, because the pattern is nearly always a literal, which is the same for each node.
   */
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
    // The result of an expression is the first of its nodes in document order, so the order of a node set does not
    // matter. Therefore `reverse` returns its node set unchanged.
    reverse: (_, nodes) => (nodes instanceof NodeSet ? nodes : nodes!.stringValue()),
    "namespace-uri": (context, nodes) => {
      const node = nodes instanceof NodeSet ? nodes.toArray()[0] : (context as { contextNode: XmlNode }).contextNode;
      return node?.boundNamespace ?? "";
    },
  };
  return (name) => added[name];
}
