// Expands the references of a grok expression, `%{NAME:alias:type}`, into one plain regular expression with the types
// of its field names (grok document, sections 2.1 to 2.3).

import type { Expansion, FieldType, PatternSource } from "./patterns.ts";

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

/** Throws GrokError for the first bad reference from the left. */
export function expand(expression: string, patterns: PatternSource): Expansion {
  const own = new Map<string, FieldType>();
  const inherited = new Map<string, FieldType>();
  const regex = expression.replace(REFERENCE, (reference: string, name: string, alias?: string, type?: string) => {
    const fieldType = type === undefined ? undefined : TYPES.get(type);
    if (!NAME.test(name) || (type !== undefined && fieldType === undefined))
      throw new GrokError(`invalid pattern \`${reference}\``);
    const definition = patterns.lookup(name);
    if (definition === undefined) throw new UnknownPattern(name);
    for (const [field, its] of definition.types) if (!inherited.has(field)) inherited.set(field, its);
    if (alias === undefined) return `(${definition.regex})`;
    const field = alias.replace(/[^0-9A-Za-z_]/g, "_");
    if (fieldType !== undefined) own.set(field, fieldType);
    return `(?P<${field}>${definition.regex})`;
  });
  return { regex, types: new Map([...inherited, ...own]) };
}

/** The names an expression refers to, in order, unchecked. */
export function references(expression: string): string[] {
  return Array.from(expression.matchAll(REFERENCE), (match) => match[1] as string);
}
