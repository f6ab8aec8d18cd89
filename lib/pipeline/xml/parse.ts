// A strict XML parser (docs/reference/functions.md#xml): tags must be well-formed, attributes quoted, and only the five
// predefined entities and numeric character references are accepted. A DOCTYPE is skipped. The entities that it
// declares are not supported, which prevents attacks by entity expansion. Text outside the root element and several
// root elements are accepted.

import { nodeTypes, type Walks, XmlNode } from "./node.ts";

const deepest = 256;
const mostNodes = 200_000;

const name = /[\p{L}_:][\p{L}\p{M}\p{N}_:.\-·]*/uy;
const space = /[ \t\r\n]*/y;
const forbidden = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/;
const xmlSpace = "http://www.w3.org/XML/1998/namespace";

const entities: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
]);

class Malformed extends Error {}

/**
 * Parses an XML document. Returns null when the text is not well-formed, nests deeper than 256 levels or has more than
 * 200,000 nodes.
 */
export function parseXml(text: string, walks: Walks): XmlNode | null {
  if (forbidden.test(text)) return null;
  try {
    return new Reader(text.replace(/\r\n?/g, "\n"), walks).read();
  } catch (error) {
    if (error instanceof Malformed) return null;
    throw error;
  }
}

/** The namespaces that are declared for the current element, by prefix. */
type Bindings = ReadonlyMap<string, string>;

class Reader {
  private readonly text: string;
  private readonly walks: Walks;
  private at = 0;
  private count = 0;

  constructor(text: string, walks: Walks) {
    this.text = text;
    this.walks = walks;
  }

  read(): XmlNode {
    const root = this.node(nodeTypes.document, "#document", "", null);
    let parent = root;
    let bindings: Bindings = new Map([["xml", xmlSpace]]);
    const outer: { readonly node: XmlNode; readonly bindings: Bindings }[] = [];
    while (this.at < this.text.length) {
      if (this.text[this.at] !== "<") this.characters(parent);
      else if (this.take("<!--")) this.comment(parent);
      else if (this.take("<![CDATA[")) this.node(nodeTypes.cdata, "#cdata-section", this.upTo("]]>"), parent);
      else if (this.take("<!")) this.directive();
      else if (this.take("<?")) this.instruction();
      else if (this.take("</")) {
        if (this.name() !== parent.nodeName) throw new Malformed();
        this.blanks();
        this.need(">");
        const back = outer.pop();
        if (back === undefined) throw new Malformed();
        parent = back.node;
        bindings = back.bindings;
      } else {
        this.at++;
        const { node, isEmpty, inside } = this.element(parent, bindings);
        if (isEmpty) continue;
        if (outer.length >= deepest) throw new Malformed();
        outer.push({ node: parent, bindings });
        parent = node;
        bindings = inside;
      }
    }
    if (outer.length > 0) throw new Malformed();
    return root;
  }

  private element(parent: XmlNode, bindings: Bindings): { node: XmlNode; isEmpty: boolean; inside: Bindings } {
    const tag = this.name();
    const attributes: { readonly key: string; readonly value: string }[] = [];
    let inside = bindings;
    let isEmpty = false;
    for (;;) {
      const blanks = this.blanks();
      if (this.take("/>")) {
        isEmpty = true;
        break;
      }
      if (this.take(">")) break;
      if (blanks === 0) throw new Malformed();
      const key = this.name();
      this.blanks();
      this.need("=");
      this.blanks();
      const value = this.attributeValue();
      if (key === "xmlns" || key.startsWith("xmlns:")) inside = new Map([...inside, [key.slice(6), value]]);
      else attributes.push({ key, value });
    }
    const node = this.node(nodeTypes.element, tag, "", parent, spaceOf(tag, inside, true));
    for (const { key, value } of attributes) {
      const bound = key.includes(":") ? spaceOf(key, inside, false) : "";
      this.node(nodeTypes.attribute, key, value, node, bound);
    }
    return { node, isEmpty, inside };
  }

  private attributeValue(): string {
    const quote = this.text[this.at];
    if (quote !== '"' && quote !== "'") throw new Malformed();
    this.at++;
    const value = this.upTo(quote);
    if (value.includes("<")) throw new Malformed();
    return resolved(value);
  }

  private characters(parent: XmlNode): void {
    const end = this.text.indexOf("<", this.at);
    const raw = this.text.slice(this.at, end < 0 ? this.text.length : end);
    if (raw.includes("]]>")) throw new Malformed();
    this.at += raw.length;
    this.node(nodeTypes.text, "#text", resolved(raw), parent);
  }

  private comment(parent: XmlNode): void {
    const value = this.upTo("--");
    this.need(">");
    this.node(nodeTypes.comment, "#comment", value, parent);
  }

  /** Skips a DOCTYPE declaration with its content. */
  private directive(): void {
    let depth = 1;
    while (depth > 0) {
      const character = this.text[this.at];
      if (character === undefined) throw new Malformed();
      if (this.take("<!--")) this.upTo("-->");
      else {
        this.at++;
        if (character === '"' || character === "'") this.upTo(character);
        else if (character === "<") depth++;
        else if (character === ">") depth--;
      }
    }
  }

  private instruction(): void {
    this.name();
    this.upTo("?>");
  }

  private node(
    type: ConstructorParameters<typeof XmlNode>[0],
    tag: string,
    value: string,
    parent: XmlNode | null,
    boundNamespace = "",
  ): XmlNode {
    if (this.count >= mostNodes) throw new Malformed();
    return new XmlNode(type, tag, value, parent, { walks: this.walks, position: this.count++, boundNamespace });
  }

  private name(): string {
    name.lastIndex = this.at;
    const found = name.exec(this.text)?.[0];
    if (found === undefined) throw new Malformed();
    this.at += found.length;
    return found;
  }

  private blanks(): number {
    space.lastIndex = this.at;
    const { length } = space.exec(this.text)![0];
    this.at += length;
    return length;
  }

  private take(word: string): boolean {
    if (!this.text.startsWith(word, this.at)) return false;
    this.at += word.length;
    return true;
  }

  private need(word: string): void {
    if (!this.take(word)) throw new Malformed();
  }

  /** Returns the text up to the string `end` and moves past that string. */
  private upTo(end: string): string {
    const found = this.text.indexOf(end, this.at);
    if (found < 0) throw new Malformed();
    const before = this.text.slice(this.at, found);
    this.at = found + end.length;
    return before;
  }
}

/** Returns the namespace of a tag. When `mustBeBound` is true, the prefix of the tag must be declared. */
function spaceOf(tag: string, bindings: Bindings, mustBeBound: boolean): string {
  const colon = tag.indexOf(":");
  const bound = bindings.get(colon < 0 ? "" : tag.slice(0, colon));
  if (bound === undefined && colon >= 0 && mustBeBound) throw new Malformed();
  return bound ?? "";
}

function resolved(raw: string): string {
  if (!raw.includes("&")) return raw;
  return raw.replace(
    /&(#x([0-9A-Fa-f]+);|#([0-9]+);|(\w+);)?/g,
    (_, any?: string, hex?: string, decimal?: string, word?: string) => {
      if (any === undefined) throw new Malformed();
      if (word !== undefined) {
        const character = entities.get(word);
        if (character === undefined) throw new Malformed();
        return character;
      }
      return character(hex === undefined ? Number.parseInt(decimal!, 10) : Number.parseInt(hex, 16));
    },
  );
}

function character(code: number): string {
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) throw new Malformed();
  const text = String.fromCodePoint(code);
  if (forbidden.test(text)) throw new Malformed();
  return text;
}
