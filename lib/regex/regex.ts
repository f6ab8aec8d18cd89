// Regular expressions in the RE2 syntax with the semantics of Go's regexp, over strings and bytes. The library and its
// users use the engine only through this file. Matches are leftmost-first, and the time of a search is linear in the
// input (docs/reference/grok.md#regular-expressions).

import {
  type Body,
  type OptionNames,
  refuse,
  requireFunction,
  requireOptions,
  requireString,
  textOfBody,
} from "../text/argument.ts";
import { flattenString, mostPieces } from "../text/flat.ts";
import { compileProgram } from "./automaton/program.ts";
import { bounded, isLarge } from "./automaton/size.ts";
import { characterWidth, isValidUtf8 } from "./automaton/utf8.ts";
import { compile } from "./compile.ts";
import { type EncodedText, encodeText } from "./encoded-text.ts";
import { Scan } from "./engines/all-matches.ts";
import type { Engine } from "./engines/engine.ts";
import { LazyTables } from "./engines/lazy-engine.ts";
import { Pike } from "./engines/pike.ts";
import { TableEngine } from "./engines/table-engine.ts";
import { matchOf, type RegexMatch, type Span } from "./match.ts";
import { requiredStart } from "./syntax/literals.ts";
import { type KnownGroup, parse } from "./syntax/parse.ts";
import type { Parsed } from "./syntax/tree.ts";
import { parseTemplate, type TemplatePart } from "./template.ts";

export type { RegexMatch, Span } from "./match.ts";
export { RegexSyntaxError } from "./syntax/tree.ts";

/** A function that makes the engine for an expression; when `captures` is false, only the whole match is needed. */
export type EngineMaker = (parsed: Parsed, captures?: boolean) => Engine;

/** Options of `Regex.compile`, which compiles an expression. */
export interface RegexOptions {
  /** Whether only named groups capture, as if `(...)` were `(?:...)`; default false. */
  readonly namedOnly?: boolean;
  /** Groups of the expression whose content is already parsed, from left to right. */
  readonly known?: readonly KnownGroup[];
  /**
   * The engine that runs the expression. The default is table-driven and written in plain JavaScript, so it needs no
   * WebAssembly.
   */
  readonly engine?: EngineMaker;
}

const regexNames: OptionNames<RegexOptions> = { namedOnly: true, known: true, engine: true };

/** A compiled regular expression. */
export class Regex {
  readonly source: string;
  readonly flags: string;
  /** The name of each group by its number; null for a group without a name. Group 0 is the whole match. */
  readonly names: readonly (string | null)[];
  /** The engine, for callers that work with bytes. Its searches write offsets into an array of the caller. */
  readonly engine: Engine;
  private readonly parsed: Parsed;
  /**
   * Whether the expression is too large for state tables, so that tier 0 (simulation) does all searches. A search by
   * tier 0 reads no further than the end of its match, so finding all matches by single searches takes linear time.
   */
  private readonly large: boolean;
  private readonly slots: Int32Array;
  private scanner: TableEngine | null = null;
  private stepper: Engine | null = null;

  private constructor(source: string, flags: string, parsed: Parsed, engine: Engine, large: boolean) {
    this.source = source;
    this.flags = flags;
    this.names = parsed.names;
    this.engine = engine;
    this.parsed = parsed;
    this.large = large;
    this.slots = new Int32Array(engine.slots);
  }

  /**
   * Compiles an expression. `flags` may contain the letters `i` (ignore case), `m` (`^` and `$` also match at line
   * ends), `s` (`.` matches a newline) and `U` (swap greedy and lazy). Throws RegexSyntaxError with RE2's message and a
   * UTF-16 index into `source`.
   *
   * @example
   * Regex.compile("(?P<key>\\w+)=(\\d+)", "i").find("Size=42")?.groups; // [[0, 7], [0, 4], [5, 7]]
   */
  static compile(source: string, flags = "", options: RegexOptions = {}): Regex {
    requireString("regex", "source", source);
    requireString("regex", "flags", flags);
    requireOptions("regex", options, regexNames);
    const { namedOnly = false, known = [], engine = tables } = options;
    const parsed = bounded(parse(source, { flags, namedOnly, known }), source);
    if (isLarge(parsed.root)) return new Regex(source, flags, parsed, simulation(parsed), true);
    return new Regex(source, flags, parsed, engine(parsed), false);
  }

  /** The text at the beginning of every input that has a match; may be empty. */
  get start(): string {
    return requiredStart(this.parsed.root);
  }

  /** Frees the memory of the engine's tables; a later search builds the tables again. */
  free(): void {
    this.engine.free();
    // The scanner (the engine that `findAll` uses for long texts) frees only its tables. The object is kept, because it
    // knows whether its tables have exceeded their limits and must not be built again.
    this.scanner?.free();
  }

  /** Returns whether the input has a match. */
  test(input: Body): boolean {
    const { bytes } = encodeText(textOfBody("test", "input", input));
    return this.engine.test(bytes, 0, bytes.length, 0);
  }

  /**
   * Returns the leftmost match that starts at `from` or later; null when there is none, or when `from` is after the
   * end. `^`, `\b` and other assertions still see the input before `from`. `from` is a UTF-16 index of a string or a
   * byte offset of bytes, and must lie between characters.
   */
  find(input: Body, from = 0): RegexMatch | null {
    if (!Number.isSafeInteger(from)) refuse("find", "from", "a whole number", from);
    const body = textOfBody("find", "input", input);
    if (from < 0 || from > body.length) return null;
    const text = encodeText(body);
    const { bytes } = text;
    const isFound = this.engine.exec(bytes, 0, bytes.length, text.inside(from), this.slots);
    return isFound ? matchOf(this.names, text, this.slots) : null;
  }

  /**
   * Returns all matches that do not overlap, from left to right. An empty match directly after the previous match is
   * left out.
   */
  findAll(input: Body): RegexMatch[] {
    const body = textOfBody("findAll", "input", input);
    const text = encodeText(body);
    const search = this.search(text, typeof body === "string");
    const matches: RegexMatch[] = [];
    while (search.next()) matches.push(matchOf(this.names, text, search.slots));
    return matches;
  }

  /** Yields the matches of `findAll` one at a time. */
  matches(input: Body): Generator<RegexMatch, undefined> {
    return this.matchesOf(textOfBody("matches", "input", input));
  }

  private *matchesOf(input: string | Uint8Array): Generator<RegexMatch, undefined> {
    const text = encodeText(input);
    const search = this.search(text, typeof input === "string");
    while (search.next()) yield matchOf(this.names, text, search.slots);
  }

  /**
   * Returns the input with every match of `findAll` replaced by the template, in Go's syntax: `$1`, `${1}`, `$name`,
   * `${name}`, `$$`. `count` is called with the length of each part of the result before the part is made; an error
   * that it throws ends the replacement.
   */
  replace(input: string, template: string, count?: (length: number) => void): string;
  replace(input: Uint8Array | ArrayBuffer, template: string): Uint8Array;
  replace(body: Body, template: string, count?: (length: number) => void): string | Uint8Array {
    const input = textOfBody("replace", "input", body);
    requireString("replace", "template", template);
    if (count !== undefined) requireFunction("replace", "count", count);
    const parts = parseTemplate(template);
    return typeof input === "string" ? this.replaceText(input, parts, count) : this.replaceBytes(input, parts);
  }

  private replaceText(input: string, parts: readonly TemplatePart[], count?: (length: number) => void): string {
    let result = "";
    let recent = "";
    let matches = 0;
    let copied = 0;
    for (const match of this.matches(input)) {
      const before = recent.length;
      recent += input.slice(copied, match.start);
      for (const part of parts) {
        if (typeof part === "string") recent += part;
        else recent += input.slice(...(this.spanOf(match, part.group) ?? EMPTY));
      }
      count?.(recent.length - before);
      copied = match.end;
      if (++matches % mostPieces === 0) {
        result += flattenString(recent);
        recent = "";
      }
    }
    return result + recent + input.slice(copied);
  }

  private replaceBytes(input: Uint8Array, parts: readonly TemplatePart[]): Uint8Array {
    const pieces: Uint8Array[] = [];
    const encoded = parts.map((part) => (typeof part === "string" ? encodeText(part).bytes : part));
    let copied = 0;
    for (const match of this.matches(input)) {
      pieces.push(input.subarray(copied, match.start));
      for (const part of encoded)
        pieces.push("group" in part ? input.subarray(...(this.spanOf(match, part.group) ?? EMPTY)) : part);
      copied = match.end;
    }
    pieces.push(input.subarray(copied));
    return joined(pieces);
  }

  /**
   * Returns the range of a group that a template names. When several groups have the name, the first of them that took
   * part in the match counts.
   */
  private spanOf(match: RegexMatch, group: number | string): Span | null | undefined {
    if (typeof group === "number") return match.groups[group];
    return match.groups.find((span, index) => span !== null && this.names[index] === group);
  }

  private search(text: EncodedText, isValid: boolean): Search {
    const { bytes } = text;
    const { engine } = this;
    const scan = this.large ? null : () => this.scan(bytes, isValid);
    return new Search(bytes, engine, scan);
  }

  private scan(bytes: Uint8Array, isValid: boolean): Scan {
    this.scanner ??= new TableEngine(compile(this.parsed));
    return new Scan(bytes, isValid || isValidUtf8(bytes, 0, bytes.length), this.scanner, () => {
      this.stepper ??= simulation(this.parsed);
      return this.stepper;
    });
  }
}

/** Finds the matches of one text, one after the other. */
class Search {
  /** The slots (start and end of each group) of the match that `next` found. */
  readonly slots: Int32Array;
  private readonly bytes: Uint8Array;
  private readonly engine: Engine;
  private readonly makeScan: (() => Scan) | null;
  private scan: Scan | null = null;
  /**
   * Number of bytes that may still be read by single searches, each of which finds one match. After that, one scan of
   * the text finds all remaining matches.
   */
  private left = SEARCHED;
  private at = 0;
  private last = -1;

  /**
   * Makes a search for all matches of a text. `makeScan` makes the scan for long texts; when it is null, each match is
   * found by a search of its own.
   */
  constructor(bytes: Uint8Array, engine: Engine, makeScan: (() => Scan) | null) {
    this.bytes = bytes;
    this.engine = engine;
    this.makeScan = makeScan;
    this.slots = new Int32Array(engine.slots);
  }

  /**
   * Finds the next match; returns false when there is none. An empty match directly after the previous match is left
   * out.
   */
  next(): boolean {
    const { bytes, slots } = this;
    while (this.at <= bytes.length) {
      if (!this.exec()) {
        this.at = bytes.length + 1;
        return false;
      }
      const [start, end] = [slots[0] as number, slots[1] as number];
      const isEmpty = start === end;
      const isNew = !isEmpty || start > this.last;
      this.last = end;
      this.at = isEmpty ? end + (end < bytes.length ? characterWidth(bytes, end, bytes.length) || 1 : 1) : end;
      if (isNew) return true;
    }
    return false;
  }

  private exec(): boolean {
    const { bytes, at, slots } = this;
    this.left -= bytes.length - at;
    if (this.left < 0 && this.makeScan !== null) this.scan ??= this.makeScan();
    return this.scan === null ? this.engine.exec(bytes, 0, bytes.length, at, slots) : this.scan.exec(at, slots);
  }
}

/** Makes an engine of tier 1 (state tables) without WebAssembly. */
export function tables(parsed: Parsed, captures = true): Engine {
  return new LazyTables(captures ? parsed.names.length * 2 : 2, () => new TableEngine(compile(parsed, captures)));
}

/** Makes an engine of tier 0 (simulation of the automaton). */
export function simulation({ root, names }: Parsed): Engine {
  return new Pike(compileProgram(root, names.length, { captures: true, characters: isLarge(root) }));
}

/**
 * Number of bytes that `findAll` may read by single searches, each of which finds one match. After that, a scan finds
 * all remaining matches. Without this limit the time would be quadratic, because each single search may read the whole
 * remainder of the input.
 */
const SEARCHED = 4096;

const EMPTY: Span = [0, 0];

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const result = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    result.set(piece, at);
    at += piece.length;
  }
  return result;
}
