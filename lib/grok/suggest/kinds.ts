// The kinds of values that a suggestion distinguishes, from the most specific to the most general, each with the grok
// expression that matches it. Each date layout is a kind of its own.

import { Regex, simulation } from "../../regex/regex.ts";
import { expand } from "../expand.ts";
import { knownGroups } from "../known-groups.ts";
import type { FieldType, PatternSource } from "../patterns.ts";
import { DATE_LAYOUTS } from "./dates.ts";

/** A kind of value that the suggestions recognize in a line, such as an IP address. */
export interface Kind {
  /** Name of the kind of value, such as `ip`, `int` or `date`. */
  readonly name: string;
  /** Name of the built-in pattern that matches values of this kind; null when only an expression matches them. */
  readonly pattern: string | null;
  /** The grok expression that matches values of this kind, without the name of a field. */
  readonly expression: string;
  /** The type of the field that captures the value. */
  readonly type: FieldType;
  /** Description of the values of this kind for people, such as `a whole number`. */
  readonly text: string;
  /** Name for a field of this kind when the text around the value suggests no other name. */
  readonly field: string;
  /** For a date: its layout, such as `yyyy-MM-dd`. */
  readonly layout?: string;
}

function kind(name: string, text: string, pattern: string, more: Partial<Kind> = {}): Kind {
  return { name, pattern, expression: `%{${pattern}}`, type: "string", text, field: name, ...more };
}

const dates: readonly Kind[] = DATE_LAYOUTS.map(({ layout, pattern, expression }) => ({
  name: "date",
  pattern,
  expression,
  type: "string",
  text: `a date like ${layout}`,
  field: "time",
  layout,
}));

const kinds = [
  kind("uuid", "a UUID", "UUID", { field: "id" }),
  kind("mac", "a MAC address", "MAC"),
  kind("ip", "an IP address (v4 or v6)", "IP"),
  kind("int", "a whole number", "INT", { type: "int", field: "number" }),
  kind("float", "a number", "NUMBER", { type: "float", field: "number" }),
  kind("level", "a log level", "LOGLEVEL"),
  kind("letter", "a capital letter", "", { pattern: null, expression: "[A-Z]", field: "level" }),
  kind("method", "an HTTP method", "WORD"),
  kind("hex", "a hexadecimal number or id", "", { pattern: null, expression: "(?:0[xX])?[0-9A-Fa-f]+", field: "id" }),
  kind("uri", "a URI", "URI"),
  kind("path", "a path", "URIPATHPARAM"),
  kind("host", "a host name", "HOSTNAME"),
  kind("iporhost", "an IP address or host name", "IPORHOST", { field: "host" }),
  kind("word", "a word (letters, digits and _)", "WORD"),
  kind("token", "text without white space", "NOTSPACE", { field: "word" }),
  kind("text", "any text, as short as possible", "DATA"),
  kind("rest", "any text, as long as possible", "GREEDYDATA", { field: "message" }),
  kind("lines", "any text of several lines", "GREEDYLINES", { field: "message" }),
] as const;

const byName: ReadonlyMap<string, Kind> = new Map(kinds.map((each) => [each.name, each]));

/** All kinds of values that the suggestions recognize, such as IP addresses; the kinds of dates come first. */
export const KINDS: readonly Kind[] = [...dates, ...kinds];

/** Returns the kind with the given name. For `date`, `layout` selects one of the date kinds. */
export function kindOf(name: string, layout?: string): Kind {
  return name === "date" ? (dates.find((date) => date.layout === layout) as Kind) : (byName.get(name) as Kind);
}

/**
 * Kinds of values that are easy to recognize, such as dates and numbers. It is probably no coincidence when all lines
 * have a value of such a kind in the same column.
 */
export const STRONG: ReadonlySet<string> = new Set([
  "date",
  "uuid",
  "mac",
  "ip",
  "int",
  "float",
  "level",
  "letter",
  "method",
  "uri",
  "path",
]);

/**
 * Tests whether whole texts are values of a kind, such as numbers or IP addresses. The grok expression of a kind is
 * compiled at its first use, with the given patterns.
 */
export class KindMatcher {
  private readonly patterns: PatternSource;
  private readonly compiled = new Map<string, Regex>();

  constructor(patterns: PatternSource) {
    this.patterns = patterns;
  }

  /** Returns whether the expression matches every text from start to end. */
  matches(expression: string, texts: Iterable<string>): boolean {
    let regex = this.compiled.get(expression);
    if (regex === undefined) {
      const expansion = expand(`^(?:${expression})$`, this.patterns);
      const options = { namedOnly: true, known: knownGroups(expansion), engine: simulation };
      regex = Regex.compile(expansion.regex, "", options);
      this.compiled.set(expression, regex);
    }
    for (const text of texts) if (!regex.test(text)) return false;
    return true;
  }

  /** Returns the kinds to which all of the texts belong, from the most specific to the most general. */
  kindsOf(texts: readonly string[]): Kind[] {
    const few = [...new Set(texts)];
    return KINDS.filter(
      ({ name, expression }) =>
        name !== "method" && (name !== "lines" || /[\r\n]/.test(few.join(""))) && this.matches(expression, few),
    );
  }
}

/** Returns an expression that matches only `text`: special characters are escaped. */
export function literalExpression(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
