// Reads the rules that generate the global tags of a point from a configuration
// (docs/reference/gateway.md#rules-for-tags). Every mistake is reported as a problem with its path in the
// configuration; the invalid part is ignored and all other parts are used.

import { categories } from "../point/category.ts";
import { isUsableKey } from "./header.ts";
import { scalarText } from "./plain-point.ts";
import { compileSearchFilter, type SearchFilter, SearchFilterError } from "./search-filter.ts";
import { compileTagFilter } from "./tag-filter.ts";

/** A problem in a configuration of tag rules. */
export interface TagProblem {
  /** Path of the invalid part, such as `rules[0].fields[1]`; empty for the whole configuration. */
  readonly path: string;
  readonly severity: "error" | "warning";
  readonly message: string;
}

export interface TagField {
  /** Name of the point's tag or field that the value is read from; undefined when the value is fixed. */
  readonly src: string | undefined;
  readonly dest: string;
  readonly fixed: string | undefined;
  readonly default: string | undefined;
  /** Replacements for the values that are read from points; a replacement of null leaves out the tag. */
  readonly remap: ReadonlyMap<string, string | null> | undefined;
  /**
   * Replacement for all values that `remap` (the list of replacements) does not contain. Undefined keeps the value, and
   * null leaves out the tag.
   */
  readonly remapDefault: string | null | undefined;
}

export interface TagRule {
  /** Index of the rule in the configured list, from 0. */
  readonly index: number;
  /** Categories of points that the rule applies to; undefined means all categories. */
  readonly categories: ReadonlySet<string> | undefined;
  readonly fields: readonly TagField[];
  readonly matches: SearchFilter;
}

/** A configuration for global tags: either a list of rules, or the id of a function that returns the tags. */
export interface TagConfig {
  readonly rules: readonly TagRule[];
  readonly functionId: string | undefined;
  readonly problems: readonly TagProblem[];
}

type Members = Readonly<Record<string, unknown>>;

const ruleMembers = ["category", "fields", "filter"];
const fieldMembers = ["src", "dest", "dist", "default", "fixed", "remap", "remap_default"];
const functionId = /^[A-Za-z0-9_]+__[A-Za-z0-9_]+\.[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Matches the member name `CUSTOM_INTERNAL_..._X_GLOBAL_TAGS`. A file of tag rules may wrap the rules in an object
 * whose only member has such a name.
 */
const wrapperName = /^CUSTOM_INTERNAL_[A-Z0-9]+_X_GLOBAL_TAGS$/;

/**
 * Takes the tag rules, or the id of a function, out of the parsed content of a file. The file may wrap them in an
 * object whose only member is named `CUSTOM_INTERNAL_..._X_GLOBAL_TAGS`; `wrapper` is then the name of that member.
 *
 * @example
 * unwrapTagConfig({ CUSTOM_INTERNAL_A_X_GLOBAL_TAGS: [] }); // { config: [], wrapper: "CUSTOM_INTERNAL_A_X_GLOBAL_TAGS" }
 */
export function unwrapTagConfig(content: unknown): { readonly config: unknown; readonly wrapper: string | undefined } {
  const plain = { config: content, wrapper: undefined };
  if (typeof content !== "object" || content === null || Array.isArray(content)) return plain;
  const [[name, config] = ["", undefined], ...others] = Object.entries(content);
  return others.length === 0 && wrapperName.test(name) ? { config, wrapper: name } : plain;
}

/**
 * Reads a configuration of tag rules. `maxIdentifiers` is the largest number of distinct keys in the header
 * X-Global-Tags of a point; a category for which the rules have more keys is reported as a problem.
 */
export function readTagConfig(config: unknown, maxIdentifiers: number): TagConfig {
  const reader = new Reader();
  if (typeof config === "string") {
    const isValid = functionId.test(config);
    if (!isValid) reader.say("", "error", `invalid function id "${config}"`);
    return { rules: [], functionId: isValid ? config : undefined, problems: reader.problems };
  }
  const list = isMembers(config) ? [config] : (config ?? []);
  if (!Array.isArray(list)) {
    reader.say("", "error", "expected a list of rules or a function id");
    return { rules: [], functionId: undefined, problems: reader.problems };
  }
  const rules = list.map((rule: unknown, at) => reader.rule(rule, at)).filter((rule) => rule !== undefined);
  reader.countIdentifiers(rules, maxIdentifiers);
  return { rules, functionId: undefined, problems: reader.problems };
}

/**
 * Splits the id of a function, `set__script.function`, into its parts.
 *
 * @example
 * functionIdParts("set__script.main"); // { set: "set", script: "script", name: "main" }
 */
export function functionIdParts(id: string): { readonly set: string; readonly script: string; readonly name: string } {
  const dot = id.lastIndexOf(".");
  const split = id.indexOf("__");
  return { set: id.slice(0, split), script: id.slice(split + 2, dot), name: id.slice(dot + 1) };
}

class Reader {
  readonly problems: TagProblem[] = [];

  say(path: string, severity: TagProblem["severity"], message: string): void {
    this.problems.push({ path, severity, message });
  }

  /** Reads a rule; returns undefined when a mistake makes the whole rule invalid. */
  rule(rule: unknown, index: number): TagRule | undefined {
    const path = `rules[${index}]`;
    if (!isMembers(rule)) {
      this.say(path, "error", "expected a dict");
      return undefined;
    }
    this.unknownMembers(rule, ruleMembers, path);
    const wanted = this.categories(rule.category, `${path}.category`);
    const matches = this.filter(rule.filter, `${path}.filter`);
    const fields = this.fields(rule.fields, `${path}.fields`);
    if (wanted === null || matches === undefined) return undefined;
    return { index, categories: wanted, fields, matches };
  }

  /**
   * Warns about each category for which the rules have more distinct keys than the header X-Global-Tags may contain.
   */
  countIdentifiers(rules: readonly TagRule[], max: number): void {
    const count = (category: string | undefined) => {
      const applying = rules.filter(
        ({ categories: wanted }) => wanted === undefined || (category !== undefined && wanted.has(category)),
      );
      return new Set(applying.flatMap(({ fields }) => fields.map(({ dest }) => dest))).size;
    };
    const everywhere = count(undefined);
    if (everywhere > max) {
      this.tooMany("all categories", everywhere, max);
      return;
    }
    const named = new Set(rules.flatMap(({ categories: wanted }) => [...(wanted ?? [])]));
    for (const category of named) {
      const size = count(category);
      if (size > max) this.tooMany(`category "${category}"`, size, max);
    }
  }

  private tooMany(where: string, count: number, max: number): void {
    this.say("", "warning", `${where}: ${count} identifiers, a point gets the first ${max} of them`);
  }

  /** Reads the categories of a rule: undefined means all categories, null means that the rule has a mistake. */
  private categories(value: unknown, path: string): ReadonlySet<string> | undefined | null {
    if (value === undefined || value === null) return undefined;
    const names: unknown[] = Array.isArray(value) ? value : [value];
    if (!names.every((name) => typeof name === "string")) {
      this.say(path, "error", "expected a text or a list of texts");
      return null;
    }
    for (const name of names) {
      if (name !== "*" && !categories.some((each) => each === name)) {
        this.say(path, "warning", `unknown category "${name}"`);
      }
    }
    return names.includes("*") ? undefined : new Set(names);
  }

  private filter(value: unknown, path: string): SearchFilter | undefined {
    if (value === undefined || value === null) return () => true;
    if (isMembers(value)) {
      const filter = compileTagFilter(value);
      if (filter === undefined) this.say(path, "error", "expected texts, numbers, bools or lists of such");
      return filter;
    }
    if (typeof value !== "string") {
      this.say(path, "error", "expected a dict or a text");
      return undefined;
    }
    try {
      return compileSearchFilter(value);
    } catch (error) {
      if (!(error instanceof SearchFilterError)) throw error;
      this.say(path, "error", error.message);
      return undefined;
    }
  }

  private fields(value: unknown, path: string): TagField[] {
    const list: unknown[] = Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
    if (list.length === 0) this.say(path, "warning", "no fields, the rule does nothing");
    return list
      .map((field, at) => this.field(field, Array.isArray(value) ? `${path}[${at}]` : path))
      .filter((field) => field !== undefined);
  }

  private field(value: unknown, path: string): TagField | undefined {
    if (typeof value === "string") return this.field({ src: value }, path);
    if (!isMembers(value)) return this.mistake(path, "expected a text or a dict");
    this.unknownMembers(value, fieldMembers, path);
    for (const name of ["src", "dest", "dist"]) {
      const text = value[name] ?? undefined;
      if (text !== undefined && typeof text !== "string") return this.mistake(`${path}.${name}`, "expected a text");
    }
    const src = (value.src ?? undefined) as string | undefined;
    const dest = (value.dest ?? value.dist ?? src) as string | undefined;
    if (dest === undefined) return this.mistake(path, '"dest" required');
    if (!isUsableKey(dest))
      return this.mistake(path, `key "${dest}" is empty or holds "," or "=" or a control character`);
    const scalars = ["fixed", "default", "remap_default"] as const;
    for (const name of scalars) {
      const scalar = value[name] ?? undefined;
      if (scalar !== undefined && scalarText(scalar) === undefined) {
        return this.mistake(`${path}.${name}`, "expected a text, a number or a bool");
      }
    }
    const fixed = scalarText(value.fixed);
    if (src === undefined && fixed === undefined) return this.mistake(path, '"src" or "fixed" required');
    const remap = this.remap(value.remap, `${path}.remap`);
    if (remap === null) return undefined;
    const otherwise = value.remap_default;
    return {
      src,
      dest,
      fixed,
      default: scalarText(value.default),
      remap,
      remapDefault: otherwise === null ? null : scalarText(otherwise),
    };
  }

  /** Reads the replacements in the configuration of a field; null means that the configuration has a mistake. */
  private remap(value: unknown, path: string): ReadonlyMap<string, string | null> | undefined | null {
    if (value === undefined || value === null) return undefined;
    if (!isMembers(value)) {
      this.say(path, "error", "expected a dict");
      return null;
    }
    const mapped = new Map<string, string | null>();
    for (const [from, to] of Object.entries(value)) {
      const text = to === null ? null : scalarText(to);
      if (text === undefined) {
        this.say(`${path}.${from}`, "error", "expected a text, a number, a bool or null");
        return null;
      }
      mapped.set(from, text);
    }
    return mapped;
  }

  private unknownMembers(value: Members, known: readonly string[], path: string): void {
    for (const name of Object.keys(value)) {
      if (!known.includes(name)) this.say(path, "warning", `unknown member "${name}"`);
    }
  }

  private mistake(path: string, message: string): undefined {
    this.say(path, "error", message);
  }
}

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
