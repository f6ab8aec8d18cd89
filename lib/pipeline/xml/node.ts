// The tree of an XML document, with only the members that XPath needs. Each visit of a node is counted, so that the
// work of an expensive expression can be limited.

export const nodeTypes = { element: 1, attribute: 2, text: 3, cdata: 4, comment: 8, document: 9 } as const;
export type NodeType = (typeof nodeTypes)[keyof typeof nodeTypes];

/** The error for an XPath expression that visits more nodes of a document than its limit allows. */
export class WalkTooLong extends Error {}

export class Walks {
  taken = 0;
  readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }

  step(): void {
    if (++this.taken > this.limit) throw new WalkTooLong();
  }
}

/** A node with the DOM members that the XPath evaluator uses, under their DOM names. */
export class XmlNode {
  readonly nodeType: NodeType;
  /** The name of the node as the document writes it, with its prefix. */
  readonly nodeName: string;
  readonly prefix: string;
  readonly localName: string;
  /**
   * An internal namespace, one for each prefix that the document uses. The XPath evaluator compares these namespaces,
   * so that a name test such as `a:b` compares the prefixes as they are written.
   */
  readonly namespaceURI: string;
  /** The namespace that the document declares for the prefix. */
  readonly boundNamespace: string;
  nodeValue: string;
  /** Index of the node in document order (the order in which the text has the nodes). */
  readonly position: number;
  readonly parentNode: XmlNode | null;
  /** The element to which an attribute belongs. */
  readonly ownerElement: XmlNode | null;
  readonly ownerDocument: XmlNode | null;
  readonly children: XmlNode[] = [];
  readonly attributeList: XmlNode[] = [];
  private readonly walks: Walks;
  private readonly index: number;

  constructor(
    nodeType: NodeType,
    name: string,
    value: string,
    parent: XmlNode | null,
    place: { readonly walks: Walks; readonly position: number; readonly boundNamespace?: string },
  ) {
    const colon = name.indexOf(":");
    this.nodeType = nodeType;
    this.nodeName = name;
    this.prefix = colon < 0 ? "" : name.slice(0, colon);
    this.localName = name.slice(colon + 1);
    this.namespaceURI = prefixSpace(this.prefix);
    this.boundNamespace = place.boundNamespace ?? "";
    this.nodeValue = value;
    this.position = place.position;
    this.walks = place.walks;
    const isAttribute = nodeType === nodeTypes.attribute;
    this.parentNode = isAttribute ? null : parent;
    this.ownerElement = isAttribute ? parent : null;
    this.ownerDocument = parent === null ? null : (parent.ownerDocument ?? parent);
    this.index = parent === null ? 0 : (isAttribute ? parent.attributeList : parent.children).push(this) - 1;
  }

  get firstChild(): XmlNode | null {
    this.walks.step();
    return this.children[0] ?? null;
  }

  get lastChild(): XmlNode | null {
    this.walks.step();
    return this.children.at(-1) ?? null;
  }

  get nextSibling(): XmlNode | null {
    this.walks.step();
    return this.parentNode?.children[this.index + 1] ?? null;
  }

  get previousSibling(): XmlNode | null {
    this.walks.step();
    return this.parentNode?.children[this.index - 1] ?? null;
  }

  get attributes(): { readonly length: number; item(at: number): XmlNode } {
    this.walks.step();
    const list = this.attributeList;
    return { length: list.length, item: (at) => list[at]! };
  }

  /** Returns the text of the node. The text of an element or document is all text and CDATA inside it. */
  text(): string {
    if (this.nodeType !== nodeTypes.element && this.nodeType !== nodeTypes.document) return this.nodeValue;
    const pieces: string[] = [];
    const open: XmlNode[] = [this];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (node.nodeType === nodeTypes.text || node.nodeType === nodeTypes.cdata) pieces.push(node.nodeValue);
      for (let at = node.children.length - 1; at >= 0; at--) open.push(node.children[at]!);
    }
    return pieces.join("");
  }
}

/** Returns the value that the XPath evaluator uses as the namespace of all names with the given prefix. */
export function prefixSpace(prefix: string): string {
  return prefix === "" ? "" : `prefix ${prefix}`;
}
