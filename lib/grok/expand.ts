// Expands the references of a grok expression, `%{NAME:alias:type}`, into one plain regular expression with the types
// of its field names (grok document, sections 2.1 to 2.3).

import type { Expansion, FieldType, PatternSource, Reference } from "./patterns.ts";

/** A mistake in an expression's references; the message is complete. */
export class GrokError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "GrokError";
  }
}

/** A name that no scope and no library knows. */
export class UnknownPattern extends GrokError {
  readonly pattern: string;
  constructor(pattern: string) {
    super(`no pattern found for %{${pattern}}`);
    this.pattern = pattern;
  }
}

/** Text of another shape is no reference but literal text. */
const REFERENCE = /%\{([0-9A-Za-z_.-]+)(?::([0-9A-Za-z_.-]+)(?::([0-9A-Za-z_.-]+))?)?\}/g;
const NAME = /^[0-9A-Za-z_]+(?:[.-][0-9A-Za-z_]+)*$/;
const TYPES: ReadonlyMap<string, FieldType> = new Map([
  ["string", "string"],
  ["str", "string"],
  ["float", "float"],
  ["int", "int"],
  ["bool", "bool"],
]);

/** Definitions that each use another one twice double with every step: no expansion has more characters than this. */
const MAX_LENGTH = 1 << 22;

/** Throws GrokError for the first bad reference from the left. */
export function expand(expression: string, patterns: PatternSource): Expansion {
  const own = new Map<string, FieldType>();
  const inherited = new Map<string, FieldType>();
  const references: Reference[] = [];
  let regex = "";
  let copied = 0;
  for (const match of expression.matchAll(REFERENCE)) {
    const [text, name, alias, type] = match as unknown as [string, string, string | undefined, string | undefined];
    const fieldType = type === undefined ? undefined : TYPES.get(type);
    if (!NAME.test(name) || (type !== undefined && fieldType === undefined))
      throw new GrokError(`invalid pattern \`${text}\``);
    const definition = patterns.lookup(name);
    if (definition === undefined) throw new UnknownPattern(name);
    for (const [field, its] of definition.types) if (!inherited.has(field)) inherited.set(field, its);
    const field = alias === undefined ? null : alias.replace(/[^0-9A-Za-z_]/g, "_");
    if (field !== null && fieldType !== undefined) own.set(field, fieldType);
    regex += expression.slice(copied, match.index);
    copied = match.index + text.length;
    const start = regex.length;
    regex += field === null ? "(" : `(?P<${field}>`;
    const body = regex.length;
    regex += `${definition.regex})`;
    if (regex.length > MAX_LENGTH) throw new GrokError(`expression too large: \`${text}\``);
    references.push({ name, field, source: [match.index, copied], group: [start, regex.length], body, definition });
  }
  return { regex: regex + expression.slice(copied), types: new Map([...inherited, ...own]), references };
}

/** The names an expression refers to, in order, unchecked. */
export function references(expression: string): string[] {
  return Array.from(expression.matchAll(REFERENCE), (match) => match[1] as string);
}
