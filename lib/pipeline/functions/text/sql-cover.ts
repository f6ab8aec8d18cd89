// The function sql_cover: masks the literals of an SQL text (docs/reference/functions.md#sql_cover).

import { writeKey } from "../../runtime/point-access.ts";
import { toText } from "../../runtime/to-text.ts";
import { VOID } from "../../runtime/value.ts";
import { type Declaration, declare } from "../declare.ts";
import { KEY } from "../nodes.ts";
import { type SqlToken, scanSql } from "./sql-scan.ts";

const COMPARISONS = new Set("= != <> < <= > >= <=> ~ ~* !~ !~*".split(" "));
const MASKED_WORDS = new Set(["NULL", "TRUE", "FALSE"]);
const STATEMENTS = new Set(["SELECT", "DELETE", "UPDATE"]);

/** The treatment of the previous token of the SQL text, such as kept, masked or dropped. */
type Last = "none" | "kept" | "masked" | "dropped" | "dropped parenthesis";

/** Returns the SQL text with masked literals; undefined when the text cannot be split into tokens. */
export function coverSql(text: string): string | undefined {
  const tokens = scanSql(text);
  return tokens === undefined ? undefined : new Cover().run(tokens);
}

class Cover {
  private readonly out: string[] = [];
  private values = 0;
  private groups = 0;
  private last: Last = "none";
  /** The text of the previous token as it was printed. Keywords are in upper case. */
  private before = "";

  run(tokens: readonly SqlToken[]): string | undefined {
    for (let i = 0; i < tokens.length; i++) {
      const token = tokens[i] as SqlToken;
      if (token.kind === "comment") this.drop();
      else if (isKeyword(token, "AS")) {
        this.drop();
        const alias = tokens[i + 1];
        if (alias === undefined) continue;
        i++;
        if (alias.text === "[" && alias.kind === "operator") {
          const end = aliasEnd(tokens, i);
          if (end === undefined) return undefined;
          i = end;
        }
        this.drop();
      } else this.take(token);
    }
    return this.text();
  }

  /**
   * Leaves the current token (a comment, the word AS or an alias) out of the result. A list of values that began before
   * this token ends here.
   */
  private drop(): void {
    this.values = 0;
    this.groups = 0;
    this.last = "dropped";
    this.before = "";
  }

  private take(token: SqlToken): void {
    const masked = this.isMasked(token);
    const open = token.kind === "operator" && token.text === "(";
    if ((masked && this.before === "(") || (open && this.groups > 0)) this.groups++;
    if (this.groups > 0 && this.last === "dropped parenthesis" && startsStatement(token)) {
      this.values = 0;
      this.groups = 0;
      this.print(`( ${token.text}`, token);
      return;
    }
    if (masked) {
      this.values++;
      if (this.values === 1 && token.kind !== "end of statement") this.out.push("?");
      this.last = "masked";
      this.before = "?";
      return;
    }
    if (this.values > 0 && token.text === "," && token.kind === "operator") {
      this.last = "masked";
      this.before = "?";
      return;
    }
    if (this.groups > 1) {
      this.last = open ? "dropped parenthesis" : "masked";
      this.before = open ? "(" : "?";
      return;
    }
    if (token.kind !== "operator" || !/^[,()]$/.test(token.text)) {
      this.values = 0;
      this.groups = 0;
    }
    this.print(token.text, token);
  }

  private print(text: string, token: SqlToken): void {
    this.out.push(text);
    this.last = "kept";
    this.before = token.kind === "keyword" ? token.text.toUpperCase() : token.kind === "operator" ? token.text : "";
  }

  private isMasked(token: SqlToken): boolean {
    if (this.before === "SAVEPOINT") return true;
    switch (token.kind) {
      case "string":
      case "number":
      case "masked":
      case "end of statement":
        return true;
      case "keyword":
        return MASKED_WORDS.has(token.text.toUpperCase());
      case "quoted":
        return COMPARISONS.has(this.before);
      default:
        return false;
    }
  }

  /**
   * Joins the tokens with one blank between them. There is no blank before a comma, and none before a `=` that follows
   * a `:`.
   */
  private text(): string {
    let result = "";
    let previous = "";
    for (const piece of this.out) {
      const tight = piece === "," || (piece === "=" && previous === ":");
      result += (result === "" || tight ? "" : " ") + piece;
      previous = piece;
    }
    return result;
  }
}

function isKeyword(token: SqlToken, word: string): boolean {
  return token.kind === "keyword" && token.text.toUpperCase() === word;
}

function startsStatement(token: SqlToken): boolean {
  return token.kind === "word" || (token.kind === "keyword" && STATEMENTS.has(token.text.toUpperCase()));
}

/**
 * Returns the index of the `]` that closes an alias in brackets, such as `[total sum]`; undefined when the
 * brackets contain anything but words.
 */
function aliasEnd(tokens: readonly SqlToken[], open: number): number | undefined {
  for (let i = open + 1; i < tokens.length; i++) {
    const token = tokens[i] as SqlToken;
    if (token.kind === "operator" && token.text === "]") return i;
    if (token.kind !== "word") return undefined;
  }
  return undefined;
}

export const sqlCover = declare({
  name: "sql_cover",
  summary: "Masks the literals of an SQL text; text that cannot be read as SQL is left alone.",
  params: [KEY],
  style: "positional",
  arity: { min: 1, max: 1, tooFew: "func sql_cover expects 1 args" },
  examples: [
    {
      script: `sql_cover(_)`,
      input: "select abc from def where x > 3 and y < 5",
      gives: { message: "select abc from def where x > ? and y < ?" },
    },
  ],
  bind(call) {
    const { key, read } = call.key(0);
    return (run) => {
      const value = read(run);
      const covered = value === undefined ? undefined : coverSql(toText(value, run.memory));
      if (covered !== undefined && covered !== "") writeKey(run, key, covered);
      return VOID;
    };
  },
});

export const sqlFunctions: readonly Declaration[] = [sqlCover];
