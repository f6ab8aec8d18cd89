// Proposes edits of the element at which a match failed, and of its neighbours. The edits are guesses; search.ts
// keeps only edits that make the expression match the line.

import type { Span } from "../../regex/regex.ts";
import { literalExpression } from "../suggest/kinds.ts";
import type { Element } from "./elements.ts";

/** An edit of an expression: replaces some consecutive elements by other text. */
export interface Edit {
  /** Index of the first element that is replaced, and the number of replaced elements, which may be 0. */
  readonly at: number;
  readonly remove: number;
  /** The expression text that takes the place of the replaced elements; this text may consist of several elements. */
  readonly insert: string;
  /** A description of the edit that is shown to the user. */
  readonly text: string;
  /**
   * Estimate of how much the edit changes the meaning of the expression. When several edits lead to a match, the
   * edits with the lowest weight are proposed first.
   */
  readonly weight: number;
  /** Number of elements that the edit changes. Edits that change few elements are proposed first. */
  readonly edits: number;
}

/**
 * Names of the patterns that an edit may write in place of another pattern, from the most specific to the most general.
 */
const PATTERNS = [
  "INT",
  "NUMBER",
  "LOGLEVEL",
  "IP",
  "UUID",
  "TIMESTAMP_ISO8601",
  "HTTPDATE",
  "SYSLOGTIMESTAMP",
  "HTTPDERROR_DATE",
  "DATESTAMP",
  "WORD",
  "IPORHOST",
  "URI",
  "URIPATHPARAM",
  "QS",
  "NOTSPACE",
  "DATA",
  "GREEDYDATA",
] as const;

/** Largest number of neighbouring elements that one edit puts into an optional group. */
const MOST_TOGETHER = 12;

/**
 * Returns edits that may make the expression match, the best guesses first. `failed` is the index of the element
 * that does not match; `spans` contains, for each element before the failed one, the part of the line that the
 * element matches. `rest` is the text of the line after these parts.
 */
export function editsAt(elements: readonly Element[], failed: number, rest: string, spans: readonly Span[]): Edit[] {
  const element = elements[failed] as Element;
  const edits = [
    ...spaceEdits(elements, failed, rest),
    ...(element.kind === "anchor" ? anchorEdits(element, failed, rest) : ownEdits(elements, failed, rest)),
    ...togetherEdits(elements, failed, rest),
    ...neighbourEdits(elements, failed, rest, spans),
    ...cutEdits(elements, failed),
  ];
  return edits.sort((a, b) => a.edits - b.edits || a.weight - b.weight);
}

function edit(at: number, remove: number, insert: string, text: string, weight: number, edits = 1): Edit {
  return { at, remove, insert, text, weight, edits };
}

function spaceEdits(elements: readonly Element[], failed: number, rest: string): Edit[] {
  const { kind, source, text } = elements[failed] as Element;
  const before = elements[failed - 1];
  const space = /^\s+/.exec(rest)?.[0];
  const blank = (space ?? text ?? "").replaceAll(" ", "") === "" ? " " : "\\s";
  if (kind === "space") {
    if (space === undefined) return [edit(failed, 1, `${blank}*`, `allow that no space stands there`, 0)];
    const wide = `${blank === " " && /^ *$/.test(text) ? " " : "\\s"}+`;
    return [edit(failed, 1, wide, `allow other white space than ${JSON.stringify(source)}`, 0)];
  }
  if (space === undefined) return [];
  if (before?.kind === "space") return [edit(failed - 1, 1, `${blank}+`, "allow more than one space", 0)];
  return [edit(failed, 0, `${blank}*`, "allow spaces there", kind === "anchor" ? 0 : 1)];
}

function anchorEdits({ source }: Element, failed: number, rest: string): Edit[] {
  if (source !== "$" && source !== "\\z") return [edit(failed, 1, "", `leave out ${source}`, 3)];
  const name = rest.trim() === "" ? "%{SPACE}" : "%{GREEDYDATA:rest}";
  return [
    edit(failed, 0, name, `match what stands behind with ${name}`, 4),
    edit(failed, 1, "", `leave out ${source}, so that more text may follow`, 5),
  ];
}

/** Returns edits that change only the failed element. */
function ownEdits(elements: readonly Element[], failed: number, rest: string): Edit[] {
  const element = elements[failed] as Element;
  const { kind, source, text } = element;
  const edits: Edit[] = [];
  const isPlain = kind === "literal";
  const optional = isPlain && [...text].length === 1 ? `${source}?` : `(?:${source})?`;
  if (kind !== "space") edits.push(edit(failed, 1, optional, `make ${source} optional`, 3));
  edits.push(edit(failed, 1, "", `leave out ${source}`, 3.5));
  if (isPlain && rest.slice(0, text.length).toLowerCase() === text.toLowerCase())
    edits.push(edit(failed, 1, `(?i:${source})`, "ignore upper and lower case", 0));
  for (const found of foundTexts(rest)) {
    const other = literalExpression(found);
    if (found === "-" || (kind !== "reference" && namedGroup(source) === null))
      edits.push(edit(failed, 1, `(?:${source}|${other})`, `allow ${found} as well`, found === "-" ? 0.5 : 1));
    if (isPlain) edits.push(edit(failed, 1, other, `write ${found} instead of ${text}`, 2));
  }
  edits.push(...patternEdits(element, failed, 1.5, failed === elements.length - 1));
  edits.push(edit(failed, 0, "%{DATA}", `skip the text before ${source}`, 6));
  return edits;
}

/**
 * Returns up to four beginnings of `rest`: the text up to white space or punctuation, the first word, the punctuation
 * marks at the start, and the first of these marks. A beginning that `rest` does not have is left out.
 */
function foundTexts(rest: string): string[] {
  const texts = [/^[^\s"\]),;:]+/, /^\w+/, /^[^\w\s]+/, /^[^\w\s]/].map((form) => form.exec(rest)?.[0] ?? "");
  return [...new Set(texts)].filter((text) => text !== "" && text.length <= 40);
}

/**
 * Returns edits that replace the pattern of an element by another pattern. The name of the field is kept; its type is
 * kept only when the new pattern matches values of this type.
 */
function patternEdits(element: Element, at: number, weight: number, isLast: boolean): Edit[] {
  const { source, reference, kind } = element;
  if (kind === "space" || kind === "anchor") return [];
  const named = reference ?? { name: "", field: namedGroup(source), type: null };
  return PATTERNS.filter((name) => name !== named.name && !(isLast && name === "DATA")).flatMap((name, index) => {
    if (name === "IPORHOST" && !/^(?:IP|HOST)/.test(named.name)) return [];
    const isText = name === "DATA" || name === "GREEDYDATA";
    if (isText && kind === "literal") return [];
    const insert = `%{${name}${named.field === null ? "" : `:${named.field}`}${typeFor(name, named.type)}}`;
    const more = (isText ? 2 : 0) + (kind === "literal" ? 2 : 0);
    return [edit(at, 1, insert, `write ${insert} instead of ${source}`, weight + index / 20 + more)];
  });
}

function namedGroup(source: string): string | null {
  return /^\(\?P?<(\w+)>/.exec(source)?.[1] ?? null;
}

function typeFor(name: string, type: string | null): string {
  if (name === "INT" && type !== null) return `:${type}`;
  return name === "NUMBER" && (type === "int" || type === "float") ? ":float" : "";
}

/** Returns edits that put several neighbouring elements into an optional group, or that allow a `-` in their place. */
function togetherEdits(elements: readonly Element[], failed: number, rest: string): Edit[] {
  const edits: Edit[] = [];
  const [missing] = /^-(?=[\s"'\])]|$)/.exec(rest) ?? [];
  for (const from of elements[failed - 1]?.kind === "space" ? [failed, failed - 1] : [failed]) {
    for (let to = from + 2; to <= elements.length && to - from <= MOST_TOGETHER; to++) {
      const own = elements.slice(from, to);
      if (own.some(({ kind }) => kind === "anchor")) break;
      const source = own.map((each) => each.source).join("");
      const weight = 3 + (to - from) / 10;
      if (missing !== undefined && from === failed)
        edits.push(edit(from, own.length, `(?:${source}|-)`, `allow - in place of ${source}`, weight - 1.5));
      edits.push(edit(from, own.length, `(?:${source})?`, `make ${source.trim()} optional`, weight));
    }
  }
  return edits;
}

/** Returns edits of the element before the failed element: perhaps this earlier element matched too little text. */
function neighbourEdits(elements: readonly Element[], failed: number, rest: string, spans: readonly Span[]): Edit[] {
  const before = elements[failed - 1];
  if (before === undefined || before.kind === "space" || before.kind === "anchor") return [];
  const span = spans[failed - 1];
  const cutsWord = /^[^\s"]/.test(rest) && span !== undefined && span[1] > span[0];
  if (before.kind === "literal" && !cutsWord) return [];
  return patternEdits(before, failed - 1, cutsWord ? 0.2 : 5, false);
}

/** Returns an edit that replaces the failed element and everything after it by free text. */
function cutEdits(elements: readonly Element[], failed: number): Edit[] {
  const left = elements.length - failed;
  const end = elements.at(-1)?.source === "$" ? "$" : "";
  const insert = `%{GREEDYDATA:rest}${end}`;
  return [
    edit(
      failed,
      left,
      insert,
      `match all behind ${failed === 0 ? "the start" : "that"} with ${insert}`,
      9,
      Math.max(2, left),
    ),
  ];
}
