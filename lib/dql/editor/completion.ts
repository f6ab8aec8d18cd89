// Completes a DQL statement at the cursor: namespaces, sources, keys, functions and keywords. The caller
// provides functions that return the names of stored sources and keys. Completion uses no other data.

import { showFunctions } from "../answer/show.ts";
import { outerFunctions } from "../evaluate/outer.ts";
import { functions } from "../semantics/functions.ts";
import { rollupNames } from "../semantics/rollup.ts";
import type { Offset } from "../syntax/ast.ts";
import { isKeyword } from "../syntax/keywords.ts";
import { lex, type Token } from "../syntax/lexer.ts";
import { type DqlNamespace, defaultNamespace, namespaceOf, namespaces } from "../syntax/namespaces.ts";

/** Functions that return the stored names which completion offers: sources and keys. */
export interface DqlNames {
  readonly sources: (namespace: DqlNamespace) => Promise<readonly string[]>;
  /** Returns the keys of the points with the given sources; with an empty list, the keys of all points. */
  readonly keys: (namespace: DqlNamespace, sources: readonly string[]) => Promise<readonly string[]>;
}

/** One item of the completion list. */
export interface DqlCompletion {
  /** The string that replaces the typed word. */
  readonly text: string;
  /** The string that the completion list shows: a name without its quotes. */
  readonly label: string;
  readonly kind: "namespace" | "function" | "source" | "key" | "keyword";
  /** Short description of the item, such as what a function computes; empty when there is none. */
  readonly summary: string;
}

/** All completion items at the cursor, and the offset where they are inserted. */
export interface DqlCompletions {
  /** UTF-16 offset of the first character that the chosen item replaces; the replaced text ends at the cursor. */
  readonly from: Offset;
  readonly items: readonly DqlCompletion[];
}

type Clause = "start" | "source" | "clauses" | "by" | "result" | "count" | "with";
type Bracket = "targets" | "arguments" | "index" | "filter" | "time" | "list";

/**
 * The parser's state within one statement. A statement may contain other statements, and each of them has its
 * own state (level).
 */
interface Level {
  namespace: DqlNamespace;
  readonly sources: string[];
  clause: Clause;
  readonly brackets: Bracket[];
  /**
   * The state (level) of the outer statement, if this is the state of a statement after FILTER or LINK; null in
   * any other state. The outer statement is the one that has this clause.
   */
  readonly joins: Level | null;
  /**
   * The state (level) of the inner statement after the last FILTER or LINK clause, if this statement has such a
   * clause; null in any other state.
   */
  joined: Level | null;
  /** Number of colons before the cursor in the time clause that contains the cursor. */
  colons: number;
}

const clauseWords = "BY, HAVING, ORDER BY, LIMIT, OFFSET, SORDER BY, SLIMIT, SOFFSET, FILTER, LINK".split(", ");
const filterWords = "AND OR NOT IN nil true false".split(" ");

/**
 * Returns the completions at the cursor; `before` is the statement up to the cursor.
 *
 * @example
 * const names = { sources: async () => ["cpu"], keys: async () => [] };
 * (await dqlCompletions("M::", names)).items.some(({ text }) => text === "cpu"); // true
 */
export async function dqlCompletions(before: string, names: DqlNames): Promise<DqlCompletions> {
  const tokens = lex(before).list;
  const last = tokens[tokens.length - 1];
  // Nothing is offered when the cursor is in a comment or a string; inside a backquoted or plain name, the name is
  // completed.
  const quote = openQuote(before, tokens);
  const isComment = /#[^\n\r]*$/.test(before.slice(last?.end ?? 0));
  if (isComment || (quote !== null && before[quote] !== "`")) return { from: before.length, items: [] };
  const isName = last !== undefined && (last.kind === "id" || last.kind === "keyword") && last.end === before.length;
  const from = quote ?? (isName ? last.at : before.length);
  const typed = before.slice(from).replace(/^`/, "");
  const read = quote === null && isName ? tokens.slice(0, -1) : tokens;
  const level = levelAt(read, before);
  const items = await possible(level, read, before, names);
  const fits = items.filter(({ label, kind }) =>
    kind === "source" || kind === "key"
      ? label.startsWith(typed)
      : quote === null && label.toLowerCase().startsWith(typed.toLowerCase()),
  );
  return { from, items: fits };
}

/**
 * Returns the offset of the quote character that opens the string at the end of the text; null when no string is open.
 */
function openQuote(before: string, tokens: readonly Token[]): Offset | null {
  const end = tokens[tokens.length - 1]?.end ?? 0;
  const rest = /^(?:[ \t\r\n]+|#[^\n\r]*)*/.exec(before.slice(end))![0].length + end;
  return /["'`]/.test(before[rest] ?? "") ? rest : null;
}

function levelAt(tokens: readonly Token[], text: string): Level {
  const levels: Level[] = [newLevel()];
  const outside: number[] = [];
  for (const [at, token] of tokens.entries()) {
    const level = levels[levels.length - 1]!;
    const word = text.slice(token.at, token.end);
    const bracket = level.brackets[level.brackets.length - 1];
    switch (word) {
      case ";":
        levels.splice(0, levels.length, newLevel());
        continue;
      case "::": {
        const name = namespaceBefore(tokens, at, text);
        level.namespace = namespaceOf(name) ?? defaultNamespace;
        level.sources.length = 0;
        level.clause = "source";
        continue;
      }
      case ":":
        if (bracket === "time") level.colons++;
        else if (bracket === undefined) level.clause = "clauses";
        continue;
      case "(": {
        const isInner = isSubquery(tokens, at, text) || (level.clause === "source" && level.sources.length === 0);
        if (isInner) {
          outside.push(levels.length);
          levels.push(newLevel());
        } else level.brackets.push(bracketOf(tokens, at, text, level));
        continue;
      }
      case "{":
        level.brackets.push("filter");
        continue;
      case "[":
        level.brackets.push(bracket === undefined ? "time" : "list");
        level.colons = 0;
        continue;
      case ")":
      case "}":
      case "]": {
        if (level.brackets.length === 0 && levels.length > 1) {
          levels.pop();
          const around = levels[levels.length - 1]!;
          around.clause = "clauses";
          // A query in parentheses after FILTER or LINK has just ended; the clauses that follow belong to this query.
          if (around.joins !== null && around.sources.length === 0) {
            around.namespace = level.namespace;
            around.sources.push(...level.sources);
          }
        } else {
          level.brackets.pop();
          if (level.brackets.length === 0 && /^(?:source|with)$/.test(level.clause)) level.clause = "clauses";
        }
        continue;
      }
    }
    if (bracket !== undefined) continue;
    if (token.kind === "keyword") {
      const lower = word.toLowerCase();
      if (lower === "by") level.clause = /^s?order$/.test(wordAt(tokens, at - 1, text).toLowerCase()) ? "result" : "by";
      else if (lower === "having") level.clause = "result";
      else if (/^s?(?:limit|offset)$/.test(lower)) level.clause = "count";
      else if (lower === "filter" || lower === "link") levels.push(newLevel(level));
      else if (lower === "with" && level.joins !== null) {
        // WITH ends the statement after FILTER or LINK, so the cursor is in the outer statement again. The braces after
        // WITH may name columns of both statements.
        levels.pop();
        level.joins.clause = "with";
        level.joins.joined = level;
      }
      continue;
    }
    // A statement may begin with the source, without a namespace; it is then a query of metrics (`M::`).
    if (level.clause === "start") level.clause = "source";
    if (level.clause === "source" && (token.kind === "id" || token.kind === "string"))
      level.sources.push(plainName(word));
  }
  return levels[levels.length - 1]!;
}

function newLevel(joins: Level | null = null): Level {
  return { namespace: defaultNamespace, sources: [], clause: "start", brackets: [], colons: 0, joins, joined: null };
}

/**
 * Returns the namespace: the word before `::`. A list of indexes in parentheses between the word and `::` is skipped.
 */
function namespaceBefore(tokens: readonly Token[], at: number, text: string): string {
  let place = at - 1;
  if (wordAt(tokens, place, text) === ")") {
    while (place >= 0 && wordAt(tokens, place, text) !== "(") place--;
    place--;
  }
  return wordAt(tokens, place, text);
}

function wordAt(tokens: readonly Token[], at: number, text: string): string {
  const token = tokens[at];
  return token === undefined ? "" : text.slice(token.at, token.end);
}

/** Returns whether the parenthesis at token `at` opens a query, as in `(M::cpu`. */
function isSubquery(tokens: readonly Token[], at: number, text: string): boolean {
  return wordAt(tokens, at + 2, text) === "::" && tokens[at + 1]?.kind === "id";
}

function bracketOf(tokens: readonly Token[], at: number, text: string, level: Level): Bracket {
  if (level.brackets.length === 0 && (level.clause === "source" || wordAt(tokens, at - 1, text) === ":"))
    return "targets";
  const inner = level.brackets[level.brackets.length - 1];
  return inner === "filter" ? "arguments" : inner === undefined && level.clause === "start" ? "arguments" : "targets";
}

function plainName(word: string): string {
  return word.replace(/^[`'"]|[`'"]$/g, "");
}

async function possible(
  level: Level,
  tokens: readonly Token[],
  text: string,
  names: DqlNames,
): Promise<readonly DqlCompletion[]> {
  const { namespace, clause, brackets, colons, joins } = level;
  const tailWords = joins === null ? clauseWords : [...clauseWords, "WITH"];
  const keysOf = async (of: Pick<Level, "namespace" | "sources">) =>
    named("key", await names.keys(of.namespace, of.sources));
  const keys = () => keysOf(level);
  const before = wordAt(tokens, tokens.length - 1, text);
  switch (brackets[brackets.length - 1]) {
    case "targets":
      return [...(await keys()), ...callable(namespace, ["aggregate", "rows", "transform", "scalar", "fill"])];
    case "filter": {
      if (clause === "with") return await keysOf(before === "=" ? level.joined! : level);
      if (/^(?:=|!=|==)$/.test(before)) return [...callable(namespace, ["filter"]), ...words(["nil", "true", "false"])];
      return [...(await keys()), ...callable(namespace, ["scalar"]), ...words(filterWords)];
    }
    case "time":
      if (colons >= 3) return words(rollupNames);
      return words(colons === 2 ? ["auto"] : ["now", "today", "yesterday"]);
    case "arguments":
    case "list":
    case "index":
      return [];
  }
  if (clause === "start" && joins !== null) return namespaces.map(namespaceItem);
  if (clause === "with") return [];
  if (clause === "start") {
    const shows = showFunctions.map(
      (name): DqlCompletion => ({ text: `${name}(`, label: name, kind: "function", summary: "" }),
    );
    return [...namespaces.map(namespaceItem), ...shows, ...outerItems(), ...words([])];
  }
  if (clause === "source") {
    const isOpen = before === "::" || before === "," || tokens.length === 0;
    return isOpen ? named("source", await names.sources(namespace)) : words(tailWords);
  }
  const wantsName = before === "," || /^(?:by|having|and|or|not)$/i.test(before);
  if (clause === "by" && wantsName) return [...(await keys()), ...callable(namespace, ["scalar"])];
  if (clause === "result" && wantsName) return [...(await keys()), ...callable(namespace, ["aggregate"])];
  if (clause === "count" && isKeyword(before)) return [];
  return words(clause === "result" ? ["ASC", "DESC", ...tailWords] : tailWords);
}

function namespaceItem({ short, long }: DqlNamespace): DqlCompletion {
  return { text: `${short}::`, label: short, kind: "namespace", summary: long };
}

function outerItems(): DqlCompletion[] {
  return [...outerFunctions, "eval"].map((name) => ({ text: `${name}(`, label: name, kind: "function", summary: "" }));
}

function callable(namespace: DqlNamespace, kinds: readonly string[]): DqlCompletion[] {
  const isMetric = namespace.category === "metric";
  return functions
    .filter(({ kind, where }) => kinds.includes(kind) && (isMetric ? where !== "others" : where !== "metric"))
    .map(({ name, summary }) => ({ text: `${name}(`, label: name, kind: "function", summary }));
}

function words(list: readonly string[]): DqlCompletion[] {
  return list.map((text) => ({ text, label: text, kind: "keyword", summary: "" }));
}

function named(kind: "source" | "key", list: readonly string[]): DqlCompletion[] {
  return [...new Set(list)].map((name) => ({ text: writtenName(name), label: name, kind, summary: "" }));
}

/** Returns the name as a statement must write it: in backquotes unless it is a plain name, such as `host` or `a.b`. */
export function writtenName(name: string): string {
  if (
    /^[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*(?:\.[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*)*$/.test(
      name,
    )
  ) {
    if (!name.split(".").some(isKeyword)) return name;
  }
  return name.includes("`") ? `\`identifier(${JSON.stringify(name)})\`` : `\`${name}\``;
}
