// Reads the characters of an expression: code points, escapes and classes, as ranges of code points
// (docs/reference/grok.md#regular-expressions).

import { fold, LAST_CODE_POINT, negate, normalize, PERL, POSIX, property } from "./char-class.ts";
import { type Ranges, RegexSyntaxError } from "./tree.ts";

export class Reader {
  readonly source: string;
  /** The current position in the expression, as a UTF-16 index. */
  at = 0;

  constructor(source: string) {
    this.source = source;
  }

  /** Reads one code point. Returns -1 at the end of the expression. */
  next(): number {
    const code = this.source.codePointAt(this.at);
    if (code === undefined) return -1;
    this.at += code > 0xffff ? 2 : 1;
    return code;
  }

  /**
   * Reads an escape for a set or for its complement, such as `\pN`, `\p{Greek}`, `\d` or `\D`. Returns null when
   * there is no such escape at the current position.
   */
  namedEscape(folds: boolean): Ranges | null {
    const start = this.at;
    const letter = this.source[start + 1];
    if (this.source[start] !== "\\" || letter === undefined) return null;
    const perl = PERL.get(letter.toLowerCase());
    if (perl !== undefined) {
      this.at += 2;
      const ranges = folds ? fold(perl) : perl;
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
    const folded = folds ? fold(ranges) : ranges;
    return negated ? negate(folded) : folded;
  }

  /** Reads an escape for one character, such as `\n` or `\x41`, inside or outside of brackets. */
  escapedCharacter(): number {
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

  /**
   * Reads the digits after `\x`. Returns -1 when they are invalid; the current position is then after the wrong
   * character.
   */
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

  bracketClass(folds: boolean): Ranges {
    const start = this.at++;
    const negated = this.source[this.at] === "^";
    if (negated) this.at++;
    const ranges: number[] = [];
    for (let first = true; first || this.source[this.at] !== "]"; first = false) {
      const named = this.posixClass(folds) ?? this.namedEscape(folds);
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
      ranges.push(...(folds ? fold([lo, hi]) : [lo, hi]));
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

  private posixClass(folds: boolean): Ranges | null {
    if (!this.source.startsWith("[:", this.at)) return null;
    const end = this.source.indexOf(":]", this.at + 2);
    if (end < 0) return null;
    const text = this.source.slice(this.at, end + 2);
    const negated = text[2] === "^";
    const ranges = POSIX.get(text.slice(negated ? 3 : 2, -2));
    if (ranges === undefined) throw new RegexSyntaxError("invalid character class range", text, this.at);
    this.at = end + 2;
    const folded = folds ? fold(ranges) : ranges;
    return negated ? negate(folded) : folded;
  }
}

const CONTROLS: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };

function hexDigit(code: number): number {
  return code < 0 || !/[0-9A-Fa-f]/.test(String.fromCodePoint(code))
    ? -1
    : Number.parseInt(String.fromCodePoint(code), 16);
}
