// Formats values by directives such as %5.2f, with the verbs and the error texts of Go's fmt package
// (docs/reference/functions.md#strfmt).

import { Float } from "../../../point/value.ts";
import { characterCount, indexBehind } from "../../../text/characters.ts";
import { type CountPiece, mapJoined } from "../../../text/flat.ts";
import type { Integer } from "../../../text/integer.ts";
import { enclosed, isPrintable } from "../../../text/quoting.ts";
import { compareBytes, isDict, isInt, isList, isNothing, isText, textOf, type Value } from "../../runtime/value.ts";
import { goTypeName } from "../time/durations.ts";
import { floatText } from "./float-text.ts";

interface Flags {
  plus: boolean;
  minus: boolean;
  sharp: boolean;
  space: boolean;
  zero: boolean;
  width: number | undefined;
  precision: number | undefined;
}

const PLAIN: Flags = {
  plus: false,
  minus: false,
  sharp: false,
  space: false,
  zero: false,
  width: undefined,
  precision: undefined,
};
/** Largest accepted number for a width or precision; a larger number is ignored. */
const MAX_NUMBER = 1_000_000;

export function formatVerbs(format: string, args: readonly Value[], count: CountPiece = () => {}): string {
  return new Formatter(format, args, count).run();
}

class Formatter {
  private readonly format: string;
  private readonly args: readonly Value[];
  private readonly count: CountPiece;
  private at = 0;
  private next = 0;
  private reordered = false;
  private goodIndex = true;
  /** Whether an argument index such as `[2]` ends directly before the current position. */
  private afterIndex = false;

  constructor(format: string, args: readonly Value[], count: CountPiece) {
    this.count = count;
    this.format = format;
    this.args = args;
  }

  run(): string {
    let result = "";
    while (this.at < this.format.length) {
      const percent = this.format.indexOf("%", this.at);
      if (percent < 0) {
        result += this.format.slice(this.at);
        break;
      }
      result += this.format.slice(this.at, percent);
      this.at = percent + 1;
      const text = this.directive();
      this.count(text.length);
      result += text;
    }
    if (!this.reordered && this.next < this.args.length) {
      const extra = this.args.slice(this.next).map((arg) => described(arg, PLAIN, this.count));
      result += `%!(EXTRA ${extra.join(", ")})`;
    }
    return result;
  }

  private directive(): string {
    this.goodIndex = true;
    this.afterIndex = false;
    let mistakes = "";
    const flags = this.flags();
    this.argumentIndex();
    if (this.format[this.at] === "*") {
      this.at++;
      flags.width = this.numberArgument();
      if (flags.width === undefined) mistakes += "%!(BADWIDTH)";
      else if (flags.width < 0) {
        flags.width = -flags.width;
        flags.minus = true;
        flags.zero = false;
      }
      this.afterIndex = false;
    } else {
      flags.width = this.number();
      if (this.afterIndex && flags.width !== undefined) this.goodIndex = false;
    }
    if (this.format[this.at] === ".") {
      this.at++;
      if (this.afterIndex) this.goodIndex = false;
      this.argumentIndex();
      if (this.format[this.at] === "*") {
        this.at++;
        flags.precision = this.numberArgument();
        if (flags.precision !== undefined && flags.precision < 0) flags.precision = undefined;
        if (flags.precision === undefined) mistakes += "%!(BADPREC)";
        this.afterIndex = false;
      } else flags.precision = this.number() ?? 0;
    }
    if (!this.afterIndex) this.argumentIndex();
    const code = this.format.codePointAt(this.at);
    if (code === undefined) return `${mistakes}%!(NOVERB)`;
    const verb = String.fromCodePoint(code);
    this.at += verb.length;
    if (verb === "%") return `${mistakes}%`;
    if (!this.goodIndex) return `${mistakes}%!${verb}(BADINDEX)`;
    if (this.next >= this.args.length) return `${mistakes}%!${verb}(MISSING)`;
    // The flags `+` and `#` make the verb %v print more detail. Script values have no more detail, so the flags are
    // ignored.
    if (verb === "v") flags.plus = flags.sharp = false;
    return mistakes + formatted(this.args[this.next++] as Value, verb, flags, this.count);
  }

  private flags(): Flags {
    const flags = { ...PLAIN };
    for (; ; this.at++) {
      switch (this.format[this.at]) {
        case "+":
          flags.plus = true;
          break;
        case "-":
          flags.minus = true;
          flags.zero = false;
          break;
        case "#":
          flags.sharp = true;
          break;
        case " ":
          flags.space = true;
          break;
        case "0":
          flags.zero = !flags.minus;
          break;
        default:
          return flags;
      }
    }
  }

  private number(): number | undefined {
    const digits = /^\d+/.exec(this.format.slice(this.at, this.at + 12))?.[0];
    if (digits === undefined) return undefined;
    this.at += digits.length;
    return Number(digits) > MAX_NUMBER ? undefined : Number(digits);
  }

  private numberArgument(): number | undefined {
    if (this.next >= this.args.length) return undefined;
    const value = this.args[this.next++];
    return isInt(value) && Math.abs(Number(value)) <= MAX_NUMBER ? Number(value) : undefined;
  }

  /** Reads the argument index of a directive, such as `[2]` in `%[2]d`. */
  private argumentIndex(): void {
    if (this.format[this.at] !== "[") return;
    this.reordered = true;
    const end = this.format.indexOf("]", this.at);
    if (end < 0) {
      this.goodIndex = false;
      this.at++;
      return;
    }
    const text = this.format.slice(this.at + 1, end);
    this.at = end + 1;
    const index = /^\d{1,7}$/.test(text) ? Number(text) - 1 : -1;
    if (index >= 0 && index < this.args.length) {
      this.next = index;
      this.afterIndex = true;
    } else this.goodIndex = false;
  }
}

function described(value: Value, flags: Flags, count: CountPiece): string {
  return isNothing(value) ? "<nil>" : `${goTypeName(value)}=${formatted(value, "v", flags, count)}`;
}

/** Pads a text with blanks up to the width, which is counted in code points. */
function padded(text: string, flags: Flags): string {
  if (flags.width === undefined) return text;
  const missing = flags.width - characterCount(text);
  if (missing <= 0) return text;
  return flags.minus ? text + " ".repeat(missing) : (flags.zero ? "0" : " ").repeat(missing) + text;
}

/**
 * Formats an element of a list or map. A list that contains another list many times is small in memory but
 * extremely long as text, so the memory of each part is counted before the next part is made.
 */
function formattedInside(value: Value, verb: string, flags: Flags, count: CountPiece): string {
  const text = isNothing(value) ? "<nil>" : formatted(value, verb, flags, count);
  count(text.length);
  return text;
}

function formatted(value: Value, verb: string, flags: Flags, count: CountPiece): string {
  if (isNothing(value)) return verb === "T" || verb === "v" ? padded("<nil>", flags) : `%!${verb}(<nil>)`;
  if (verb === "T") return padded(goTypeName(value), flags);
  if (isList(value)) return `[${value.map((item) => formattedInside(item, verb, flags, count)).join(" ")}]`;
  if (isDict(value)) {
    const keys = [...value.keys()].sort(compareBytes);
    const pairs = keys.map(
      (key) => `${formatted(key, verb, flags, count)}:${formattedInside(value.get(key) ?? null, verb, flags, count)}`,
    );
    return `map[${pairs.join(" ")}]`;
  }
  let text: string | undefined;
  if (isInt(value)) text = formatInteger(value, verb, flags);
  else if (value instanceof Float) text = formatFloat(value.value, verb, flags);
  else if (isText(value)) text = formatText(textOf(value), verb, flags, count);
  else if (verb === "t" || verb === "v") text = padded(String(value), flags);
  return text ?? `%!${verb}(${described(value, flags, count)})`;
}

const BASES: Readonly<Record<string, number>> = { v: 10, d: 10, b: 2, o: 8, O: 8, x: 16, X: 16 };

function formatInteger(value: Integer, verb: string, flags: Flags): string | undefined {
  const code = Number(value);
  const valid = code >= 0 && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000);
  const character = valid ? String.fromCodePoint(code) : "\ufffd";
  if (verb === "c") return padded(character, flags);
  if (verb === "q") return padded(enclosed(character, "'", flags.plus), flags);
  if (verb === "U") {
    const digits = BigInt.asUintN(64, BigInt(value)).toString(16).toUpperCase();
    const name = `U+${digits.padStart(Math.max(4, flags.precision ?? 0), "0")}`;
    return padded(flags.sharp && valid && isPrintable(character) ? `${name} '${character}'` : name, {
      ...flags,
      zero: false,
    });
  }
  const base = BASES[verb];
  if (base === undefined) return undefined;
  const negative = value < 0;
  let digits = (negative ? -BigInt(value) : BigInt(value)).toString(base);
  if (verb === "X") digits = digits.toUpperCase();
  let least = flags.precision ?? 0;
  if (flags.precision === 0 && digits === "0") return " ".repeat(flags.width ?? 0);
  if (flags.precision === undefined && flags.zero && flags.width !== undefined)
    least = flags.width - (negative || flags.plus || flags.space ? 1 : 0);
  digits = digits.padStart(least, "0");
  if (verb === "O") digits = `0o${digits}`;
  else if (flags.sharp && base === 2) digits = `0b${digits}`;
  else if (flags.sharp && base === 8 && !digits.startsWith("0")) digits = `0${digits}`;
  else if (flags.sharp && base === 16) digits = `0${verb}${digits}`;
  const sign = negative ? "-" : flags.plus ? "+" : flags.space ? " " : "";
  return padded(sign + digits, { ...flags, zero: false });
}

function formatFloat(value: number, verb: string, flags: Flags): string | undefined {
  const lower = verb === "v" ? "g" : verb.toLowerCase();
  if (!/^[efgxb]$/.test(lower) || verb === "B") return undefined;
  const absent = lower === "e" || lower === "f" ? 6 : -1;
  let digits = floatText(value, lower as "e" | "f" | "g" | "x" | "b", flags.precision ?? absent);
  if (verb !== lower && verb !== "v") digits = digits.toUpperCase().replace("INF", "Inf").replace("NAN", "NaN");
  const negative = value < 0 || Object.is(value, -0);
  const infinite = digits === "Inf";
  const plus = flags.plus || (infinite && !flags.space);
  const sign = negative ? "-" : plus ? "+" : flags.space ? " " : "";
  if (infinite || digits === "NaN") return padded(sign + digits, { ...flags, zero: false });
  if (!flags.zero || flags.width === undefined) return padded(sign + digits, flags);
  return sign + digits.padStart(flags.width - sign.length, "0");
}

const encoder = new TextEncoder();

const lowerHex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
const upperHex = lowerHex.map((hex) => hex.toUpperCase());

function formatText(text: string, verb: string, flags: Flags, count: CountPiece): string | undefined {
  const cut = flags.precision === undefined ? text : text.slice(0, indexBehind(text, 0, flags.precision));
  switch (verb) {
    case "v":
    case "s":
      return padded(cut, flags);
    case "q": {
      const raw = flags.sharp && !/[`\ufeff]|[^\P{Cc}\t]/u.test(cut);
      return padded(raw ? `\`${cut}\`` : enclosed(cut, '"', flags.plus, count), flags);
    }
    case "x":
    case "X": {
      const bytes = encoder.encode(text).subarray(0, flags.precision);
      if (bytes.length === 0) return padded("", flags);
      const prefix = flags.sharp ? `0${verb}` : "";
      const between = flags.space ? ` ${prefix}` : "";
      const hex = (byte: number) => between + (verb === "X" ? upperHex : lowerHex)[byte]!;
      // With the flag for blanks (as in `% x`), a blank is printed before every byte except the first one.
      return padded(prefix + mapJoined(bytes, hex, count).slice(between.length), flags);
    }
    default:
      return undefined;
  }
}
