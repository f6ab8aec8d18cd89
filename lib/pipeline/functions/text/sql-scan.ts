// Splits an SQL text of any dialect into tokens (docs/reference/functions.md#sql_cover).

export type SqlKind =
  | "word"
  | "keyword"
  | "number"
  | "string"
  | "quoted"
  | "masked"
  | "bind"
  | "comment"
  | "operator"
  | "end of statement";

export interface SqlToken {
  readonly kind: SqlKind;
  /** The text of the token as `sql_cover` prints it, without quotes. */
  readonly text: string;
}

const KEYWORDS = new Set(
  "NULL TRUE FALSE SAVEPOINT LIMIT AS SELECT FROM UPDATE DELETE INSERT INTO JOIN CREATE ALTER DROP GRANT REVOKE COMMIT BEGIN TRUNCATE".split(
    " ",
  ),
);

const SPACE = /[\s\x85]+/y;
const WORD = /[\p{L}_@][\p{L}\p{Nd}_@#.*$]*/uy;
const NUMBER = /-?(?:0[xX][0-9A-Fa-f]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)/y;
const OPERATOR = /<=>|<>|<=|>=|!=|!~\*|!~|~\*|::|:=|[=,()+*&|^[\]./<>~%-]/y;
const LINE_COMMENT = /(?:--|\/\/|#)[^\n]*/y;
const BLOCK_COMMENT = /\/\*.*?\*\//sy;
const DOLLAR_QUOTE = /\$([\p{L}_][\p{L}\p{Nd}_]*)?\$/uy;
const VARIABLE = /%\([^)]*\)[A-Za-z]|%\p{L}/uy;

/** Returns the tokens of the SQL text; undefined when the text cannot be split into tokens. */
export function scanSql(text: string): SqlToken[] | undefined {
  const scanner = new Scanner(text, true);
  return scanner.run() ?? (scanner.sawBackslash ? new Scanner(text, false).run() : undefined);
}

class Scanner {
  sawBackslash = false;
  private readonly text: string;
  private readonly backslashEscapes: boolean;
  private at = 0;
  private braces = 0;

  constructor(text: string, backslashEscapes: boolean) {
    this.text = text;
    this.backslashEscapes = backslashEscapes;
  }

  run(): SqlToken[] | undefined {
    const tokens: SqlToken[] = [];
    for (;;) {
      this.take(SPACE);
      if (this.at >= this.text.length) return this.braces === 0 ? tokens : undefined;
      const token = this.token();
      if (token === undefined) return undefined;
      tokens.push(token);
    }
  }

  private take(expression: RegExp): string | undefined {
    expression.lastIndex = this.at;
    const match = expression.exec(this.text);
    if (match === null) return undefined;
    this.at += match[0].length;
    return match[0];
  }

  private token(): SqlToken | undefined {
    const { text, at } = this;
    const c = text[at] as string;
    const comment = this.take(LINE_COMMENT) ?? this.take(BLOCK_COMMENT);
    if (comment !== undefined) return { kind: "comment", text: comment };
    if (text.startsWith("/*", at)) return undefined;
    const word = this.take(WORD);
    if (word !== undefined) return { kind: KEYWORDS.has(word.toUpperCase()) ? "keyword" : "word", text: word };
    if (text.startsWith("->", at)) {
      this.at++;
      return { kind: "number", text: "-" };
    }
    const number = this.take(NUMBER);
    if (number !== undefined) return { kind: "number", text: number };
    switch (c) {
      case "'":
      case '"':
      case "`":
        return this.quoted(c);
      case "$":
        return this.dollar();
      case "?":
        this.at++;
        return { kind: "masked", text: c };
      case ";":
        this.at++;
        return { kind: "end of statement", text: c };
      case "{":
        return this.brace();
      case "}":
        if (this.braces === 0) return undefined;
        this.braces--;
        this.at++;
        return { kind: "operator", text: c };
      case ":":
        return this.colon();
      case "%": {
        const variable = this.take(VARIABLE);
        if (variable !== undefined) return { kind: "masked", text: variable };
        break;
      }
    }
    const operator = this.take(OPERATOR);
    if (operator !== undefined) return { kind: "operator", text: operator };
    if (c === "!" && /^[\s\p{L}('"+`-]/u.test(text.slice(at + 1))) {
      // When there is a blank between a `!` and a `=` or `~`, the `!` is not an operator, and the text cannot be split
      // into tokens.
      if (/^\s+[=~]/.test(text.slice(at + 1))) return undefined;
      this.at++;
      return { kind: "operator", text: c };
    }
    return undefined;
  }

  private quoted(quote: string): SqlToken | undefined {
    let content = "";
    for (this.at++; this.at < this.text.length; this.at++) {
      const c = this.text[this.at] as string;
      if (c === quote) {
        if (this.text[this.at + 1] !== quote || quote === "`") {
          this.at++;
          const kind = quote === "'" ? "string" : quote === '"' ? "quoted" : "word";
          return { kind, text: quote !== "'" && content.trim() === "" ? quote + content + quote : content };
        }
        this.at++;
      } else if (c === "\\" && quote !== "`") {
        this.sawBackslash = true;
        if (this.backslashEscapes) {
          this.at++;
          content += this.text[this.at] ?? "";
          continue;
        }
      }
      content += c;
    }
    return undefined;
  }

  private dollar(): SqlToken | undefined {
    const parameter = this.take(/\$\d+/y);
    if (parameter !== undefined) return { kind: "masked", text: parameter };
    const tag = this.take(DOLLAR_QUOTE);
    if (tag === undefined) return undefined;
    const end = this.text.indexOf(tag, this.at);
    if (end < 0) return undefined;
    this.at = end + tag.length;
    return { kind: "string", text: "" };
  }

  /**
   * Reads a brace. At the start of the SQL text, and inside braces that began there, a brace is a token of its own.
   * Elsewhere the whole `{...}` is one escape sequence.
   */
  private brace(): SqlToken | undefined {
    if (this.at === 0 || this.braces > 0) {
      this.braces++;
      this.at++;
      return { kind: "operator", text: "{" };
    }
    const end = this.text.indexOf("}", this.at);
    if (end < 0) return undefined;
    this.at = end + 1;
    return { kind: "masked", text: "" };
  }

  private colon(): SqlToken | undefined {
    const bind = this.take(/:[\p{L}_][\p{L}\p{Nd}_.#@$]*/uy);
    if (bind !== undefined) return { kind: "bind", text: bind };
    const operator = this.take(/::|:=|:(?=\s)/y);
    return operator === undefined ? undefined : { kind: "operator", text: operator };
  }
}
