// A compiled grok expression: matches strings or bytes and returns its fields, trimmed and converted to their types
// (docs/reference/grok.md#types).

import { Float } from "../point/value.ts";
import type { EncodedText } from "../regex/encoded-text.ts";
import { type Engine, isInModule } from "../regex/engines/engine.ts";
import { type EngineMaker, Regex, tables } from "../regex/regex.ts";
import {
  type Body,
  type OptionNames,
  refuse,
  requireBoolean,
  requireFunction,
  requireOptions,
  requireString,
  textOfBody,
} from "../text/argument.ts";
import { type Bytes, isBytes, type Text } from "../text/bytes.ts";
import type { Integer } from "../text/integer.ts";
import {
  type BatchCaptures,
  batchCaptures,
  type CaptureReader,
  type FieldCaptures,
  type FieldGroups,
  type GrokField,
  valueInBatch,
  valueOfField,
} from "./captures.ts";
import { expand } from "./expand.ts";
import { Explainer, type Explanation } from "./explain.ts";
import { knownGroups } from "./known-groups.ts";
import { builtinPatterns, definePatterns } from "./load.ts";
import { ModuleCaptures } from "./module-captures.ts";
import type { Expansion, PatternSource } from "./patterns.ts";
import { PlainCaptures } from "./plain-captures.ts";

/**
 * The value of a captured field in a form that points can store. A float is a `Float` object, to distinguish 1.0 from
 * the int 1. When the input is bytes, a string is a slice of these bytes.
 */
export type Captured = Text | Integer | Float | boolean;

/** Options of `Grok.compile`, which compiles a grok expression. */
export interface GrokOptions {
  /**
   * Pattern definitions by name, or a source of patterns. These definitions take precedence over the built-in patterns,
   * and may refer to them and to each other.
   */
  readonly patterns?: Readonly<Record<string, string>> | PatternSource;
  /**
   * The regular expression engine to use. The default is table-driven and written in plain JavaScript, so it needs no
   * WebAssembly.
   */
  readonly engine?: EngineMaker;
}

/** A regex group, and the field to which the group's text may be assigned. */
export interface CaptureGroup {
  readonly group: number;
  /** Index, in the list `fields`, of the field that the group belongs to. */
  readonly field: number;
}

/** A compiled grok expression. */
export class Grok {
  /** The grok expression as its author wrote it. */
  readonly expression: string;
  /** Names and types of the fields; each name occurs once. */
  readonly fields: readonly GrokField[];
  private readonly expansion: Expansion;
  private readonly regex: Regex;
  /** The field name of each group of the regex; null for a group that is not a field. */
  private readonly fieldOf: readonly (string | null)[];
  private readonly reader: CaptureReader;
  /**
   * Indexes of the fields in the order in which `match` returns the fields. This order can change from match to match
   * only when several groups share one name.
   */
  private readonly order: number[];
  private readonly unique: boolean;
  private explainer: Explainer | null = null;

  private constructor(expression: string, expansion: Expansion, regex: Regex) {
    const { fieldNames } = expansion;
    this.fieldOf =
      fieldNames === undefined
        ? regex.names
        : regex.names.map((name) => (name === null ? null : (fieldNames.get(name) ?? name)));
    const groups = new Map<string, number[]>();
    this.fieldOf.forEach((name, group) => {
      if (name !== null) groups.set(name, [...(groups.get(name) ?? []), group]);
    });
    this.expression = expression;
    this.expansion = expansion;
    this.regex = regex;
    const own: FieldGroups[] = Array.from(groups, ([name, its]) => ({
      name,
      groups: its,
      type: expansion.types.get(name) ?? "string",
    }));
    this.fields = own.map(({ name, type }) => ({ name, type }));
    this.order = own.map((_, index) => index);
    this.unique = own.every((field) => field.groups.length === 1);
    const { engine } = regex;
    this.reader = isInModule(engine) ? new ModuleCaptures(engine, own) : new PlainCaptures(engine, own);
  }

  /**
   * Compiles a grok expression. Throws GrokError for a bad reference. Throws RegexSyntaxError for a syntax error in the
   * regular expression that the references expand to.
   *
   * @example
   * Grok.compile("%{IP:client} %{INT:bytes:int}").match("10.0.0.1 512"); // { client: "10.0.0.1", bytes: 512 }
   */
  static compile(expression: string, options: GrokOptions = {}): Grok {
    requireString("grok", "expression", expression);
    requireOptions("grok", options, grokNames);
    const { patterns = builtinPatterns, engine = tables } = options;
    const expansion = expand(expression, isSource(patterns) ? patterns : definePatterns(patterns));
    const regex = Regex.compile(expansion.regex, "", { namedOnly: true, known: knownGroups(expansion), engine });
    return new Grok(expression, expansion, regex);
  }

  /**
   * Returns the fields by name, in the order of the groups that captured their values; null when the input does
   * not match. An int is a number, or a bigint when a number would lose digits; a float is a number. A field whose
   * groups took no part in the match is an empty string. Bytes that are not UTF-8 become U+FFFD in strings. `trim`
   * (default true) removes white space around captured text.
   */
  match(body: Body, options: { readonly trim?: boolean } = {}): Record<string, string | Integer | boolean> | null {
    const input = textOfBody("match", "input", body);
    const text = this.reader.match(input, trimOf("match", options));
    if (text === null) return null;
    const { last } = this.reader;
    const result: Record<string, string | Integer | boolean> = {};
    for (const field of this.written()) {
      const { name, type } = this.fields[field] as GrokField;
      const value = type === "string" ? cut(input, text, last, field) : valueOfField(last, field, type);
      if (name === "__proto__") Object.defineProperty(result, name, { value, ...ownField });
      else result[name] = value;
    }
    return result;
  }

  /**
   * Calls `write` with the index in `fields` and the value of every field, in the order of the groups that
   * captured the values. Returns false when the input does not match. For an input of type `Bytes`, string values
   * are slices of the input. `write` may move the memory that holds these bytes.
   */
  each(input: string | Bytes, trim: boolean, write: (field: number, value: Captured) => void): boolean {
    if (typeof input !== "string" && !isBytes(input)) refuse("each", "input", "a string or Bytes", input);
    if (typeof trim !== "boolean") refuse("each", "trim", "true or false", trim);
    requireFunction("each", "write", write);
    const text = this.reader.match(isBytes(input) ? input.view() : input, trim);
    if (text === null) return false;
    const { last } = this.reader;
    // For a string input, the texts of all fields are read before the first call of `write`, because `write` may
    // overwrite the memory that holds the encoded input.
    const texts = isBytes(input) ? null : this.fields.map((_, field) => cut(input, text, last, field));
    for (const field of this.written()) {
      const { type } = this.fields[field] as GrokField;
      if (type === "float") write(field, new Float(valueOfField(last, field, type) as number));
      else if (type !== "string") write(field, valueOfField(last, field, type));
      else if (!isBytes(input)) write(field, (texts as string[])[field] as string);
      else {
        const [start, end] = [last.spans[2 * field] as number, last.spans[2 * field + 1] as number];
        write(field, start < 0 ? "" : input.slice(start, end));
      }
    }
    return true;
  }

  /**
   * Matches bytes, in the WebAssembly module's memory or in JavaScript's. Returns the offsets and typed values of all
   * fields, or null when the bytes do not match. The next match overwrites the result.
   */
  matchBytes(bytes: Uint8Array, trim: boolean): FieldCaptures | null {
    if (!(bytes instanceof Uint8Array)) refuse("matchBytes", "bytes", "a Uint8Array", bytes);
    if (typeof trim !== "boolean") refuse("matchBytes", "trim", "true or false", trim);
    return this.reader.match(bytes, trim) === null ? null : this.reader.last;
  }

  /** Returns the indexes of the fields in the order of the groups that captured their values in the last match. */
  private written(): readonly number[] {
    const { groups } = this.reader.last;
    if (!this.unique) this.order.sort((a, b) => (groups[a] as number) - (groups[b] as number));
    return this.order;
  }

  /**
   * Matches many lines without making strings. `lines` contains two numbers for each line, its start and end as
   * byte offsets into `bytes`, as `lineOffsets` returns them. When the arrays of `into` are large enough for all
   * lines, the result is written to them and `into` is returned. Otherwise new arrays are made and returned.
   * Throws RangeError when a line is not within `bytes`.
   */
  matchBatch(
    bytes: Uint8Array,
    lines: Uint32Array,
    options: { readonly trim?: boolean; readonly into?: BatchCaptures } = {},
  ): BatchCaptures {
    if (!(bytes instanceof Uint8Array)) refuse("matchBatch", "bytes", "a Uint8Array", bytes);
    if (!(lines instanceof Uint32Array)) refuse("matchBatch", "lines", "a Uint32Array, as lineOffsets returns", lines);
    const trim = trimOf("matchBatch", options, batchNames);
    const { into } = options;
    if (into !== undefined) requireCaptures("matchBatch", "into", into);
    const count = lines.length >> 1;
    checkLines(lines, bytes.length);
    const width = this.fields.length;
    const fits = into !== undefined && into.matched.length >= count && into.floats.length >= count * width;
    const captures = fits ? into : batchCaptures(count, width);
    this.reader.matchLines(bytes, lines, trim, captures);
    return captures;
  }

  /**
   * Returns the value of one field in one line of a `matchBatch` result. The value is the same as in the result of
   * `match`.
   */
  valueAt(bytes: Uint8Array, captures: BatchCaptures, line: number, field: number): string | Integer | boolean {
    if (!(bytes instanceof Uint8Array)) refuse("valueAt", "bytes", "a Uint8Array", bytes);
    requireCaptures("valueAt", "captures", captures);
    requireIndex("valueAt", "line", line, captures.matched.length);
    requireIndex("valueAt", "field", field, this.fields.length);
    const at = line * this.fields.length + field;
    const { type } = this.fields[field] as GrokField;
    if (type !== "string") return valueInBatch(captures, at, type);
    const start = captures.offsets[2 * at] as number;
    return start < 0 ? "" : decoder.decode(bytes.subarray(start, captures.offsets[2 * at + 1] as number));
  }

  // The regular expression engine, for callers that match text in the engine's own memory.

  get engine(): Engine {
    return this.regex.engine;
  }

  /**
   * Returns the named groups of the regex, in the order of their numbers. When several groups belong to one field,
   * the value of the field is the text of the last group that took part in the match; when none took part, it is
   * the text of the last group.
   */
  captureGroups(): CaptureGroup[] {
    const groups: CaptureGroup[] = [];
    this.fieldOf.forEach((name, group) => {
      if (name !== null) groups.push({ group, field: this.fields.findIndex((field) => field.name === name) });
    });
    return groups;
  }

  /**
   * Explains why the input does not match: how far the match got, in which part of the expression it stopped, and what
   * was expected there.
   */
  explain(body: Body): Explanation {
    const input = textOfBody("explain", "input", body);
    this.explainer ??= new Explainer(this.expression, this.expansion);
    return this.explainer.explain(input, this.regex.find(input));
  }

  /** Frees the memory of the engine's tables; a later match builds the tables again. */
  free(): void {
    this.regex.free();
  }
}

/**
 * Returns the start and end of each line of `bytes` as byte offsets, for `matchBatch`. A line does not include its
 * `\n`, and an empty last line is left out.
 *
 * @example
 * lineOffsets(new TextEncoder().encode("a\nbc\n")); // Uint32Array [0, 1, 2, 4]
 */
export function lineOffsets(bytes: Uint8Array): Uint32Array {
  if (!(bytes instanceof Uint8Array)) refuse("lineOffsets", "bytes", "a Uint8Array", bytes);
  const offsets: number[] = [];
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline < 0 ? bytes.length : newline;
    offsets.push(start, end);
    start = end + 1;
  }
  return Uint32Array.from(offsets);
}

/** Returns the captured text of a field. */
function cut(input: string | Uint8Array, text: EncodedText, { spans }: FieldCaptures, field: number): string {
  const [start, end] = [spans[2 * field] as number, spans[2 * field + 1] as number];
  if (start < 0) return "";
  if (typeof input !== "string") return decoder.decode(text.bytes.subarray(start, end));
  return input.slice(text.outside(start), text.outside(end));
}

/**
 * Attributes of a property that has been set by an ordinary assignment. A field named `__proto__` must be defined with
 * these attributes, because an assignment to this name would change the object's prototype.
 */
const ownField = { configurable: true, enumerable: true, writable: true } as const;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

const grokNames: OptionNames<GrokOptions> = { patterns: true, engine: true };
const matchNames = { trim: true } as const;
const batchNames = { trim: true, into: true } as const;

function trimOf(
  call: string,
  options: { readonly trim?: boolean },
  names: Readonly<Record<string, true>> = matchNames,
): boolean {
  requireOptions(call, options, names);
  requireBoolean(call, "trim", options.trim);
  return options.trim ?? true;
}

function requireCaptures(call: string, argument: string, captures: unknown): void {
  const { matched, offsets } = (captures ?? {}) as Partial<Record<"matched" | "offsets", unknown>>;
  if (!ArrayBuffer.isView(matched) || !ArrayBuffer.isView(offsets))
    refuse(call, argument, "captures that matchBatch returned", captures);
}

function requireIndex(call: string, argument: string, index: unknown, length: number): void {
  if (typeof index !== "number" || !Number.isInteger(index)) refuse(call, argument, "a whole number", index);
  if (index < 0 || index >= length) throw new RangeError(`${call}: no ${argument} ${index} among ${length}`);
}

function isSource(patterns: Readonly<Record<string, string>> | PatternSource): patterns is PatternSource {
  return typeof patterns.lookup === "function";
}

function checkLines(lines: Uint32Array, length: number): void {
  for (let i = 0; i + 1 < lines.length; i += 2) {
    const [start, end] = [lines[i] as number, lines[i + 1] as number];
    if (start > end || end > length)
      throw new RangeError(`line ${i >> 1} is said to be at ${start} to ${end} of ${length} bytes`);
  }
}
