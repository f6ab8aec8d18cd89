// Translates Logstash pattern definitions, which use Oniguruma's syntax, to RE2's syntax, which has no look-around and
// no backreferences. Known definitions from Logstash's core patterns are replaced as a whole. In all other definitions
// each construct that RE2 lacks is translated when the meaning allows it; otherwise a GrokError names the construct.

import { shortenedText } from "../text/shown-text.ts";
import { GrokError } from "./expand.ts";

const NUMBER_PART = String.raw`(?:(?:[0-9]+(?:\.[0-9]+)?)|(?:\.[0-9]+))`;
const HEX_PART = String.raw`(?:(?:[0-9A-Fa-f]+(?:\.[0-9A-Fa-f]*)?)|(?:\.[0-9A-Fa-f]+))`;
const SECOND = "(?:60|[0-5]?[0-9])(?:[:.,][0-9]+)?";
const SECOND_IN_HAPROXY = String.raw`(?:60|[0-5]?[0-9])(?:[:.,][0-9]+\b)?`;
const LOCAL_PART = "[a-zA-Z0-9!#$%&'*+\\-/=?^_`{|}~]";
const OCTETS = fourTimes("(?:[0-1]?[0-9]{1,2}|2[0-4][0-9]|25[0-5])");

/**
 * Definitions of Logstash's core patterns (github.com/logstash-plugins/logstash-patterns-core, Apache-2.0) whose
 * look-around cannot be translated construct by construct. Each pair is Logstash's definition and its
 * replacement. The comments in the list say where a replacement matches differently.
 */
const KNOWN: ReadonlyMap<string, string> = new Map([
  // The pattern EMAILLOCALPART. In Logstash, up to 63 parts begin with a dot, and each part has at most 62
  // characters. RE2 refuses nested repetition counts whose product is above 1,000, so in Millrace the length of
  // these parts has no limit.
  [
    String.raw`${LOCAL_PART}{1,64}(?:\.${LOCAL_PART}{1,62}){0,63}`,
    String.raw`${LOCAL_PART}{1,64}(?:\.${LOCAL_PART}+){0,63}`,
  ],
  // The pattern BASE10NUM. In Millrace, unlike in Logstash, the match may begin after a digit, a `.` or a sign.
  // The match may also be shorter when the remainder of the expression needs digits.
  [`(?<![0-9.+-])(?>[+-]?${NUMBER_PART})`, `(?:[+-]?${NUMBER_PART})`],
  // The pattern BASE16NUM. In Millrace, unlike in Logstash, the match may begin after a hexadecimal digit.
  ["(?<![0-9A-Fa-f])(?:[+-]?(?:0x)?(?:[0-9A-Fa-f]+))", "(?:[+-]?(?:0x)?(?:[0-9A-Fa-f]+))"],
  // The pattern BASE16FLOAT. In Millrace, unlike in Logstash, the match may begin after a `.`.
  [String.raw`\b(?<![0-9A-Fa-f.])(?:[+-]?(?:0x)?${HEX_PART})\b`, String.raw`\b(?:[+-]?(?:0x)?${HEX_PART})\b`],
  // The pattern QUOTEDSTRING. In Millrace, unlike in Logstash, the match may begin after a backslash.
  [
    String.raw`(?>(?<!\\)(?>"(?>\\.|[^\\"]+)+"|""|(?>'(?>\\.|[^\\']+)+')|''|(?>${"`"}(?>\\.|[^\\${"`"}]+)+${"`"})|${"``"}))`,
    String.raw`(?s:"(?:\\.|[^\\"])*"|'(?:\\.|[^\\'])*'|${"`"}(?:\\.|[^\\${"`"}])*${"`"})`,
  ],
  // The pattern IPV4. In Millrace, no digit, letter or underscore may be next to the match. In Logstash, no digit
  // may be next to the match, but letters and underscores may.
  [`(?<![0-9])${OCTETS}(?![0-9])`, String.raw`\b${OCTETS}\b`],
  // The pattern IPV4, as Logstash 2 and older define it.
  [`(?<![0-9])${fourTimes("(?:25[0-5]|2[0-4][0-9]|[0-1]?[0-9]{1,2})")}(?![0-9])`, String.raw`\b${OCTETS}\b`],
  // The pattern TIME: in Millrace, digits may follow the second; in Logstash, a time with digits after the second does
  // not match.
  ["(?!<[0-9])%{HOUR}:%{MINUTE}(?::%{SECOND})(?![0-9])", `%{HOUR}:%{MINUTE}(?::${SECOND})`],
  // The pattern HAPROXYTIME. In Millrace, unlike in Logstash, digits may follow the second, but no letter may
  // follow a second with a fraction.
  [
    "(?!<[0-9])%{HOUR:haproxy_hour}:%{MINUTE:haproxy_minute}(?::%{SECOND:haproxy_second})(?![0-9])",
    `%{HOUR:haproxy_hour}:%{MINUTE:haproxy_minute}(?::(?P<haproxy_second>${SECOND_IN_HAPROXY}))`,
  ],
  // The pattern MONGO_QUERY. In Millrace, unlike in Logstash, the match need not be followed by `ntoreturn:`.
  [String.raw`\{ (?<={ ).*(?= } ntoreturn:) \}`, String.raw`\{ (?s:.)* \}`],
  // The pattern SYSLOGPAMSESSION (legacy and ECS version). In Millrace, unlike in Logstash, the captured message
  // is the matched text and everything after it.
  [
    String.raw`%{SYSLOGBASE} (?=%{GREEDYDATA:message})%{WORD:pam_module}\(%{DATA:pam_caller}\): session %{WORD:pam_session_state} for user %{USERNAME:username}(?: by %{GREEDYDATA:pam_by})?`,
    String.raw`%{SYSLOGBASE} (?P<message>%{WORD:pam_module}\(%{DATA:pam_caller}\): session %{WORD:pam_session_state} for user %{USERNAME:username}(?: by %{GREEDYDATA:pam_by})?(?s:.*))`,
  ],
  [
    String.raw`%{SYSLOGBASE} (?=%{GREEDYDATA:message})%{WORD:[system][auth][pam][module]}\(%{DATA:[system][auth][pam][origin]}\): session %{WORD:[system][auth][pam][session_state]} for user %{USERNAME:[user][name]}(?: by %{GREEDYDATA})?`,
    String.raw`%{SYSLOGBASE} (?P<message>%{WORD:[system][auth][pam][module]}\(%{DATA:[system][auth][pam][origin]}\): session %{WORD:[system][auth][pam][session_state]} for user %{USERNAME:[user][name]}(?: by %{GREEDYDATA})?(?s:.*))`,
  ],
  // The pattern IPTABLES4_FRAG. In Millrace, unlike in Logstash, the match need not be preceded by a blank.
  ["(?:(?<= )(?:CE|DF|MF))*", "(?:CE|DF|MF)?"],
]);

function fourTimes(octet: string): string {
  return `(?:${octet}[.]${octet}[.]${octet}[.]${octet})`;
}

/**
 * Translates a definition of a Logstash pattern file to RE2's syntax. As in Logstash, `.` also matches line breaks, and
 * `^` and `$` match at every line. Throws GrokError, whose offset is a UTF-16 index into `definition`.
 *
 * @example
 * fromLogstash("(?>a|b)\\h++"); // "(?:a|b)[0-9A-Fa-f]+"
 */
export function fromLogstash(definition: string): string {
  return KNOWN.get(definition) ?? new Translator(definition).run();
}

/** Deepest nesting of bracket expressions such as `[a[b]]`. */
const MAX_CLASS_DEPTH = 50;

class Translator {
  private readonly source: string;
  private at = 0;
  /**
   * The translated definition as a list of strings; a single string would be copied whenever a repetition is put into a
   * group.
   */
  private readonly pieces: string[] = [];
  /** Index, in `pieces` (the translated definition), at which the last element (a character, class or group) begins. */
  private last = 0;
  /** Whether the last element of the translated definition is a repetition, such as `a*`. */
  private repeated = false;
  /**
   * For each group of the translated definition that is still open, the index in `pieces` at which the group
   * begins.
   */
  private readonly open: number[] = [];

  private readonly hasAlternatives: boolean;

  constructor(source: string) {
    this.source = source;
    this.hasAlternatives = source.includes("|");
  }

  run(): string {
    while (this.at < this.source.length) {
      if (this.repetition()) continue;
      const start = this.pieces.length;
      const opens = this.source[this.at] === "(";
      const closes = this.source[this.at] === ")";
      const element = this.element();
      this.pieces.push(element);
      // Records the start of a group. Flags, comments and look-around also begin with `(?`, but they open no group.
      // Their translations end with `)` or contain no parenthesis, unlike the translation of the beginning of a group.
      if (opens && element.startsWith("(") && !element.endsWith(")")) this.open.push(start);
      this.last = closes ? (this.open.pop() ?? start) : start;
      this.repeated = false;
    }
    return this.pieces.join("");
  }

  /**
   * Reads a repetition operator such as `*`, `+?` or `{2}+`. Returns false when there is no operator at the current
   * offset of the definition.
   */
  private repetition(): boolean {
    const written = /^(?:[*+?]|\{(?:[0-9]+(?:,[0-9]*)?|,[0-9]+)\})/.exec(this.source.slice(this.at, this.at + 32))?.[0];
    if (written === undefined) return false;
    this.at += written.length;
    const operator = written.replace("{,", "{0,");
    const suffixes = operator[0] === "{" ? "?" : "?+";
    const next = this.source[this.at] ?? "";
    const suffix = next !== "" && suffixes.includes(next) ? next : "";
    this.at += suffix.length;
    // RE2 refuses a repetition of a repetition, such as `a**`. So the first repetition is put into a group: `(?:a*)*`.
    if (this.repeated) {
      this.pieces[this.last] = `(?:${this.pieces[this.last]}`;
      this.pieces.push(")");
    }
    this.pieces.push(operator + (suffix === "?" ? suffix : ""));
    this.repeated = true;
    return true;
  }

  private element(): string {
    const { source, at } = this;
    switch (source[at]) {
      case "\\":
        return this.escape();
      case "[":
        return this.bracketClass();
      case "(":
        return this.group();
      case ".":
        this.at++;
        return "(?s:.)";
      case "^":
      case "$":
        this.at++;
        return `(?m:${source[at]})`;
      case "%": {
        const [all, reference, ignored = ""] = REFERENCE.exec(source.slice(at, at + MAX_REFERENCE)) ?? ["%"];
        if (ignored.startsWith("=")) throw this.fault(at, "definition inside of a reference");
        this.at += all.length;
        return reference === undefined ? all : `%{${reference.replaceAll("?", "")}}`;
      }
      default: {
        const character = String.fromCodePoint(source.codePointAt(at) as number);
        this.at += character.length;
        return character;
      }
    }
  }

  private escape(): string {
    const { source, at } = this;
    const letter = source[at + 1] ?? "";
    this.at += 2;
    const plain = ESCAPES[letter];
    if (plain !== undefined) return plain;
    if (/[1-9k]/.test(letter)) throw this.fault(at, "backreference");
    if (/[RXKGg]/.test(letter)) throw this.fault(at, "escape");
    if (letter === "u") {
      const digits = /^(?:[0-9A-Fa-f]{4})/.exec(source.slice(this.at))?.[0];
      if (digits === undefined) throw this.fault(at, "escape");
      this.at += digits.length;
      return `\\x{${digits}}`;
    }
    // RE2 refuses a backslash before a letter that is no known escape, so the backslash is removed.
    return /[A-Za-z]/.test(letter) && !/[abBdDfnpPrsStvwWxzAEQ]/.test(letter) ? letter : source.slice(at, at + 2);
  }

  private group(): string {
    const { source, at } = this;
    const rest = source.slice(at, at + 64);
    if (rest.startsWith("(?>")) {
      this.at += 3;
      return "(?:";
    }
    if (rest.startsWith("(?#")) {
      this.at = this.endOf(")", "comment");
      return "";
    }
    const around = /^\(\?<?[=!]/.exec(rest)?.[0];
    if (around !== undefined) return this.lookAround(around);
    if (rest.startsWith("(?(")) throw this.fault(at, "condition");
    if (rest.startsWith("(?~")) throw this.fault(at, "absent operator");
    const flags = /^\(\?([a-zA-Z]*)(-[a-zA-Z]*)?([:)])/.exec(rest);
    if (flags === null || flags[0] === "(?:") {
      if (/^\(\?P?</.test(rest)) this.at = this.endOf(">", "name of a group");
      else this.at += flags === null ? 1 : flags[0].length;
      return source.slice(at, this.at);
    }
    const [text, on = "", off = "", end] = flags as unknown as [string, string, string | undefined, string];
    if (on.includes("x")) throw this.fault(at, "flag x, expressions with blanks and comments,");
    this.at += text.length;
    const letters = (its: string) => its.replaceAll(/[xmau]/g, (letter) => (letter === "m" ? "s" : ""));
    const disabled = letters(off);
    return `(?${letters(on)}${disabled === "-" ? "" : disabled}${end}`;
  }

  /** Returns the offset after the next occurrence of `end`. */
  private endOf(end: string, construct: string): number {
    const found = this.source.indexOf(end, this.at);
    if (found < 0) throw this.fault(this.at, `${construct} without ${end}`);
    return found + 1;
  }

  /**
   * Translates look-around to the word boundary `\b`, which means nearly the same as `(?<![0-9])` directly before a
   * digit and as `(?![0-9])` directly after a digit. In an expression with alternatives it is unknown what is next to
   * the look-around, so the translation fails.
   */
  private lookAround(opening: string): string {
    const { source, at } = this;
    const around = /^\(\?(<?)!(?:\[0-9\]|\\d)\)/.exec(source.slice(at, at + 16));
    const behind = around?.[1] === "<";
    const neighbour =
      around !== null &&
      !this.hasAlternatives &&
      (behind
        ? DIGIT_FIRST.test(source.slice(at + around[0].length, at + MAX_REFERENCE))
        : DIGIT_LAST.test(source.slice(Math.max(0, at - MAX_REFERENCE), at)));
    if (around === null || !neighbour) throw this.fault(at, opening.includes("<") ? "lookbehind" : "lookahead");
    this.at += around[0].length;
    return "\\b";
  }

  /** Reads a bracket expression and merges the bracket expressions inside it into one character class. */
  private bracketClass(): string {
    const start = this.at;
    const inside = this.classAt(start);
    if (inside !== null) {
      this.at = inside.end;
      return inside.text;
    }
    // A `[` inside the bracket expression cannot begin an inner bracket expression here, because the outer bracket
    // expression would then have no end. So the inner `[` is read as an ordinary character, as in RE2.
    const plain = /^\[\^?\]?(?:\[:\^?[a-z]+:\]|\\.|[^\]\\])*\]/s.exec(this.source.slice(start))?.[0];
    this.at += plain?.length ?? 1;
    return plain ?? "[";
  }

  private classAt(start: number, depth = 0): { readonly text: string; readonly end: number } | null {
    const { source } = this;
    let at = start + 1;
    let text = "[";
    const negated = source[at] === "^";
    if (negated) {
      at++;
      text += "^";
    }
    for (let first = true; ; first = false) {
      const c = source[at];
      if (c === undefined) return null;
      if (c === "]" && !first) return { text: `${text}]`, end: at + 1 };
      const posix = /^\[:\^?[a-z]+:\]/.exec(source.slice(at, at + 16))?.[0];
      if (posix !== undefined) {
        text += POSIX[posix] ?? posix;
        at += posix.length;
      } else if (c === "-" && (source[at + 1] === "[" || (depth > 0 && (first || source[at + 1] === "]")))) {
        // A `-` in the class is escaped. Otherwise the `-` would form a range of characters after this bracket
        // expression is merged with another bracket expression inside or around it.
        text += "\\-";
        at++;
      } else if (c === "[") {
        if (depth === MAX_CLASS_DEPTH) throw this.fault(at, `class inside of more than ${MAX_CLASS_DEPTH} others`);
        const inner = this.classAt(at, depth + 1);
        if (inner === null) return null;
        if (inner.text.startsWith("[^")) throw this.fault(at, "negated class inside of a class");
        text += inner.text.slice(1, -1);
        at = inner.end;
      } else if (c === "\\") {
        const letter = source[at + 1] ?? "";
        if (letter === "H") throw this.fault(at, "escape");
        text += letter === "h" ? "0-9A-Fa-f" : letter === "b" ? "\\x08" : source.slice(at, at + 2);
        at += 2;
      } else {
        if (source.startsWith("&&", at)) throw this.fault(at, "intersection of classes");
        text += c;
        at++;
      }
    }
  }

  private fault(at: number, construct: string): GrokError {
    const shown = shortenedText(this.source.slice(at, at + 40));
    return new GrokError(`${construct} is not supported: \`${shown}\``, at);
  }
}

/**
 * Largest length in UTF-16 units of a reference `%{...}` that is translated. The constant also limits how many
 * characters before a `(?![0-9])` or after a `(?<![0-9])` are read to find out whether a digit is next to this
 * look-around.
 */
const MAX_REFERENCE = 1000;

/**
 * Matches a reference as Logstash reads it. Text between the alias and the `}` is ignored, except a definition, which
 * begins with `=`. Some core patterns have a `?` in an alias by mistake.
 */
const REFERENCE = /^%\{([0-9A-Za-z_]+(?:[.-][0-9A-Za-z_]+)*(?::[@[\]0-9A-Za-z_:.?-]+)?)([^}]*)\}/;

/**
 * DIGIT_FIRST matches expressions that begin with a digit, and DIGIT_LAST matches expressions that end with a digit.
 * Neither detects alternatives, so they are used only for expressions without `|`.
 */
const DIGIT_FIRST =
  /^(?:\((?:\?:|\?>|\?P?<[^>]*>)?)*(?:\[0-9\](?![*?]|\{0)|\\d(?![*?]|\{0)|[0-9](?![*?]|\{0)|%\{(?:POSINT|NONNEGINT|YEAR|HOUR|MINUTE)[:}])/;
const DIGIT_LAST =
  /(?:\[0-9\]|\\d|%\{(?:INT|POSINT|NONNEGINT|YEAR|HOUR|MINUTE)(?::[^{}]*)?\})(?:\+\+?|\{[1-9][0-9,]*\})?\)*$/;

const ESCAPES: Readonly<Record<string, string>> = {
  h: "[0-9A-Fa-f]",
  H: "[^0-9A-Fa-f]",
  Z: "(?:\\n?\\z)",
  e: "\\x1b",
};

/** RE2 classes for Logstash's named classes, which cover all of Unicode; RE2's own named classes are ASCII only. */
const POSIX: Readonly<Record<string, string>> = {
  "[:alnum:]": "\\pL\\pM\\p{Nd}",
  "[:alpha:]": "\\pL\\pM",
  "[:digit:]": "\\p{Nd}",
  "[:upper:]": "\\p{Lu}",
  "[:lower:]": "\\p{Ll}",
};
