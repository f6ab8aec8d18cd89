// A compiled grok expression: matches text and gives its fields, trimmed and typed (grok document, sections 2.3 to 2.5).

import { type Bytes, Float, type Integer, integer, isBytes, type Text } from "../point/value.ts";
import { encodeText } from "../regex/encoded-text.ts";
import type { Engine } from "../regex/engine.ts";
import { type EngineMaker, Regex } from "../regex/regex.ts";
import { expand } from "./expand.ts";
import { Explainer, type Explanation } from "./explain.ts";
import { builtinPatterns, definePatterns } from "./load.ts";
import { decimal, fitsInt64, parseFloat64, parseInteger } from "./number-text.ts";
import type { Expansion, FieldType, PatternSource } from "./patterns.ts";
import { dropSpace, skipSpace } from "./trim.ts";

/** What a field of a script's point is given: a float is boxed to tell it from an int, text of bytes is a slice of them. */
export type Captured = Text | Integer | Float | boolean;

export interface GrokOptions {
  /** Definitions by name, that win over the built-in ones and may refer to them and to each other; or a whole source. */
  readonly patterns?: Readonly<Record<string, string>> | PatternSource;
  /** What runs the expression; without it tables in plain JavaScript, that need no WebAssembly. */
  readonly engine?: EngineMaker;
}

export interface GrokField {
  readonly name: string;
  readonly type: FieldType;
}

/** The captures of a batch of lines, as offsets into its bytes. */
export interface BatchCaptures {
  /** By line: 1 when it matched. */
  readonly matched: Uint8Array;
  /**
   * Start and end of the text of each field, in the order of `fields`: those of field f of line l at `2 * (l * fields + f)`.
   * -1 twice when the line did not match or none of the field's groups took part.
   */
  readonly offsets: Int32Array;
}

/** A group and the field whose text it may decide. */
export interface CaptureGroup {
  readonly group: number;
  /** Index in `fields`. */
  readonly field: number;
}

/** A value that lies in no batch. */
type Plain = Exclude<Captured, Bytes>;

interface Field extends GrokField {
  /** Groups of this name, in order of their left parentheses. */
  readonly groups: readonly number[];
}

export class Grok {
  /** The expression as written. */
  readonly expression: string;
  /** Names and types of the fields, each once. */
  readonly fields: readonly GrokField[];
  private readonly expansion: Expansion;
  private readonly regex: Regex;
  private readonly own: readonly Field[];
  private readonly unique: boolean;
  private readonly slots: Int32Array;
  private readonly place = new Int32Array(2);
  private explainer: Explainer | null = null;

  private constructor(expression: string, expansion: Expansion, regex: Regex) {
    const groups = new Map<string, number[]>();
    regex.names.forEach((name, group) => {
      if (name !== null) groups.set(name, [...(groups.get(name) ?? []), group]);
    });
    this.expression = expression;
    this.expansion = expansion;
    this.regex = regex;
    this.own = Array.from(groups, ([name, its]) => ({
      name,
      groups: its,
      type: expansion.types.get(name) ?? "string",
    }));
    this.fields = this.own.map(({ name, type }) => ({ name, type }));
    this.unique = this.own.every((field) => field.groups.length === 1);
    this.slots = new Int32Array(regex.engine.slots);
  }

  /** Throws GrokError for a bad reference and RegexSyntaxError, about the expanded expression, for bad syntax. */
  static compile(expression: string, options: GrokOptions = {}): Grok {
    const { patterns = builtinPatterns, engine } = options;
    const expansion = expand(expression, isSource(patterns) ? patterns : definePatterns(patterns));
    const regex = Regex.compile(expansion.regex, "", { namedOnly: true, ...(engine === undefined ? {} : { engine }) });
    return new Grok(expression, expansion, regex);
  }

  /**
   * The fields by name, in order of the groups that decide them; null when the input does not match. An int is a number, or a
   * bigint where a number would lose digits; a float is a number. A group that took no part counts as empty text. Bytes that
   * are not UTF-8 become U+FFFD in strings. `trim`, on when absent, removes white space around captures.
   */
  match(
    input: string | Uint8Array,
    { trim = true }: { readonly trim?: boolean } = {},
  ): Record<string, string | Integer | boolean> | null {
    const entries: [string, string | Integer | boolean][] = [];
    const matched = this.each(input, trim, (field, value) => {
      const plain = value instanceof Float ? value.value : isBytes(value) ? value.toString() : value;
      entries.push([(this.fields[field] as GrokField).name, plain]);
    });
    return matched ? Object.fromEntries(entries) : null;
  }

  /**
   * Calls `write` with the index in `fields` and the value of every field, in order of the deciding groups; false when the
   * input does not match. Text of `Bytes` is given as slices of them.
   */
  each(input: string | Uint8Array | Bytes, trim: boolean, write: (field: number, value: Captured) => void): boolean {
    if (isBytes(input)) return this.eachSlice(input, trim, write);
    const text = encodeText(input);
    const { bytes } = text;
    if (!this.regex.engine.exec(bytes, 0, bytes.length, 0, this.slots)) return false;
    this.eachGroup((index, group) => {
      this.copySpan(bytes, group, trim, this.place, 0);
      const [start, end] = [this.place[0] as number, this.place[1] as number];
      const captured =
        start < 0
          ? ""
          : typeof input === "string"
            ? input.slice(text.outside(start), text.outside(end))
            : decoder.decode(bytes.subarray(start, end));
      write(index, convert(captured, (this.own[index] as Field).type));
    });
    return true;
  }

  private eachSlice(input: Bytes, trim: boolean, write: (field: number, value: Captured) => void): boolean {
    if (!this.regex.engine.exec(input.view(), 0, input.length, 0, this.slots)) return false;
    this.eachGroup((index, group) => {
      // Writing a field may move the memory that the bytes lie in.
      const bytes = input.view();
      this.copySpan(bytes, group, trim, this.place, 0);
      const [start, end] = [this.place[0] as number, this.place[1] as number];
      const { type } = this.own[index] as Field;
      if (type !== "string") write(index, start < 0 ? convert("", type) : convertBytes(bytes, start, end, type));
      else write(index, start < 0 ? "" : input.slice(start, end));
    });
    return true;
  }

  /** Calls `give` with each field and the group that decides it, in order of the groups. */
  private eachGroup(give: (index: number, group: number) => void): void {
    if (this.unique) {
      this.own.forEach((field, index) => {
        give(index, field.groups[0] as number);
      });
      return;
    }
    const deciding = this.own.map((field, index) => ({ index, group: this.deciding(field) }));
    deciding.sort((a, b) => a.group - b.group);
    for (const { index, group } of deciding) give(index, group);
  }

  /**
   * Matches many lines without making strings. `lines` holds the start and the end of each line in `bytes`, two numbers a
   * line, as `lineOffsets` gives them. `into` is filled and given back when it is large enough for the lines.
   */
  matchBatch(
    bytes: Uint8Array,
    lines: Uint32Array,
    { trim = true, into }: { readonly trim?: boolean; readonly into?: BatchCaptures } = {},
  ): BatchCaptures {
    const count = lines.length >> 1;
    const width = this.fields.length * 2;
    const fits = into !== undefined && into.matched.length >= count && into.offsets.length >= count * width;
    const { matched, offsets } = fits
      ? into
      : { matched: new Uint8Array(count), offsets: new Int32Array(count * width) };
    const { engine } = this.regex;
    for (let line = 0; line < count; line++) {
      const start = lines[line * 2] as number;
      const hit = engine.exec(bytes, start, lines[line * 2 + 1] as number, start, this.slots);
      matched[line] = hit ? 1 : 0;
      const row = line * width;
      if (!hit) offsets.fill(-1, row, row + width);
      else
        this.own.forEach((field, index) => {
          this.copySpan(bytes, this.deciding(field), trim, offsets, row + index * 2);
        });
    }
    return { matched, offsets };
  }

  /** The value of a field in a line of a batch: what `match` gives for it. */
  valueAt(bytes: Uint8Array, captures: BatchCaptures, line: number, field: number): string | Integer | boolean {
    const at = 2 * (line * this.fields.length + field);
    const start = captures.offsets[at] as number;
    const text = start < 0 ? "" : decoder.decode(bytes.subarray(start, captures.offsets[at + 1] as number));
    const value = convert(text, (this.fields[field] as GrokField).type);
    return value instanceof Float ? value.value : value;
  }

  // For those who stay in the memory that the engine searches.

  get engine(): Engine {
    return this.regex.engine;
  }

  /** The groups with a name, in order. Of a field's groups the last that took part decides; the last of all when none did. */
  captureGroups(): CaptureGroup[] {
    const groups = this.own.flatMap(({ groups: its }, field) => its.map((group) => ({ group, field })));
    return groups.sort((a, b) => a.group - b.group);
  }

  /** The value of a field whose deciding group is `bytes[start, end)`; -1: it took no part. */
  valueOf(bytes: Uint8Array, start: number, end: number, trim: boolean, field: number): Plain {
    const { type } = this.own[field] as Field;
    if (start < 0) return convert("", type);
    const from = trim ? skipSpace(bytes, start, end) : start;
    return convertBytes(bytes, from, trim ? dropSpace(bytes, from, end) : end, type);
  }

  /** Why the input does not match: how far it got, in which part of the expression that was, what was expected there. */
  explain(input: string | Uint8Array): Explanation {
    this.explainer ??= new Explainer(this.expression, this.expansion);
    return this.explainer.explain(input, this.regex.find(input));
  }

  /** Gives back the memory of its tables; a later match makes them anew. */
  free(): void {
    this.regex.free();
  }

  /** Of several groups of one name the last that took part decides; the last of all when none did. */
  private deciding(field: Field): number {
    const { groups } = field;
    for (let i = groups.length - 1; i >= 0; i--)
      if ((this.slots[(groups[i] as number) * 2] as number) >= 0) return groups[i] as number;
    return groups.at(-1) as number;
  }

  private copySpan(bytes: Uint8Array, group: number, trim: boolean, into: Int32Array, at: number): void {
    let start = this.slots[group * 2] as number;
    let end = this.slots[group * 2 + 1] as number;
    if (trim && start >= 0) {
      start = skipSpace(bytes, start, end);
      end = dropSpace(bytes, start, end);
    }
    into[at] = start;
    into[at + 1] = end;
  }
}

/** Start and end of each line of a text, without its `\n`; an empty last line does not count. For `matchBatch`. */
export function lineOffsets(bytes: Uint8Array): Uint32Array {
  const offsets: number[] = [];
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline < 0 ? bytes.length : newline;
    offsets.push(start, end);
    start = end + 1;
  }
  return Uint32Array.from(offsets);
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

function isSource(patterns: Readonly<Record<string, string>> | PatternSource): patterns is PatternSource {
  return typeof patterns.lookup === "function";
}

/** Like `convert`; plain decimal numbers are read without making a string. */
function convertBytes(bytes: Uint8Array, start: number, end: number, type: FieldType): Plain {
  const number = type === "bool" ? undefined : decimal(bytes, start, end, type === "float");
  if (number !== undefined) return type === "float" ? new Float(number) : number;
  return convert(decoder.decode(bytes.subarray(start, end)), type);
}

function convert(text: string, type: FieldType): Plain {
  switch (type) {
    case "string":
      return text;
    case "int": {
      const value = parseInteger(text.replace(/\.0+$/, ""), 0);
      return value !== undefined && fitsInt64(value) ? integer(value) : 0;
    }
    case "float":
      return new Float(parseFloat64(text) ?? 0);
    case "bool":
      return /^(?:1|t|T|true|TRUE|True)$/.test(text);
  }
}
