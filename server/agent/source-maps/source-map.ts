// Stores a source map as typed arrays, which take 16 bytes per segment (the mapping of one position). Before the
// parser builds anything, it counts everything that can make a source map large, so that a source map of 100 KB
// cannot take gigabytes of memory. Format: https://tc39.es/ecma426/

import path from "node:path";
import { extentOf } from "../../http/body/json-value.ts";

/** Thrown when a source map or a mapping.txt exceeds a limit. */
export class MapTooLarge extends Error {}

export const mapBounds = {
  lines: 2_000_000,
  segments: 4_000_000,
  sources: 100_000,
  names: 1_000_000,
  sections: 10_000,
  /** Largest number of JSON values in a source map, including the strings in lists. */
  values: 3_000_000,
  depth: 100,
} as const;

export interface Position {
  /**
   * Path of the original source file, with the `sourceRoot` of the source map before it; null when the source map names
   * no source.
   */
  readonly source: string | null;
  /** Line number in the original source; counts from 0. */
  readonly line: number;
  readonly column: number;
}

export interface SourceMap {
  /** Number of bytes that the parsed source map takes in memory. */
  readonly bytes: number;
  /**
   * Returns the original position for a position in the generated file; lines and columns count from 0. A segment
   * of the source map maps one position. The last segment at or before the column in the line is used, or else the
   * last segment of earlier lines. Returns undefined when there is no such segment, or when the line is after the
   * last line of the map.
   */
  find(line: number, column: number): Position | undefined;
}

/** Parses a source map. Throws MapTooLarge beyond a limit, and another error for bytes that are no source map. */
export function parseSourceMap(bytes: Uint8Array): SourceMap {
  const { values, depth } = extentOf(bytes);
  bound(values, mapBounds.values, "values");
  bound(depth, mapBounds.depth, "levels");
  const map = JSON.parse(new TextDecoder().decode(bytes)) as unknown;
  const sections = sectionsOf(map);
  const sizes = sizesOf(sections);
  const segments = new Segments(sizes.segments, sizes.lines);
  const sources: (string | null)[] = [];
  for (const [at, section] of sections.entries()) {
    segments.add(section, sections[at + 1], sources.length);
    for (const source of section.sources) sources.push(source === null ? null : withRoot(source, section.root));
  }
  segments.end();
  const textBytes = sources.reduce((sum, source) => sum + 2 * (source?.length ?? 0), 0);
  return {
    bytes: segments.bytes + textBytes,
    find: (line, column) => {
      const at = segments.find(line, column);
      if (at < 0) return undefined;
      return { source: sources[segments.source[at]!] ?? null, line: segments.line[at]!, column: segments.column[at]! };
    },
  };
}

function bound(count: number, most: number, what: string): void {
  if (count > most) throw new MapTooLarge(`more than ${most} ${what}`);
}

/**
 * A section of a source map: the mappings of a part of the generated file, which begins at `firstLine` and
 * `firstColumn`. A source map without sections is treated as one section for the whole file.
 */
interface Section {
  readonly firstLine: number;
  readonly firstColumn: number;
  readonly mappings: string;
  readonly sources: readonly (string | null)[];
  readonly root: string;
}

function sectionsOf(map: unknown): readonly Section[] {
  if (!isObject(map)) throw new Error("it is no object");
  if (map.version !== undefined && map.version !== 3) throw new Error("its version is not 3");
  if (map.sections === undefined) return [sectionOf(map, 0, 0)];
  if (!Array.isArray(map.sections)) throw new Error("its sections are no list");
  bound(map.sections.length, mapBounds.sections, "sections");
  const sections = map.sections.map((each: unknown) => {
    if (!isObject(each) || !isObject(each.offset) || !isObject(each.map)) throw new Error("a section is no section");
    if (each.map.sections !== undefined) throw new Error("a section has sections");
    const { line, column } = each.offset;
    if (!isOffset(line) || !isOffset(column)) throw new Error("the offset of a section is no position");
    bound(line, mapBounds.lines, "lines");
    return sectionOf(each.map, line, column);
  });
  for (const [at, next] of sections.slice(1).entries()) {
    if (isBefore(next.firstLine, next.firstColumn, sections[at]!)) throw new Error("its sections are not in order");
  }
  return sections;
}

function sectionOf(map: Record<string, unknown>, firstLine: number, firstColumn: number): Section {
  const { mappings, sources, names = [], sourceRoot } = map;
  if (typeof mappings !== "string") throw new Error("its mappings are no text");
  if (!Array.isArray(sources) || !sources.every((each) => each === null || typeof each === "string")) {
    throw new Error("its sources are no list of texts");
  }
  if (!Array.isArray(names)) throw new Error("its names are no list");
  bound(names.length, mapBounds.names, "names");
  return { firstLine, firstColumn, mappings, sources, root: typeof sourceRoot === "string" ? sourceRoot : "" };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isOffset(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 31;
}

function isBefore(line: number, column: number, { firstLine, firstColumn }: Section): boolean {
  return line < firstLine || (line === firstLine && column < firstColumn);
}

const comma = 0x2c;
const semicolon = 0x3b;

/** Counts the lines and segments of all sections, and checks them against the limits. Throws MapTooLarge. */
function sizesOf(sections: readonly Section[]): { readonly lines: number; readonly segments: number } {
  let lines = 0;
  let segments = 0;
  let sources = 0;
  for (const { firstLine, mappings, sources: its } of sections) {
    let own = 1;
    let isInSegment = false;
    for (let at = 0; at < mappings.length; at++) {
      const unit = mappings.charCodeAt(at);
      if (unit === semicolon) own++;
      if (unit === semicolon || unit === comma) isInSegment = false;
      else if (!isInSegment) {
        isInSegment = true;
        segments++;
      }
    }
    lines = Math.max(lines, firstLine + own);
    sources += its.length;
    bound(lines, mapBounds.lines, "lines");
    bound(segments, mapBounds.segments, "segments");
    bound(sources, mapBounds.sources, "sources");
  }
  return { lines, segments };
}

const notDigit = -1;
const digits = new Int8Array(128).fill(notDigit);
for (const [value, letter] of [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].entries()) {
  digits[letter.charCodeAt(0)] = value;
}

/** The segments (mappings of one position each) of all lines of a source map, in the order of the generated file. */
class Segments {
  /** Column in the generated file, for each segment (the mapping of one position). */
  private readonly place: Int32Array;
  readonly source: Int32Array;
  readonly line: Int32Array;
  readonly column: Int32Array;
  /**
   * For each line of the generated file, the index of the line's first segment. One more entry at the end is the
   * total number of segments.
   */
  private readonly starts: Int32Array;
  private count = 0;
  /** Number of lines of the generated file whose entry in `starts` is already set. */
  private begun = 0;

  constructor(segments: number, lines: number) {
    this.place = new Int32Array(segments);
    this.source = new Int32Array(segments);
    this.line = new Int32Array(segments);
    this.column = new Int32Array(segments);
    this.starts = new Int32Array(lines + 1);
  }

  get bytes(): number {
    return 4 * this.place.byteLength + this.starts.byteLength;
  }

  /**
   * Adds those segments of a section that lie before the start of the next section. `firstSource`: the index of
   * the section's first source file in a list that contains the source files of all sections.
   */
  add({ mappings, firstLine, firstColumn, sources }: Section, next: Section | undefined, firstSource: number): void {
    const read = new Digits(mappings);
    let [source, line, column] = [0, 0, 0];
    for (let at = firstLine; ; at++) {
      this.begin(at);
      const first = this.count;
      let place = at === firstLine ? firstColumn : 0;
      let isSorted = true;
      for (; !read.isAtLineEnd; read.skipComma()) {
        if (read.isAtComma) continue;
        const before = place;
        place += read.value();
        if (this.count > first && place < before) isSorted = false;
        const hasSource = !read.isAtSegmentEnd;
        if (hasSource) {
          source += read.value();
          line += read.value();
          column += read.value();
          if (!read.isAtSegmentEnd) read.value();
          if (!read.isAtSegmentEnd) throw new Error("a segment of its mappings has more than five values");
        }
        if (next !== undefined && !isBefore(at, place, next)) continue;
        const isKnown = hasSource && source >= 0 && source < sources.length;
        this.place[this.count] = place;
        this.source[this.count] = isKnown ? firstSource + source : -1;
        this.line[this.count] = line;
        this.column[this.count] = column;
        this.count++;
      }
      if (!isSorted) this.sort(first);
      if (read.isAtEnd || (next !== undefined && at >= next.firstLine)) return;
      read.skipLineEnd();
    }
  }

  end(): void {
    this.begin(this.starts.length - 1);
  }

  private begin(line: number): void {
    while (this.begun <= line) this.starts[this.begun++] = this.count;
  }

  /** Sorts the segments of the last line by column. `first`: index of the first segment of that line. */
  private sort(first: number): void {
    const order = Array.from({ length: this.count - first }, (_, at) => first + at);
    order.sort((a, b) => this.place[a]! - this.place[b]!);
    for (const each of [this.source, this.line, this.column, this.place]) {
      const values = order.map((at) => each[at]!);
      each.set(values, first);
    }
  }

  /** Returns the index of the segment for a position in the generated file; -1 when there is none. */
  find(line: number, column: number): number {
    if (line < 0 || line >= this.starts.length - 1) return -1;
    const first = this.starts[line]!;
    const behind = this.firstFrom(first, this.starts[line + 1]!, column + 1);
    // When the line has no segment at or before the column, the last segment of earlier lines is used.
    if (behind === first || this.place[behind - 1] !== column) return behind - 1;
    return this.firstFrom(first, behind, column);
  }

  /**
   * Returns the index of the first segment whose column is at least `column`. Searches only the segments from `low` up
   * to `high`.
   */
  private firstFrom(low: number, high: number, column: number): number {
    let [from, to] = [low, high];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (this.place[middle]! < column) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

/**
 * Decodes the numbers in the `mappings` of a source map (base64 VLQ). A digit has 6 bits, and the lowest digit comes
 * first. The lowest bit of a number is its sign.
 */
class Digits {
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  get isAtLineEnd(): boolean {
    return this.isAtEnd || this.text.charCodeAt(this.at) === semicolon;
  }

  get isAtComma(): boolean {
    return this.text.charCodeAt(this.at) === comma;
  }

  get isAtSegmentEnd(): boolean {
    return this.isAtLineEnd || this.isAtComma;
  }

  skipComma(): void {
    if (this.isAtComma) this.at++;
  }

  skipLineEnd(): void {
    this.at++;
  }

  value(): number {
    let value = 0;
    for (let shift = 0; ; shift += 5) {
      const digit = digits[this.text.charCodeAt(this.at++)] ?? notDigit;
      if (digit === notDigit) throw new Error("its mappings are not base64");
      if (shift > 30) throw new Error("its mappings have a number of more than 32 bits");
      value |= (digit & 31) << shift;
      if ((digit & 32) === 0) break;
    }
    const size = value >>> 1;
    return (value & 1) === 0 ? size : -size;
  }
}

/**
 * Puts the `sourceRoot` of a source map before the path of a source. When the root is a URL, joins only its path.
 * Returns an absolute source unchanged.
 */
function withRoot(source: string, root: string): string {
  if (root === "" || source.startsWith("/") || hasScheme.test(source)) return source;
  const url = hasScheme.exec(root);
  return url === null
    ? path.posix.join(root, source)
    : url[0] + path.posix.join(root.slice(url[0].length) || "/", source);
}

const hasScheme = /^[a-z][a-z0-9+.-]*:\/\/[^/]*/i;
