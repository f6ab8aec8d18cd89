// Splits a grok expression into its elements: the parts that follow one another outside of groups.

/** An element of a grok expression, with its quantifier. */
export interface Element {
  /**
   * The type of the element: `literal` for plain text, `space` for white space, `reference` for `%{...}`, `anchor` for
   * `^`, `$` and the like.
   */
  readonly kind: "literal" | "space" | "reference" | "group" | "class" | "anchor";
  /** Text of the element in the grok expression, unchanged. */
  readonly source: string;
  /** UTF-16 index of the element in the expression. */
  readonly start: number;
  /**
   * The text that a literal or a piece of white space in the expression matches; empty for all other elements.
   */
  readonly text: string;
  /** The parts of a reference `%{name:field:type}`; null for other elements and for a reference with a quantifier. */
  readonly reference: { readonly name: string; readonly field: string | null; readonly type: string | null } | null;
}

const REFERENCE = /%\{([\w.-]+)(?::([\w.-]+|(?:\[[^\][{}:<>]+\])+)(?::([\w.-]+))?)?\}/y;
const QUANTIFIER = /(?:[*+?]|\{\d+(?:,\d*)?\})\??/y;
const ANCHOR = /[\^$]|\\[AzbB]/y;
const ESCAPE = /\\Q[\s\S]*?(?:\\E|$)|\\[pP](?:\{[^}]*\}|.)|\\x(?:\{[0-9A-Fa-f]+\}|[0-9A-Fa-f]{2})|\\[\s\S]/y;
const CLASS = /\[\^?\]?(?:\[:\^?\w+:\]|\\[\s\S]|[^\]\\])*\]/y;

/**
 * Splits a valid expression into elements. The texts of the elements, joined in order, are the expression. An
 * expression with a `|` outside of groups becomes a single element.
 */
export function elementsOf(expression: string): Element[] {
  const elements: Element[] = [];
  for (let at = 0; at < expression.length; ) {
    if (expression[at] === "|") return [element("group", expression, 0)];
    const next = elementAt(expression, at);
    elements.push(next);
    at += next.source.length;
  }
  return joined(elements);
}

function element(kind: Element["kind"], source: string, start: number, text = ""): Element {
  return { kind, source, start, text, reference: null };
}

function elementAt(expression: string, at: number): Element {
  const anchor = taken(ANCHOR, expression, at);
  if (anchor !== null) return element("anchor", anchor, at);
  REFERENCE.lastIndex = at;
  const reference = REFERENCE.exec(expression);
  const base = reference?.[0] ?? unitAt(expression, at);
  const quantifier = taken(QUANTIFIER, expression, at + base.length) ?? "";
  const source = base + quantifier;
  if (reference !== null) {
    const [, name = "", field = null, type = null] = reference;
    return { ...element("reference", source, at), reference: quantifier === "" ? { name, field, type } : null };
  }
  const text = base[0] === "\\" ? escaped(base) : base.length === 1 && base !== "." ? base : null;
  const isSpace = base === "\\s" || (text !== null && /^\s$/.test(text));
  if (isSpace) return element("space", source, at, quantifier === "" ? (text ?? "") : "");
  if (text !== null && quantifier === "") return element("literal", source, at, text);
  return element(base[0] === "(" ? "group" : "class", source, at);
}

/** Returns the group, character class, escape or single character that begins at `at`. */
function unitAt(expression: string, at: number): string {
  if (expression[at] === "[") return taken(CLASS, expression, at) ?? "[";
  if (expression[at] === "\\") return taken(ESCAPE, expression, at) ?? "\\";
  if (expression[at] !== "(") return String.fromCodePoint(expression.codePointAt(at) as number);
  let depth = 0;
  for (let end = at; end < expression.length; ) {
    const skipped = taken(CLASS, expression, end) ?? taken(ESCAPE, expression, end);
    if (expression[end] === "(") depth++;
    if (expression[end] === ")" && --depth === 0) return expression.slice(at, end + 1);
    end += skipped?.length ?? 1;
  }
  return expression.slice(at);
}

/** Returns the only text that an escape matches; null for an escape such as `\d` that matches several texts. */
function escaped(source: string): string | null {
  if (source.startsWith("\\Q")) return source.slice(2).replace(/\\E$/, "");
  if (/^\\[^A-Za-z0-9]$/.test(source)) return source[1] as string;
  return ({ "\\t": "\t", "\\n": "\n", "\\r": "\r" } as Record<string, string>)[source] ?? null;
}

/**
 * Joins neighbouring letters and digits to one element, and neighbouring white space characters to another. Each other
 * character is an element of its own.
 */
function joined(elements: readonly Element[]): Element[] {
  const result: Element[] = [];
  for (const next of elements) {
    const last = result.at(-1);
    if (last !== undefined && last.kind === next.kind && isJoined(last.text) && isJoined(next.text))
      result[result.length - 1] = { ...last, source: last.source + next.source, text: last.text + next.text };
    else result.push(next);
  }
  return result;
}

function isJoined(text: string): boolean {
  return /^(?:[\w\u0080-\uffff]|\s)+$/.test(text);
}

function taken(form: RegExp, text: string, at: number): string | null {
  form.lastIndex = at;
  return form.exec(text)?.[0] ?? null;
}
