// Highlights where a row matches the filter of its query (docs/reference/query.md#requests): returns excerpts of the
// row's strings as HTML, with each match in <em>.

import { Regex, type Span } from "../../regex/index.ts";
import type { ResolvedQuery } from "../semantics/resolve.ts";
import type { StepBudget } from "../semantics/step-budget.ts";
import type { Expr } from "../syntax/ast.ts";
import { columnsOf } from "./base-rows.ts";
import type { Row } from "./row.ts";
import { globPattern } from "./search/glob.ts";
import { parseSearch, type SearchTree } from "./search/query-string.ts";
import { wordSpans, wordsOf } from "./search/words.ts";

/** For each column: excerpts of its strings, in which the matches are highlighted. */
export type Highlight = ReadonlyMap<string, readonly string[]>;

type Finder = (text: string) => readonly Span[];

interface Mark {
  readonly column: string;
  readonly find: Finder;
}

/** Number of UTF-16 units that an excerpt shows before and after a match. */
const context = 100;
/** Largest number of excerpts of one column. */
const maxPieces = 10;

/**
 * Returns a function that highlights the matches in a row. For a row without a match, this function returns
 * null.
 */
export function highlighter(query: ResolvedQuery, work: StepBudget): (row: Row) => Highlight | null {
  const isMetric = query.namespace.category === "metric";
  const read = columnsOf(query, work);
  const marks = query.filter
    .flatMap((each) => marksOf(each, isMetric))
    .map(({ column, find }) => ({ column, find, read: read(column) }));
  return (row) => {
    const spans = new Map<string, { readonly text: string; readonly found: Span[] }>();
    for (const mark of marks) {
      const text = mark.read(row);
      if (typeof text !== "string") continue;
      const found = mark.find(text).filter(([start, end]) => end > start);
      if (found.length === 0) continue;
      const known = spans.get(mark.column);
      if (known === undefined) spans.set(mark.column, { text, found: [...found] });
      else known.found.push(...found);
    }
    if (spans.size === 0) return null;
    return new Map([...spans].map(([column, { text, found }]) => [column, piecesOf(text, merged(found))]));
  };
}

/** Returns the patterns to highlight for a condition. A negated condition has no such patterns. */
function marksOf(expr: Expr, isMetric: boolean): Mark[] {
  switch (expr.type) {
    case "paren":
      return marksOf(expr.e, isMetric);
    case "bin": {
      const { op, l, r } = expr;
      if (op === "and" || op === "or") return [...marksOf(l, isMetric), ...marksOf(r, isMetric)];
      if (l.type !== "col" || (op !== "=" && op !== "=~")) return [];
      if (op === "=~" && r.type === "str") return [{ column: l.name, find: patternFinder(r.value) }];
      return rightMarks(l.name, r, isMetric);
    }
    case "in": {
      const { op, l, r } = expr;
      if (l.type !== "col" || r.type !== "list") return [];
      if (op === "in") return r.items.flatMap((item) => rightMarks(l.name, item, isMetric));
      if (op !== "match") return [];
      return r.items.flatMap((item) =>
        item.type === "str" || item.type === "regex" ? [{ column: l.name, find: patternFinder(item.value) }] : [],
      );
    }
    default:
      return [];
  }
}

function rightMarks(column: string, right: Expr, isMetric: boolean): Mark[] {
  switch (right.type) {
    case "str":
      return [{ column, find: (text) => (text === right.value ? [[0, text.length]] : []) }];
    case "col":
      return [{ column, find: (text) => (text === right.name ? [[0, text.length]] : []) }];
    case "regex":
      return [{ column, find: patternFinder(right.value) }];
    case "list":
      return right.items.flatMap((item) => rightMarks(column, item, isMetric));
    case "call": {
      const [arg] = right.args;
      if (arg?.type !== "str") return [];
      if (right.name === "match") {
        return [{ column, find: isMetric ? pieceFinder(arg.value) : phraseFinder(arg.value) }];
      }
      if (right.name === "wildcard") {
        const core = arg.value.replace(/^\*+/, "").replace(/(?<!\\)\*+$/, "");
        return core === "" ? [] : [{ column, find: regexFinder(globPattern(core)) }];
      }
      return /^query_?string$/.test(right.name) ? searchMarks(column, parseSearch(arg.value)) : [];
    }
    default:
      return [];
  }
}

function searchMarks(column: string, tree: SearchTree): Mark[] {
  switch (tree.kind) {
    case "and":
    case "or":
      return tree.parts.flatMap((part) => searchMarks(column, part));
    case "not":
      return [];
    case "in":
      return searchMarks(tree.field, tree.part);
    case "regex":
      return [{ column, find: regexFinder(tree.source) }];
    case "glob": {
      if (wordsOf(tree.text).length === 0) return [];
      const word = Regex.compile(`^(?:${globPattern(tree.text.toLowerCase())})$`);
      return [
        { column, find: (text) => wordSpans(text).flatMap((each) => (word.test(each.word) ? [spanOf(each)] : [])) },
      ];
    }
    default:
      return [{ column, find: phraseFinder(tree.text) }];
  }
}

/**
 * Returns a finder for a regular expression that has to match a whole value. A `.*` at the beginning or end of
 * the expression is removed, so that only the part of the value between them is highlighted.
 */
function patternFinder(source: string): Finder {
  const core = source.replace(/^\^?(?:\.\*)+/, "").replace(/(?<!\\)(?:\.\*)+\$?$/, "");
  return core === "" ? () => [] : regexFinder(core);
}

function regexFinder(source: string): Finder {
  let regex: Regex;
  try {
    regex = Regex.compile(source);
  } catch {
    // When the removed `.*` belonged to a character class or a group, the shortened expression is invalid. In this
    // case nothing is highlighted.
    return () => [];
  }
  return (text) => regex.findAll(text).map(({ start, end }): Span => [start, end]);
}

function pieceFinder(piece: string): Finder {
  return (text) => {
    const found: Span[] = [];
    if (piece === "") return found;
    for (let at = text.indexOf(piece); at >= 0; at = text.indexOf(piece, at + piece.length)) {
      found.push([at, at + piece.length]);
    }
    return found;
  };
}

/**
 * Finds places in a string where the words of a phrase follow one another. A phrase without words is searched
 * literally.
 */
function phraseFinder(phrase: string): Finder {
  const wanted = wordsOf(phrase);
  if (wanted.length === 0) return pieceFinder(phrase);
  return (text) => {
    const words = wordSpans(text);
    const found: Span[] = [];
    for (let at = 0; at + wanted.length <= words.length; at++) {
      if (wanted.every((word, offset) => words[at + offset]!.word === word)) {
        found.push([words[at]!.start, words[at + wanted.length - 1]!.end]);
      }
    }
    return found;
  };
}

function spanOf({ start, end }: { readonly start: number; readonly end: number }): Span {
  return [start, end];
}

function merged(spans: readonly Span[]): Span[] {
  const result: [number, number][] = [];
  for (const [start, end] of [...spans].sort((a, b) => a[0] - b[0] || a[1] - b[1])) {
    const last = result[result.length - 1];
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else result.push([start, end]);
  }
  return result;
}

/** Returns excerpts of a string: the matches with the text around them. Excerpts that touch are joined. */
function piecesOf(text: string, spans: readonly Span[]): string[] {
  const pieces: { start: number; end: number; readonly spans: Span[] }[] = [];
  for (const span of spans) {
    const start = boundary(text, Math.max(0, span[0] - context));
    const end = boundary(text, Math.min(text.length, span[1] + context));
    const last = pieces[pieces.length - 1];
    if (last !== undefined && start <= last.end) {
      last.end = end;
      last.spans.push(span);
    } else pieces.push({ start, end, spans: [span] });
  }
  return pieces.slice(0, maxPieces).map((piece) => {
    let html = "";
    let at = piece.start;
    for (const [start, end] of piece.spans) {
      html += `${escaped(text.slice(at, start))}<em>${escaped(text.slice(start, end))}</em>`;
      at = end;
    }
    return html + escaped(text.slice(at, piece.end));
  });
}

/** Returns the offset `at`, or the offset before it when `at` lies between the two halves of a surrogate pair. */
function boundary(text: string, at: number): number {
  return /[\udc00-\udfff]/.test(text[at] ?? "") ? at - 1 : at;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character]!);
}
