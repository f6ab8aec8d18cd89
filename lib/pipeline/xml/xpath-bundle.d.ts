// The used parts of the bundle that the build makes of the package `xpath` (see xpath-entry.js).

import type { XmlNode } from "./node.ts";

/** A value of XPath: node set, number, text or boolean. */
export interface XPathValue {
  stringValue(): string;
  numberValue(): number;
}

export class NodeSet implements XPathValue {
  /** Returns the nodes in document order. */
  toArray(): XmlNode[];
  stringValue(): string;
  numberValue(): number;
}

export interface XPathOptions {
  readonly node: XmlNode;
  readonly isHtml: false;
  /** Returns the value that stands for a prefix in `namespaceURI` of nodes. */
  readonly namespaces: (prefix: string) => string;
  /** Returns additional functions by name, which take precedence over the built-in ones; their arguments are evaluated. */
  readonly functions: (
    name: string,
  ) => ((context: unknown, ...args: XPathValue[]) => string | boolean | NodeSet) | undefined;
}

export interface ParsedXPath {
  evaluate(options: XPathOptions): XPathValue;
}

/** Parses an expression. Throws when it is not XPath. */
export function parse(expression: string): ParsedXPath;
