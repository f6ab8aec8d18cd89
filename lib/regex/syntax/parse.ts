// Parses RE2 syntax, as Go's regexp/syntax does in its Perl mode, into a tree; the error messages are Go's
// (docs/reference/grok.md#regular-expressions). There are two deviations: group names may repeat, and `(?<name>re)`
// means the same as `(?P<name>re)`.

import { ANY, ANY_BUT_NEWLINE, fold } from "./char-class.ts";
import { FLAGS, type Flags, initialFlags } from "./flags.ts";
import { alternate, capture, concat, repeated, repeatFits } from "./nodes.ts";
import { Reader } from "./reader.ts";
import { type Node, type Parsed, type Place, type Ranges, RegexSyntaxError } from "./tree.ts";

const MAX_REPEAT = 1000;
const MAX_HEIGHT = 1000;

/** A group whose closing parenthesis was not read yet, with the part of its content that was read. */
interface Level {
  readonly index: number;
  /** UTF-16 index of the group's opening parenthesis. */
  readonly at: number;
  /** Flags outside the group, which are restored when the group closes. */
  readonly outer: Flags;
  readonly branches: Node[];
  items: Node[];
}

export interface ParseOptions {
  /** Flags that are on from the start: letters of `imsU`, as in `(?flags)`. */
  readonly flags?: string;
  /** Whether groups without a name do not capture; default false. */
  readonly namedOnly?: boolean;
  /** Groups of the expression whose content is already parsed, from left to right. */
  readonly known?: readonly KnownGroup[];
}

/**
 * A group whose content was parsed before, with the syntax tree of the content (`root`). The content was parsed on its
 * own, without flags and with the same option `namedOnly` (whether only named groups capture), and has no capturing
 * groups. Positions in the tree count from the start of the content.
 */
export interface KnownGroup {
  /**
   * Range of the content in the source, as UTF-16 indexes: from after the opening parenthesis up to the closing one.
   */
  readonly at: number;
  readonly to: number;
  readonly root: Node;
}

/**
 * Parses a regular expression into a syntax tree. Throws RegexSyntaxError.
 *
 * @example
 * parse("(?P<key>a)(b)").names; // [null, "key", null]
 */
export function parse(source: string, options: ParseOptions = {}): Parsed {
  const lone = /[\ud800-\udfff]/.test(source) ? /\p{Cs}/u.exec(source) : null;
  if (lone !== null) throw new RegexSyntaxError("invalid UTF-8", source.slice(lone.index), lone.index);
  return new Parser(source, options).run();
}

class Parser {
  private readonly reader: Reader;
  private readonly namedOnly: boolean;
  private readonly known: readonly KnownGroup[];
  /** Number of groups of `known` (already parsed groups) that begin before the current position. */
  private passed = 0;
  private flags: Flags;
  private readonly names: (string | null)[] = [null];
  private readonly stack: Level[] = [];
  private level: Level;

  constructor(source: string, options: ParseOptions) {
    this.reader = new Reader(source);
    this.namedOnly = options.namedOnly === true;
    this.known = options.known ?? [];
    this.flags = initialFlags(options.flags ?? "");
    this.level = { index: -1, at: 0, outer: this.flags, branches: [], items: [] };
  }

  run(): Parsed {
    /** UTF-16 index of the repetition operator directly before the current position; -1 when there is none. */
    let lastRepeat = -1;
    while (this.reader.at < this.reader.source.length) {
      const before = this.reader.at;
      let repeat = -1;
      switch (this.reader.source[before]) {
        case "(":
          this.openGroup();
          break;
        case "|":
          this.reader.at++;
          this.level.branches.push(concat(this.level.items));
          this.level.items = [];
          break;
        case ")":
          this.closeGroup();
          break;
        case "^":
          this.assert(this.flags.lines ? "lineStart" : "textStart", 1);
          break;
        case "$":
          this.assert(this.flags.lines ? "lineEnd" : "textEnd", 1);
          break;
        case ".":
          this.reader.at++;
          this.ranges(this.flags.dotNewline ? ANY : ANY_BUT_NEWLINE, before);
          break;
        case "[":
          this.ranges(this.reader.bracketClass(this.flags.fold), before);
          break;
        case "*":
          repeat = this.repeat(1, 0, -1, lastRepeat);
          break;
        case "+":
          repeat = this.repeat(1, 1, -1, lastRepeat);
          break;
        case "?":
          repeat = this.repeat(1, 0, 1, lastRepeat);
          break;
        case "{":
          repeat = this.countedRepeat(lastRepeat);
          break;
        case "\\":
          this.escape();
          break;
        default:
          this.literal(this.reader.next(), before);
      }
      lastRepeat = repeat;
    }
    if (this.stack.length > 0) throw new RegexSyntaxError("missing closing )", this.reader.source, this.level.at);
    return { root: this.finish(this.level), names: this.names };
  }

  private push(node: Node): void {
    const { source, at } = this.reader;
    if (node.height > MAX_HEIGHT) throw new RegexSyntaxError("expression nests too deeply", source, at);
    this.level.items.push(node);
  }

  /** Adds an assertion, such as `^`, that takes `length` characters of the source. */
  private assert(place: Place, length: number): void {
    const at = this.reader.at;
    this.reader.at += length;
    this.push({ op: "assert", place, height: 1, at, to: this.reader.at });
  }

  /** Adds a character class to the tree. Its source begins at index `at` and ends at the current position. */
  private ranges(ranges: Ranges, at: number): void {
    this.push({ op: "class", ranges, height: 1, at, to: this.reader.at });
  }

  private literal(code: number, at: number): void {
    this.ranges(this.flags.fold ? fold([code, code]) : [code, code], at);
  }

  private finish(level: Level): Node {
    const last = concat(level.items);
    return level.branches.length === 0 ? last : alternate([...level.branches, last]);
  }

  private open(name: string | null, captures: boolean, at: number): void {
    if (captures) this.names.push(name);
    this.stack.push(this.level);
    this.level = { index: captures ? this.names.length - 1 : -1, at, outer: this.flags, branches: [], items: [] };
  }

  private closeGroup(): void {
    const outer = this.stack.pop();
    if (outer === undefined) throw new RegexSyntaxError("unexpected )", this.reader.source, this.reader.at);
    this.reader.at++;
    const { index, outer: flags } = this.level;
    const sub = this.finish(this.level);
    this.level = outer;
    this.flags = flags;
    this.push(index < 0 ? sub : capture(index, sub));
  }

  private openGroup(): void {
    const start = this.reader.at;
    if (this.reader.source[start + 1] !== "?") {
      this.reader.at++;
      this.open(null, !this.namedOnly, start);
      this.skipKnown();
      return;
    }
    const opening = /^\(\?(?:P<(?=.)|<(?![=!]|$))/s.exec(this.reader.source.slice(start, start + 5));
    if (opening !== null) {
      const end = this.reader.source.indexOf(">", start);
      const capture = end < 0 ? this.reader.source.slice(start) : this.reader.source.slice(start, end + 1);
      const name = capture.slice(opening[0].length, -1);
      if (end < 0 || !/^[0-9A-Za-z_]+$/.test(name)) throw new RegexSyntaxError("invalid named capture", capture, start);
      this.reader.at = end + 1;
      this.open(name, true, start);
      this.skipKnown();
      return;
    }
    this.flagGroup(start);
  }

  /**
   * Skips the source of a group whose content was parsed before, and adds the syntax tree of the content instead.
   * Called after the opening of each group.
   */
  private skipKnown(): void {
    const { known, flags } = this;
    const { at } = this.reader;
    while (this.passed < known.length && (known[this.passed] as KnownGroup).at < at) this.passed++;
    const group = known[this.passed];
    if (group?.at !== at || flags.fold || flags.lines || flags.dotNewline || flags.lazy) return;
    this.push(group.root);
    this.reader.at = group.to;
  }

  /** Reads a group with flags: `(?flags)` or `(?flags:re)`. */
  private flagGroup(start: number): void {
    this.reader.at = start + 2;
    const flags = { ...this.flags };
    let on = true;
    let sawFlag = false;
    while (this.reader.at < this.reader.source.length) {
      const c = String.fromCodePoint(this.reader.next());
      if (c === ":" || c === ")") {
        if (!on && !sawFlag) break;
        if (c === ":") this.open(null, false, start);
        this.flags = flags;
        return;
      }
      if (c === "-") {
        if (!on) break;
        on = false;
        sawFlag = false;
        continue;
      }
      const flag = FLAGS[c];
      if (flag === undefined) break;
      flags[flag] = on;
      sawFlag = true;
    }
    throw new RegexSyntaxError(
      "invalid or unsupported Perl syntax",
      this.reader.source.slice(start, this.reader.at),
      start,
    );
  }

  private countedRepeat(lastRepeat: number): number {
    const counts = /^\{(0|[1-9][0-9]*)(?:(,)(0|[1-9][0-9]*)?)?\}/.exec(
      this.reader.source.slice(this.reader.at, this.reader.at + 64),
    );
    if (counts === null) {
      const start = this.reader.at;
      this.literal(this.reader.next(), start);
      return -1;
    }
    const min = Number(counts[1]);
    const max = counts[2] === undefined ? min : counts[3] === undefined ? -1 : Number(counts[3]);
    if (min > MAX_REPEAT || max > MAX_REPEAT || (max >= 0 && min > max))
      throw new RegexSyntaxError("invalid repeat count", counts[0], this.reader.at);
    return this.repeat(counts[0].length, min, max, lastRepeat);
  }

  /**
   * Applies the repetition operator at the current position to the element before the operator. `length` is the
   * number of characters of the operator. Returns the UTF-16 index at which the operator begins.
   */
  private repeat(length: number, min: number, max: number, lastRepeat: number): number {
    const start = this.reader.at;
    this.reader.at += length;
    let greedy = !this.flags.lazy;
    if (this.reader.source[this.reader.at] === "?") {
      this.reader.at++;
      greedy = !greedy;
    }
    if (lastRepeat >= 0) {
      const operators = this.reader.source.slice(lastRepeat, this.reader.at);
      throw new RegexSyntaxError("invalid nested repetition operator", operators, lastRepeat);
    }
    const fragment = this.reader.source.slice(start, this.reader.at);
    const sub = this.level.items.pop();
    if (sub === undefined) throw new RegexSyntaxError("missing argument to repetition operator", fragment, start);
    const node = repeated(sub, min, max, greedy);
    const counted = length > 1 && (min >= 2 || max >= 2);
    if (counted && !repeatFits(node, MAX_REPEAT)) throw new RegexSyntaxError("invalid repeat count", fragment, start);
    this.push(node);
    return start;
  }

  /** Reads a backslash escape outside of brackets. */
  private escape(): void {
    const start = this.reader.at;
    const letter = this.reader.source[start + 1] ?? "";
    const place = PLACES[letter];
    if (place !== undefined) {
      this.assert(place, 2);
      return;
    }
    if (letter === "Q") {
      const end = this.reader.source.indexOf("\\E", start + 2);
      const stop = end < 0 ? this.reader.source.length : end;
      this.reader.at += 2;
      while (this.reader.at < stop) {
        const at = this.reader.at;
        this.literal(this.reader.next(), at);
      }
      if (end >= 0) this.reader.at = end + 2;
      return;
    }
    const named = this.reader.namedEscape(this.flags.fold);
    if (named !== null) this.ranges(named, start);
    else this.literal(this.reader.escapedCharacter(), start);
  }
}

const PLACES: Readonly<Record<string, Place>> = { A: "textStart", z: "textEnd", b: "word", B: "notWord" };
