// The types of those parts of the XPath bundle that Millrace uses. The build makes the bundle from the package
// `xpath` (see xpath-entry.js).

import type { XmlNode } from "./node.ts";

/** A value of XPath: node set, number, string or boolean. */
export interface XPathValue {
  stringValue(): string;
  numberValue(): number;
}

export class NodeSet implements XPathValue {
  /** Returns the nodes of the node set in document order. */
  toArray(): XmlNode[];
  stringValue(): string;
  numberValue(): number;
}

export interface XPathOptions {
  readonly node: XmlNode;
  readonly isHtml: false;
  /** Converts a prefix to the value that nodes with this prefix have as `namespaceURI`. */
  readonly namespaces: (prefix: string) => string;
  /**
   * Returns additional functions by name. They take precedence over the built-in functions, and receive evaluated
   * arguments.
   */
  readonly functions: (
    name: string,
  ) => ((context: unknown, ...args: XPathValue[]) => string | boolean | NodeSet) | undefined;
}

export interface ParsedXPath {
  evaluate(options: XPathOptions): XPathValue;
}

/** Parses an expression. Throws when it is not a valid XPath expression. */
export function parse(expression: string): ParsedXPath;
