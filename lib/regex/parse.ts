// Parses RE2 syntax, as Go's regexp/syntax does in its Perl mode, into a tree; error texts are Go's (grok document,
// sections 3.2 to 3.4 and 3.6). Deviations: group names may repeat, and `(?<name>re)` is taken like `(?P<name>re)`.

import { ANY, ANY_BUT_NEWLINE, fold, LAST_CODE_POINT, negate, normalize, PERL, POSIX, property } from "./char-class.ts";
import { type Node, type Parsed, type Place, type Ranges, RegexSyntaxError } from "./syntax.ts";

const MAX_REPEAT = 1000;
const MAX_HEIGHT = 1000;

interface Flags {
  readonly fold: boolean;
  readonly lines: boolean;
  readonly dotNewline: boolean;
  readonly lazy: boolean;
}

/** An open group: what was read of it so far. */
interface Level {
  readonly index: number;
  /** Where the group opens. */
  readonly at: number;
  /** Flags to return to when the group closes. */
  readonly outer: Flags;
  readonly branches: Node[];
  items: Node[];
}

export interface ParseOptions {
  /** Flags in force from the start: letters of `imsU`, as in `(?flags)`. */
  readonly flags?: string;
  /** Groups without a name only group. */
  readonly namedOnly?: boolean;
  /** Groups whose inside was parsed before, from left to right. */
  readonly known?: readonly KnownGroup[];
}

/**
 * The inside of a group, and the tree that it becomes on its own, parsed without flags and with the same `namedOnly`: it has no group
 * that captures. The tree is used as it is, so the places of its leaves count from the inside's own start.
 */
export interface KnownGroup {
  /** UTF-16 indexes into the source, behind the opening and of the closing parenthesis. */
  readonly at: number;
  readonly to: number;
  readonly root: Node;
}

/** Throws RegexSyntaxError. */
export function parse(source: string, options: ParseOptions = {}): Parsed {
  const lone = /[\ud800-\udfff]/.test(source) ? /\p{Cs}/u.exec(source) : null;
  if (lone !== null) throw new RegexSyntaxError("invalid UTF-8", source.slice(lone.index), lone.index);
  return new Parser(source, options).run();
}

class Parser {
  private readonly source: string;
  private readonly namedOnly: boolean;
  private readonly known: readonly KnownGroup[];
  /** How many known groups were passed. */
  private passed = 0;
  private at = 0;
  private flags: Flags;
  private readonly names: (string | null)[] = [null];
  private readonly stack: Level[] = [];
  private level: Level;

  constructor(source: string, options: ParseOptions) {
    this.source = source;
    this.namedOnly = options.namedOnly === true;
    this.known = options.known ?? [];
    this.flags = initialFlags(options.flags ?? "");
    this.level = { index: -1, at: 0, outer: this.flags, branches: [], items: [] };
  }

  run(): Parsed {
    /** Where the repetition operator stands that ended right here, else -1. */
    let lastRepeat = -1;
    while (this.at < this.source.length) {
      const before = this.at;
      let repeat = -1;
      switch (this.source[before]) {
        case "(":
          this.openGroup();
          break;
        case "|":
          this.at++;
          this.level.branches.push(this.concat(this.level.items));
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
          this.at++;
          this.ranges(this.flags.dotNewline ? ANY : ANY_BUT_NEWLINE, before);
          break;
        case "[":
          this.ranges(this.bracketClass(), before);
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
          this.literal(this.next(), before);
      }
      lastRepeat = repeat;
    }
    if (this.stack.length > 0) throw new RegexSyntaxError("missing closing )", this.source, this.level.at);
    return { root: this.finish(this.level), names: this.names };
  }

  /** Reads one code point. -1 at the end. */
  private next(): number {
    const code = this.source.codePointAt(this.at);
    if (code === undefined) return -1;
    this.at += code > 0xffff ? 2 : 1;
    return code;
  }

  private push(node: Node): void {
    if (node.height > MAX_HEIGHT) throw new RegexSyntaxError("expression nests too deeply", this.source, this.at);
    this.level.items.push(node);
  }

  /** Takes the `length` characters of an assertion. */
  private assert(place: Place, length: number): void {
    const at = this.at;
    this.at += length;
    this.push({ op: "assert", place, height: 1, at, to: this.at });
  }

  /** A class that was read from `at` to here. */
  private ranges(ranges: Ranges, at: number): void {
    this.push({ op: "class", ranges, height: 1, at, to: this.at });
  }

  private literal(code: number, at: number): void {
    this.ranges(this.flags.fold ? fold([code, code]) : [code, code], at);
  }

  private concat(items: readonly Node[]): Node {
    const [first] = items;
    if (first === undefined) return { op: "empty", height: 1 };
    return items.length === 1 ? first : { op: "concat", subs: items, height: 1 + highest(items) };
  }

  private finish(level: Level): Node {
    const last = this.concat(level.items);
    if (level.branches.length === 0) return last;
    const subs = [...level.branches, last];
    return { op: "alternate", subs, height: 1 + highest(subs) };
  }

  private open(name: string | null, captures: boolean, at: number): void {
    if (captures) this.names.push(name);
    this.stack.push(this.level);
    this.level = { index: captures ? this.names.length - 1 : -1, at, outer: this.flags, branches: [], items: [] };
  }

  private closeGroup(): void {
    const outer = this.stack.pop();
    if (outer === undefined) throw new RegexSyntaxError("unexpected )", this.source, this.at);
    this.at++;
    const { index, outer: flags } = this.level;
    const sub = this.finish(this.level);
    this.level = outer;
    this.flags = flags;
    this.push(index < 0 ? sub : { op: "capture", index, sub, height: sub.height + 1 });
  }

  private openGroup(): void {
    const start = this.at;
    if (this.source[start + 1] !== "?") {
      this.at++;
      this.open(null, !this.namedOnly, start);
      this.skipKnown();
      return;
    }
    const opening = /^\(\?(?:P<(?=.)|<(?![=!]|$))/s.exec(this.source.slice(start, start + 5));
    if (opening !== null) {
      const end = this.source.indexOf(">", start);
      const capture = end < 0 ? this.source.slice(start) : this.source.slice(start, end + 1);
      const name = capture.slice(opening[0].length, -1);
      if (end < 0 || !/^[0-9A-Za-z_]+$/.test(name)) throw new RegexSyntaxError("invalid named capture", capture, start);
      this.at = end + 1;
      this.open(name, true, start);
      this.skipKnown();
      return;
    }
    this.flagGroup(start);
  }

  /** Takes the inside of the group that was just opened when it is known. */
  private skipKnown(): void {
    const { known, at, flags } = this;
    while (this.passed < known.length && (known[this.passed] as KnownGroup).at < at) this.passed++;
    const group = known[this.passed];
    if (group?.at !== at || flags.fold || flags.lines || flags.dotNewline || flags.lazy) return;
    this.push(group.root);
    this.at = group.to;
  }

  /** `(?flags)` and `(?flags:re)`. */
  private flagGroup(start: number): void {
    this.at = start + 2;
    const flags = { ...this.flags };
    let on = true;
    let sawFlag = false;
    while (this.at < this.source.length) {
      const c = String.fromCodePoint(this.next());
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
    throw new RegexSyntaxError("invalid or unsupported Perl syntax", this.source.slice(start, this.at), start);
  }

  private countedRepeat(lastRepeat: number): number {
    const counts = /^\{(0|[1-9][0-9]*)(?:(,)(0|[1-9][0-9]*)?)?\}/.exec(this.source.slice(this.at, this.at + 64));
    if (counts === null) {
      const start = this.at;
      this.literal(this.next(), start);
      return -1;
    }
    const min = Number(counts[1]);
    const max = counts[2] === undefined ? min : counts[3] === undefined ? -1 : Number(counts[3]);
    if (min > MAX_REPEAT || max > MAX_REPEAT || (max >= 0 && min > max))
      throw new RegexSyntaxError("invalid repeat count", counts[0], this.at);
    return this.repeat(counts[0].length, min, max, lastRepeat);
  }

  /** Applies a repetition operator of `length` characters; gives back where it stands. */
  private repeat(length: number, min: number, max: number, lastRepeat: number): number {
    const start = this.at;
    this.at += length;
    let greedy = !this.flags.lazy;
    if (this.source[this.at] === "?") {
      this.at++;
      greedy = !greedy;
    }
    if (lastRepeat >= 0) {
      const operators = this.source.slice(lastRepeat, this.at);
      throw new RegexSyntaxError("invalid nested repetition operator", operators, lastRepeat);
    }
    const fragment = this.source.slice(start, this.at);
    const sub = this.level.items.pop();
    if (sub === undefined) throw new RegexSyntaxError("missing argument to repetition operator", fragment, start);
    const node: Node = { op: "repeat", min, max, greedy, sub, height: sub.height + 1 };
    const counted = length > 1 && (min >= 2 || max >= 2);
    if (counted && !repeatFits(node, MAX_REPEAT)) throw new RegexSyntaxError("invalid repeat count", fragment, start);
    this.push(node);
    return start;
  }

  /** A backslash outside brackets. */
  private escape(): void {
    const start = this.at;
    const letter = this.source[start + 1] ?? "";
    const place = PLACES[letter];
    if (place !== undefined) {
      this.assert(place, 2);
      return;
    }
    if (letter === "Q") {
      const end = this.source.indexOf("\\E", start + 2);
      const stop = end < 0 ? this.source.length : end;
      this.at += 2;
      while (this.at < stop) {
        const at = this.at;
        this.literal(this.next(), at);
      }
      if (end >= 0) this.at = end + 2;
      return;
    }
    const named = this.namedEscape();
    if (named !== null) this.ranges(named, start);
    else this.literal(this.escapedCharacter(), start);
  }

  /** `\pN`, `\p{Greek}`, `\d` and their negations; null when something else stands here. */
  private namedEscape(): Ranges | null {
    const start = this.at;
    const letter = this.source[start + 1];
    if (this.source[start] !== "\\" || letter === undefined) return null;
    const perl = PERL.get(letter.toLowerCase());
    if (perl !== undefined) {
      this.at += 2;
      const ranges = this.flags.fold ? fold(perl) : perl;
      return letter === letter.toLowerCase() ? ranges : negate(ranges);
    }
    if (letter !== "p" && letter !== "P") return null;
    this.at += 2;
    let name: string;
    if (this.source[this.at] === "{") {
      const end = this.source.indexOf("}", this.at);
      if (end < 0) throw new RegexSyntaxError("invalid character class range", this.source.slice(start), start);
      name = this.source.slice(this.at + 1, end);
      this.at = end + 1;
    } else {
      const code = this.next();
      name = code < 0 ? "" : String.fromCodePoint(code);
    }
    const negated = name.startsWith("^") !== (letter === "P");
    const ranges = property(name.startsWith("^") ? name.slice(1) : name);
    if (ranges === null)
      throw new RegexSyntaxError("invalid character class range", this.source.slice(start, this.at), start);
    const folded = this.flags.fold ? fold(ranges) : ranges;
    return negated ? negate(folded) : folded;
  }

  /** One escaped character, in brackets or outside. */
  private escapedCharacter(): number {
    const start = this.at;
    this.at++;
    const code = this.next();
    if (code < 0) throw new RegexSyntaxError("trailing backslash at end of expression", "", start);
    const c = String.fromCodePoint(code);
    if (c === "0" || (c >= "1" && c <= "7" && /[0-7]/.test(this.source[this.at] ?? ""))) {
      let value = code - 0x30;
      for (let i = 1; i < 3 && /[0-7]/.test(this.source[this.at] ?? ""); i++)
        value = value * 8 + Number(this.source[this.at++]);
      return value;
    }
    if (c === "x") {
      const value = this.hexCharacter();
      if (value >= 0) return value;
    } else {
      const control = CONTROLS[c];
      if (control !== undefined) return control;
      if (code < 0x80 && !/[0-9A-Za-z]/.test(c)) return code;
    }
    throw new RegexSyntaxError("invalid escape sequence", this.source.slice(start, this.at), start);
  }

  /** After `\x`; -1 when malformed, standing after the character at fault. */
  private hexCharacter(): number {
    const first = this.next();
    if (first !== 0x7b) {
      const high = hexDigit(first);
      if (first < 0) return -1;
      const low = hexDigit(this.next());
      return high < 0 || low < 0 ? -1 : high * 16 + low;
    }
    let value = 0;
    for (let digits = 0; ; digits++) {
      const code = this.next();
      if (code === 0x7d) return digits === 0 ? -1 : value;
      const digit = hexDigit(code);
      if (digit < 0) return -1;
      value = value * 16 + digit;
      if (value > LAST_CODE_POINT) return -1;
    }
  }

  private bracketClass(): Ranges {
    const start = this.at++;
    const negated = this.source[this.at] === "^";
    if (negated) this.at++;
    const ranges: number[] = [];
    for (let first = true; first || this.source[this.at] !== "]"; first = false) {
      const named = this.posixClass() ?? this.namedEscape();
      if (named !== null) {
        ranges.push(...named);
        continue;
      }
      const from = this.at;
      const lo = this.classCharacter(start);
      let hi = lo;
      if (this.source[this.at] === "-" && this.at + 1 < this.source.length && this.source[this.at + 1] !== "]") {
        this.at++;
        hi = this.classCharacter(start);
        if (hi < lo)
          throw new RegexSyntaxError("invalid character class range", this.source.slice(from, this.at), from);
      }
      ranges.push(...(this.flags.fold ? fold([lo, hi]) : [lo, hi]));
    }
    this.at++;
    const joined = normalize(ranges);
    return negated ? negate(joined) : joined;
  }

  private classCharacter(start: number): number {
    if (this.source[this.at] === "\\") return this.escapedCharacter();
    const code = this.next();
    if (code < 0) throw new RegexSyntaxError("missing closing ]", this.source.slice(start), start);
    return code;
  }

  private posixClass(): Ranges | null {
    if (!this.source.startsWith("[:", this.at)) return null;
    const end = this.source.indexOf(":]", this.at + 2);
    if (end < 0) return null;
    const text = this.source.slice(this.at, end + 2);
    const negated = text[2] === "^";
    const ranges = POSIX.get(text.slice(negated ? 3 : 2, -2));
    if (ranges === undefined) throw new RegexSyntaxError("invalid character class range", text, this.at);
    this.at = end + 2;
    const folded = this.flags.fold ? fold(ranges) : ranges;
    return negated ? negate(folded) : folded;
  }
}

const PLACES: Readonly<Record<string, Place>> = { A: "textStart", z: "textEnd", b: "word", B: "notWord" };

const FLAGS: Readonly<Record<string, keyof Flags>> = { i: "fold", m: "lines", s: "dotNewline", U: "lazy" };

function initialFlags(letters: string): Flags {
  const flags = { fold: false, lines: false, dotNewline: false, lazy: false };
  for (const letter of letters) {
    const flag = FLAGS[letter];
    if (flag === undefined) throw new RegexSyntaxError("invalid or unsupported Perl syntax", letter, 0);
    flags[flag] = true;
  }
  return flags;
}

const CONTROLS: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };

function hexDigit(code: number): number {
  return code < 0 || !/[0-9A-Fa-f]/.test(String.fromCodePoint(code))
    ? -1
    : Number.parseInt(String.fromCodePoint(code), 16);
}

function highest(nodes: readonly Node[]): number {
  let height = 0;
  for (const node of nodes) height = Math.max(height, node.height);
  return height;
}

/** Nested counted repeats multiply; the product must stay within the bound. */
function repeatFits(node: Node, bound: number): boolean {
  let left = bound;
  if (node.op === "repeat" && (node.min > 1 || node.max > 1)) {
    const count = node.max < 0 ? node.min : node.max;
    if (count > left) return false;
    if (count > 0) left = Math.floor(left / count);
  }
  if (node.op === "concat" || node.op === "alternate") return node.subs.every((sub) => repeatFits(sub, left));
  if (node.op === "repeat" && node.max === 0) return true;
  return node.op === "repeat" || node.op === "capture" ? repeatFits(node.sub, left) : true;
}
