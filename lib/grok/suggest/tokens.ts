// Splits a line into tokens: values, and the punctuation and keys between them, which become literal text. Text in
// quotes is one value; only the request of an access log, such as `"GET / HTTP/1.1"`, is split further.

import { DATE_LAYOUTS } from "./dates.ts";

/** A token of a line: a value, a word or a punctuation mark. */
export interface Token {
  /**
   * The kind of the token: `fixed` for punctuation, `key` for a name before a value (`user=`), `missing` for a `-` in
   * place of a value, `empty` for the absent value after a key; otherwise the name of the value's kind.
   */
  readonly kind: string;
  readonly text: string;
  /** UTF-16 index of the token in the line. */
  readonly start: number;
  /** The white space before the token. */
  readonly before: string;
  /** For a date: its layout, such as `yyyy-MM-dd`. */
  readonly layout?: string;
  /** For a value directly after a key such as `user=`: the key. */
  readonly key?: string;
  /** Whether the value fills the whole text between two quotes or brackets. */
  readonly enclosed?: boolean;
}

/** Largest number of tokens of a line; the remainder of the line becomes one token of free text. */
export const mostTokens = 240;

const LEVEL = /^(?:alert|trace|debug|notice|info|warn(?:ing)?|err(?:or)?|crit(?:ical)?|fatal|severe|emerg(?:ency)?)$/i;
const METHOD = /^(?:GET|HEAD|POST|PUT|DELETE|PATCH|OPTIONS|CONNECT|TRACE|PROPFIND|REPORT)$/;
const REQUEST = /^([A-Z]{3,12}) (\S+)(?: (HTTP\/)(\d(?:\.\d)?))?$/;
const TLD =
  "com|net|org|io|dev|local|internal|lan|edu|gov|de|uk|fr|cn|jp|us|eu|info|biz|example|test|invalid|localdomain|cloud|corp|arpa";
const HOST = new RegExp(`^(?!(?:com|org|net|io|java|javax)\\.)[a-z0-9][a-z0-9-]*(?:\\.[a-z0-9-]+)*\\.(?:${TLD})$`, "i");

/**
 * The kinds of values that are easy to recognize, each with the regular expression that finds such a value at the
 * position where a token may begin.
 */
const FORMS: readonly (readonly [kind: string, at: RegExp])[] = [
  ["uri", /[a-z][a-z+]*:\/\/[^\s"'<>]*[^\s"'<>,;.)\]]/y],
  ["uuid", /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?![\w-])/iy],
  ["mac", /[0-9a-f]{2}(?:([:-])[0-9a-f]{2})(?:\1[0-9a-f]{2}){4}(?![\w:-])/iy],
  ["ip", /(?:\d{1,3}\.){3}\d{1,3}(?![\w.]\w)/y],
  [
    "ip",
    /(?=[0-9a-f:]*(?:::|(?::[0-9a-f]+){7}))(?:[0-9a-f]{0,4}:){2,7}(?:(?:\d{1,3}\.){3}\d{1,3}|[0-9a-f]{0,4})(?![\w:])/iy,
  ],
  ["hex", /0x[0-9a-f]+(?!\w)/iy],
  ["float", /[+-]?\d+\.\d+(?![\w.]\w|\w)/y],
  ["float", /\d+\.\d+(?=(?:ns|us|µs|ms|s|m|h|[kKMG]i?[bB]|B|%)(?!\w))/y],
  ["int", /\d+(?=(?:ns|us|µs|ms|s|m|h|[kKMG]i?[bB]|B|%)(?!\w))/y],
  ["int", /[+-]?\d+(?![\w.-]\w|\w)/y],
  ["hex", /(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{8,}(?![\w-])/iy],
  ["path", /\/(?:[^\s"'<>()[\]{}|,;]*[^\s"'<>()[\]{}|,;:.])?/y],
  ["token", /[A-Za-z]:\\[^\s"'<>|,;]*/y],
];
const KEY = /[A-Za-z_@][\w.\-/@]*=(?!=)/y;
const JSON_KEY = /"[^"\\\s]{1,60}":/y;
const VALUE = /[^\s,;&|)\]}>"]+/y;
const RUN = /[^\s"'()[\]{}<>=,;:|][^\s"'()[\]{}=,;:|]*/y;
const PUNCTUATION = /([=*#~])\1+|->|=>|[\s\S]/uy;
const QUOTED = /"((?:[^"\\]|\\[\s\S])*)"/y;
const SINGLE_QUOTED = /'((?:[^'\\]|\\[\s\S])*)'(?!\w)/y;
const BRACKETED = /\[(?:[^[\]]|\[[^[\]]*\]){1,200}\]/y;
const KLOG = /[IWEF](?=[01]\d[0-3]\d \d\d:\d\d:\d\d\.\d{6})/y;

/** Returns the kind of value of a text that is a single value, such as `ip` or `int`. */
export function classify(text: string): string {
  if (text === "-") return "missing";
  if (text === "") return "empty";
  for (const [kind, at] of FORMS) if (taken(at, text, 0)?.length === text.length) return kind;
  if (METHOD.test(text)) return "method";
  if (LEVEL.test(text)) return "level";
  if (HOST.test(text)) return "host";
  if (/^\w+$/.test(text)) return "word";
  return /\s/.test(text) ? "text" : "token";
}

/**
 * Splits a line into tokens. With `opensBrackets`, text in brackets is split further when a part of it is easy to
 * recognize, such as a date; otherwise text in brackets is one value.
 */
export function tokensOf(line: string, opensBrackets: boolean): Token[] {
  return new Cutter(line, opensBrackets).cut(0, line.length);
}

class Cutter {
  private readonly line: string;
  private readonly tokens: Token[] = [];
  private before = "";

  private readonly opensBrackets: boolean;

  constructor(line: string, opensBrackets: boolean) {
    this.line = line;
    this.opensBrackets = opensBrackets;
  }

  cut(from: number, to: number): Token[] {
    for (let at = from; at < to; ) {
      const space = taken(/\s+/y, this.line, at);
      if (space !== null) {
        this.before = space;
        at += space.length;
        continue;
      }
      if (this.tokens.length >= mostTokens) {
        this.add("text", at, this.line.slice(at, to));
        return this.tokens;
      }
      at = this.next(at);
    }
    return this.tokens;
  }

  /**
   * Adds to the list of tokens the token or tokens of the line that begin at index `at`. Returns the index after the
   * last of these tokens.
   */
  private next(at: number): number {
    const { line } = this;
    const inWord = at > 0 && /\w/.test(line[at - 1] as string);
    if (!inWord) {
      const klog = taken(KLOG, line, at);
      if (klog !== null) return this.add("letter", at, klog);
      for (const { layout, at: form } of DATE_LAYOUTS) {
        const text = taken(form, line, at);
        if (text !== null) return this.add("date", at, text, { layout });
      }
    }
    const afterKlog = this.tokens.at(-1)?.kind === "letter" && taken(/[01]\d[0-3]\d \d\d:\d\d:\d\d\.\d{6}/y, line, at);
    if (afterKlog) return this.add("date", at, afterKlog, { layout: "MMdd HH:mm:ss.SSS" });
    const jsonKey = taken(JSON_KEY, line, at);
    if (jsonKey !== null) return this.add("key", at, jsonKey);
    const quoted = taken(QUOTED, line, at) ?? (inWord ? null : taken(SINGLE_QUOTED, line, at));
    if (quoted !== null) return this.quoted(at, quoted);
    const bracketed = taken(BRACKETED, line, at);
    if (bracketed !== null) return this.bracketed(at, bracketed);
    if (!inWord) {
      const key = taken(KEY, line, at);
      if (key !== null) return this.pair(at, key);
      for (const [kind, form] of FORMS) {
        const text = taken(form, line, at);
        if (text !== null) return this.add(kind, at, text);
      }
      const alone = /[\s"'[(|,]/;
      if (alone.test(line[at - 1] ?? " ") && alone.test(line[at + 1] ?? " ")) {
        if (line[at] === "-") return this.add("missing", at, "-");
        if (/[*#.+~!]/.test(line[at] as string)) return this.add("token", at, line[at] as string);
      }
    }
    return this.run(at);
  }

  private run(at: number): number {
    const { line } = this;
    const { kind: last } = this.tokens.at(-1) ?? {};
    if (/[/#]/.test(line[at] as string) && this.before === "" && (last === "int" || last === "float" || last === "ip"))
      return this.add("fixed", at, line[at] as string);
    const arrow = taken(/->|=>|-+>|<-+/y, line, at);
    if (arrow !== null) return this.add("fixed", at, arrow);
    let run = taken(RUN, line, at);
    if (run === null || !/[\w\u0080-\uffff*~-]/.test(run))
      return this.add("fixed", at, taken(PUNCTUATION, line, at) as string);
    const tail = /[.!?]+$/.exec(run);
    if (tail !== null && tail.index > 0) run = run.slice(0, tail.index);
    const kind = classify(run);
    const isUnit = this.before === "" && (last === "int" || last === "float");
    return this.add(kind === "missing" ? "fixed" : isUnit && kind === "word" ? "token" : kind, at, run);
  }

  /** Adds a key and its value, such as `user=ada`. A value without quotes ends at a space or a separator. */
  private pair(at: number, key: string): number {
    const value = this.add("key", at, key);
    const next = this.line[value];
    if (next === undefined || /\s/.test(next)) return this.add("empty", value, "");
    if (next === '"' || next === "'" || next === "[") return value;
    const text = taken(VALUE, this.line, value);
    if (text === null) return value;
    for (const { layout, at: form } of DATE_LAYOUTS) {
      const date = taken(form, this.line, value);
      if (date !== null && date.length >= text.length) return this.add("date", value, date, { layout });
    }
    const split = /^(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h|[kKMG]i?[bB]|B|%)$/.exec(text);
    if (split === null) return this.add(classify(text), value, text);
    const number = split[1] as string;
    this.add(number.includes(".") ? "float" : "int", value, number);
    return this.add("token", value + number.length, split[2] as string);
  }

  private quoted(at: number, quoted: string): number {
    const quote = quoted[0] as string;
    const inside = quoted.slice(1, -1);
    this.add("fixed", at, quote);
    const request = REQUEST.exec(inside);
    if (request === null) {
      const date = DATE_LAYOUTS.find(({ at: form }) => taken(form, inside, 0)?.length === inside.length);
      const kind = date === undefined ? classify(inside) : "date";
      this.add(kind === "word" || kind === "token" ? "text" : kind, at + 1, inside, {
        enclosed: true,
        ...(date === undefined ? {} : { layout: date.layout }),
      });
    } else {
      const [, method, path, http, version] = request as unknown as [string, string, string, string?, string?];
      let next = this.add("method", at + 1, method) + 1;
      this.before = " ";
      next = this.add(classify(path) === "uri" ? "uri" : "path", next, path) + 1;
      if (http !== undefined) {
        this.before = " ";
        this.add("float", this.add("fixed", next, http), version as string);
      }
    }
    return this.add("fixed", at + quoted.length - 1, quote);
  }

  /**
   * Adds text in brackets to the list of tokens. When a part of the text is easy to recognize, such as a date, the
   * text is split into several tokens; otherwise it becomes one value.
   */
  private bracketed(at: number, bracketed: string): number {
    const end = at + bracketed.length - 1;
    const inside = bracketed.slice(1, -1);
    this.add("fixed", at, "[");
    const inner = new Cutter(this.line.slice(0, end), true).cut(at + 1, end);
    const [first] = inner;
    const isClear = inner.some(({ kind }) => CLEAR.has(kind)) || /\b(?:pid|tid|port|line|code)\b/.test(inside);
    const parts = this.opensBrackets && inner.length > 1 && inner.length < 14 && isClear;
    if (parts) this.tokens.push(...inner);
    else if (inner.length === 1 && first?.text === inside) this.tokens.push({ ...first, enclosed: true });
    else this.add("text", at + 1, inside, { enclosed: true });
    return this.add("fixed", end, "]");
  }

  private add(kind: string, start: number, text: string, more: Partial<Token> = {}): number {
    const last = this.tokens.at(-1);
    const key = last?.kind === "key" && this.before === "" ? { key: last.text } : {};
    this.tokens.push({ kind, text, start, before: this.before, ...key, ...more });
    this.before = "";
    return start + text.length;
  }
}

/**
 * Kinds of tokens that are easy to recognize: text in brackets is split into tokens when one of the tokens has such a
 * kind.
 */
const CLEAR: ReadonlySet<string> = new Set(["key", "date", "ip", "level", "uuid", "uri"]);

function taken(form: RegExp, line: string, at: number): string | null {
  form.lastIndex = at;
  return form.exec(line)?.[0] ?? null;
}
