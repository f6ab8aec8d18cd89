// Expands a grok expression into one plain regular expression: replaces each reference `%{NAME:alias:type}` by the
// definition of the pattern NAME, and collects the types of the fields (docs/reference/grok.md#references).

import type { Expansion, FieldType, PatternSource, Reference } from "./patterns.ts";

/** An error in the references of a grok expression. Its message can be shown to users as it is. */
export class GrokError extends Error {
  /** UTF-16 index of the bad reference in the expression; 0 when the definition of a pattern is wrong. */
  offset: number;
  /** The pattern name that the author probably meant; undefined when no known name is similar. */
  readonly hint: string | undefined;

  constructor(message: string, offset = 0, hint?: string) {
    super(message);
    this.name = "GrokError";
    this.offset = offset;
    this.hint = hint;
  }
}

/** The error for a reference to a pattern that is not defined. */
export class UnknownPattern extends GrokError {
  readonly pattern: string;
  constructor(pattern: string, offset = 0) {
    super(`no pattern found for %{${pattern}}`, offset);
    this.pattern = pattern;
  }
}

/** Matches a reference `%{...}`; anything else in an expression is part of the regular expression. */
const REFERENCE = referenceTo("[0-9A-Za-z_.-]+");
/**
 * Matches a reference `%{...}` whose field name may also be written as in the Elastic Common Schema (ECS):
 * `[source][address]`.
 */
const ECS_REFERENCE = referenceTo(String.raw`[0-9A-Za-z_.-]+|(?:\[[^\][{}:<>]+\])+`);
const ECS_GROUP = /\(\?P?<((?:\[[^\][{}:<>]+\])+)>/g;
/** Matches the pattern names that a reference may use. */
export const NAME = /^[0-9A-Za-z_]+(?:[.-][0-9A-Za-z_]+)*$/;
const TYPES: ReadonlyMap<string, FieldType> = new Map([
  ["string", "string"],
  ["str", "string"],
  ["float", "float"],
  ["int", "int"],
  ["bool", "bool"],
]);

/**
 * Longest expansion in UTF-16 units. The limit is needed because definitions can use other definitions twice, and so
 * double the length at every level.
 */
const MAX_LENGTH = 1 << 22;

/** Expands a grok expression. Throws GrokError for the leftmost bad reference. */
export function expand(expression: string, patterns: PatternSource): Expansion {
  const ecs = patterns.ecs === true;
  const own = new Map<string, FieldType>();
  const inherited = new Map<string, FieldType>();
  const fieldNames = new Map<string, string>();
  const source = ecs ? withGroupNames(expression, fieldNames) : expression;
  const references: Reference[] = [];
  let regex = "";
  let copied = 0;
  for (const match of source.matchAll(ecs ? ECS_REFERENCE : REFERENCE)) {
    const [text, name, alias, type] = match as unknown as [string, string, string | undefined, string | undefined];
    const fieldType = type === undefined ? undefined : TYPES.get(type);
    if (!NAME.test(name) || (type !== undefined && fieldType === undefined))
      throw new GrokError(`invalid pattern \`${text}\``, match.index, NAME.test(name) ? wrongType(type!) : undefined);
    const definition = lookUp(patterns, name, match.index);
    if (definition === undefined) throw new UnknownPattern(name, match.index);
    for (const [field, its] of definition.types) if (!inherited.has(field)) inherited.set(field, its);
    for (const [group, field] of definition.fieldNames ?? []) fieldNames.set(group, field);
    const group = alias === undefined ? null : groupName(alias);
    const field = alias?.[0] === "[" ? dotted(alias) : group;
    if (group !== null && field !== null && field !== group) fieldNames.set(group, field);
    if (field !== null && fieldType !== undefined) own.set(field, fieldType);
    regex += source.slice(copied, match.index);
    copied = match.index + text.length;
    const start = regex.length;
    regex += group === null ? "(" : `(?P<${group}>`;
    const body = regex.length;
    regex += `${definition.regex})`;
    if (regex.length > MAX_LENGTH) throw new GrokError(`expression too large: \`${text}\``, match.index);
    references.push({ name, field, source: [match.index, copied], group: [start, regex.length], body, definition });
  }
  const types = new Map([...inherited, ...own]);
  return { regex: regex + source.slice(copied), types, references, ...(fieldNames.size === 0 ? {} : { fieldNames }) };
}

/**
 * Returns the name of the regex group for an alias such as `client` or `[source][address]`. Every character that group
 * names cannot contain becomes `_`, so the length stays the same.
 */
function groupName(alias: string): string {
  return alias.replace(/[^0-9A-Za-z_]/g, "_");
}

/** Turns a field name `[source][address]` into `source.address`. */
function dotted(alias: string): string {
  return alias.slice(1, -1).replaceAll("][", ".");
}

/**
 * Renames groups such as `(?<[source][address]>...)` to names that a regex allows. The length of the expression, and so
 * the offset of every other character, stays the same.
 */
function withGroupNames(expression: string, fieldNames: Map<string, string>): string {
  return expression.replace(ECS_GROUP, (opening: string, name: string) => {
    fieldNames.set(groupName(name), dotted(name));
    return opening.replace(name, groupName(name));
  });
}

function referenceTo(alias: string): RegExp {
  return new RegExp(String.raw`%\{([0-9A-Za-z_.-]+)(?::(${alias})(?::([0-9A-Za-z_.-]+))?)?\}`, "g");
}

function wrongType(type: string): string {
  const names = [...TYPES.keys()];
  const near = names.find((name) => type.toLowerCase().startsWith(name));
  const meant = near === undefined ? "" : `, did you mean ${near}?`;
  return `there is no type ${type.slice(0, 50)}${meant || ";"} a type is ${names.join(", ")}`;
}

/**
 * Looks up the definition of a pattern. An error inside the definition is reported at the reference to the pattern,
 * which begins at `offset`.
 */
function lookUp(patterns: PatternSource, name: string, offset: number): Expansion | undefined {
  try {
    return patterns.lookup(name);
  } catch (error) {
    if (error instanceof GrokError) error.offset = offset;
    throw error;
  }
}

/**
 * Returns where a character of the expanded regex was written: the expression or definition, and the UTF-16 index in
 * it.
 */
export function writtenAt(expansion: Expansion, offset: number): { readonly in: Expansion; readonly offset: number } {
  let shift = 0;
  for (const { source, group, body, definition } of expansion.references ?? []) {
    if (offset < group[0]) break;
    if (offset < group[1]) {
      const isOwn = offset >= body && definition.place !== undefined;
      return isOwn ? writtenAt(definition, offset - body) : { in: expansion, offset: source[0] };
    }
    shift = source[1] - group[1];
  }
  return { in: expansion, offset: offset + shift };
}

/**
 * Returns the parts of an expression that look like references `%{...}` but are none, because their name or alias
 * contains invalid characters.
 */
export function wrongReferences(
  expression: string,
  ecs: boolean,
): { readonly text: string; readonly offset: number }[] {
  return Array.from(expression.matchAll(/%\{\p{L}[^{}%]*\}/gu), (match) => ({
    text: match[0],
    offset: match.index,
  })).filter(({ text }) => text.replace(ecs ? ECS_REFERENCE : REFERENCE, "") !== "");
}

/** Returns the pattern names that an expression refers to, in order, without checking that they exist. */
export function references(expression: string, ecs: boolean): string[] {
  return Array.from(expression.matchAll(ecs ? ECS_REFERENCE : REFERENCE), (match) => match[1] as string);
}
