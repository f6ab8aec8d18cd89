// The functions json, load_json and valid_json (docs/reference/functions.md).

import { trimSpace } from "../../../grok/trim.ts";
import { Cursor } from "../../../point/batch/cursor.ts";
import { addressAt, isTextAt, lengthAt } from "../../../point/batch/in-place.ts";
import { Float } from "../../../point/value.ts";
import { Key } from "../../../point/view.ts";
import { isBytes, type Text } from "../../../text/bytes.ts";
import { toJsonText } from "../../runtime/json-text.ts";
import { foundValue } from "../../runtime/lazy/indexed-map.ts";
import { indexJson, notJson } from "../../runtime/lazy/json-index.ts";
import { hasFiniteNumbers, lazyValue } from "../../runtime/lazy/parsed.ts";
import { writeKey } from "../../runtime/point-access.ts";
import type { Run } from "../../runtime/run.ts";
import { chargeWork } from "../../runtime/step-charge.ts";
import { toText } from "../../runtime/to-text.ts";
import { type Dict, isDict, isList, isText, textOf, type Value, VOID } from "../../runtime/value.ts";
import type { Expr } from "../../syntax/ast.ts";
import { type Call, type Declaration, declare } from "../declare.ts";
import { pathText } from "../nodes.ts";

const MAX_DEPTH = 10_000;

/** Estimated bytes in memory of a list element or map member. */
const MEMBER_BYTES = 32;
/** Estimated bytes in memory of an empty list or map. */
const CONTAINER_BYTES = 128;
/**
 * Half of the estimated bytes in memory of a string. It is added for each quotation mark in the JSON text, so twice for
 * each string.
 */
const QUOTE_BYTES = 16;

/**
 * Parses JSON strictly, except that control characters are allowed in strings. Every number becomes a float. Returns
 * undefined when the text is not JSON.
 */
export function parseJson(text: string): Value | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
    if (isPlain(text)) return hasFiniteNumbers(parsed) ? lazyValue(parsed) : undefined;
  } catch {
    const escaped = escapeControls(text);
    if (escaped === text) return undefined;
    try {
      parsed = JSON.parse(escaped);
    } catch {
      return undefined;
    }
  }
  return toValue(parsed, 0);
}

/**
 * Returns whether a JSON text is too short to nest deeply and has no lone surrogates. Each member of such a text is
 * converted only when a script reads it.
 */
function isPlain(text: string): boolean {
  return text.length < MAX_DEPTH && !text.includes("\\u") && isWellFormed(text);
}

const { isWellFormed: hostIsWellFormed } = String.prototype as { isWellFormed?: () => boolean };

function isWellFormed(text: string): boolean {
  return hostIsWellFormed === undefined ? !/\p{Surrogate}/u.test(text) : hostIsWellFormed.call(text);
}

/** Escapes control characters in the strings of a JSON text, because logs often contain unescaped tabs. */
function escapeControls(text: string): string {
  return text.replace(/"(?:[^"\\]|\\[^\0-\x1f])*"/g, (string) =>
    string.replace(/[\0-\x1f]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`),
  );
}

/**
 * Parses the string value of a key as JSON, directly in the WebAssembly memory that holds the point. Returns `notJson`
 * for a string that is not JSON, and undefined when JavaScript must parse the string.
 */
function inPlace(run: Run, key: Key): Value | typeof notJson | undefined {
  const { point } = run;
  if (!(point instanceof Cursor)) return undefined;
  const at = point.at(key);
  if (at < 0 || !isTextAt(point, at)) return undefined;
  const length = lengthAt(point, at);
  if (length >= MAX_DEPTH) return undefined;
  const found = indexJson(point.batch, addressAt(point, at), length);
  if (found === undefined) return undefined;
  chargeWork(run, length);
  if (found === notJson) return notJson;
  // The JSON text stays in WebAssembly memory. A value in it becomes a JavaScript value only when the script reads this
  // value.
  run.memory.make(CONTAINER_BYTES + 8 * length);
  return foundValue(found);
}

function toValue(json: unknown, depth: number): Value | undefined {
  switch (typeof json) {
    case "number":
      return Number.isFinite(json) ? new Float(json) : undefined;
    case "string":
      return wellFormed(json);
    case "boolean":
      return json;
  }
  if (json === null) return null;
  if (depth >= MAX_DEPTH) return undefined;
  if (Array.isArray(json)) {
    const list: Value[] = [];
    for (const item of json) {
      const value = toValue(item, depth + 1);
      if (value === undefined) return undefined;
      list.push(value);
    }
    return list;
  }
  const map: Dict = new Map();
  for (const [key, item] of Object.entries(json as object)) {
    const value = toValue(item, depth + 1);
    if (value === undefined) return undefined;
    map.set(wellFormed(key), value);
  }
  return map;
}

/** Replaces lone surrogates in all strings of a value by U+FFFD. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}

type Step = string | number;

/**
 * Converts a path argument to a list of steps (member names and list indexes). Returns null when an index is not
 * a number, because nothing can be found at such a path.
 */
function pathSteps(node: Expr): Step[] | null {
  switch (node.kind) {
    case "Identifier":
      return [node.name];
    case "IndexExpr": {
      const steps: Step[] = node.base === null ? [] : [node.base.name];
      for (const index of node.indexes) {
        if (index.kind === "IntLiteral") steps.push(Number(index.value));
        else if (index.kind === "FloatLiteral") steps.push(Math.trunc(index.value));
        else return null;
      }
      return steps;
    }
    case "AttrExpr": {
      const steps: Step[] = [];
      for (const part of node.parts) {
        const its = pathSteps(part);
        if (its === null) return null;
        steps.push(...its);
      }
      return steps;
    }
    default:
      return null;
  }
}

function step(value: Value | undefined, by: Step): Value | undefined {
  if (typeof by === "string") return value !== undefined && isDict(value) ? value.get(by) : undefined;
  return value !== undefined && isList(value) ? value.at(by) : undefined;
}

function boolLiteral(call: Call, index: number, absent: boolean): boolean {
  const node = call.arg(index);
  if (node === undefined) return absent;
  return node.kind === "BoolLiteral" ? node.value : call.fail(`expect BoolLiteral, got ${node.kind}`, node);
}

/** Trims white space. Strings that begin and end with a visible ASCII character are returned without a copy. */
function trimmed(text: Text): Text {
  if (isBytes(text)) {
    const bytes = text.view();
    const [first, last] = [bytes[0]!, bytes[bytes.length - 1]!];
    if (first > 0x20 && first < 0x80 && last > 0x20 && last < 0x80) return text;
  }
  return trimSpace(textOf(text));
}

/**
 * Parses a text for the function `json`. Scripts call this function many times for the same text, so the value of the
 * last text is used again. Each call counts the same bytes toward the run's memory limit.
 */
function parsed(run: Run, source: Value | undefined): Value | undefined {
  if (source === undefined) return undefined;
  const text = toText(source, run.memory);
  const known = run.document?.text === text ? run.document : null;
  const bytes = known?.bytes ?? bytesOfValues(text);
  run.memory.make(bytes);
  run.document = known ?? { text, value: parseJson(text), bytes };
  return run.document.value;
}

/** Parses a JSON text. Before that, counts the memory that its values will need toward the run's memory limit. */
function parseCounted(run: Run, text: string): Value | undefined {
  run.memory.make(bytesOfValues(text));
  return parseJson(text);
}

/**
 * Estimates the memory that the values of a JSON text need, from the number of commas, colons, opening brackets and
 * quotation marks.
 */
function bytesOfValues(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === 0x2c || character === 0x3a) bytes += MEMBER_BYTES;
    else if (character === 0x5b || character === 0x7b) bytes += CONTAINER_BYTES;
    else if (character === 0x22) bytes += QUOTE_BYTES;
  }
  return 2 * bytes;
}

export const json = declare({
  name: "json",
  summary:
    "Extracts a value from JSON text by a path and writes it to a key. Numbers are floats, lists and maps JSON text.",
  params: [
    { name: "input", type: "key", summary: "the key that holds JSON text" },
    { name: "json_path", type: "path", summary: "a path without quotes: a.b[0].c, .[0] for a list at the top" },
    { name: "newkey", type: "key", optional: true, summary: "the key that is written; the path's text when left out" },
    {
      name: "trim_space",
      type: "bool",
      optional: true,
      summary: "whether white space around a text is removed; true when left out",
    },
    {
      name: "delete_after_extract",
      type: "bool",
      optional: true,
      summary: "whether the member is removed and the rest written back to the input; false when left out",
    },
  ],
  style: "named",
  examples: [
    { script: `json(_, name.first)`, input: `{"name": {"first": "Tom"}}`, gives: { "name.first": "Tom" } },
    { script: `json(_, ids[-1], last)`, input: `{"ids": [1, 2]}`, gives: { last: 2 } },
    {
      script: `json(_, a, r, true, true)`,
      input: `{"a": 1, "b": 2}`,
      gives: { r: 1, message: `{"b":2}` },
    },
  ],
  bind(call) {
    const input = call.key(0);
    const path = call.arg(1);
    if (path?.kind !== "Identifier" && path?.kind !== "AttrExpr" && path?.kind !== "IndexExpr")
      return call.fail(`expect AttrExpr, IndexExpr or Identifier, got ${path?.kind}`, path);
    const named = call.arg(2);
    if (
      named !== undefined &&
      named.kind !== "Identifier" &&
      named.kind !== "AttrExpr" &&
      named.kind !== "StringLiteral"
    )
      call.fail(`expect AttrExpr or Identifier, got ${named.kind}`, named);
    const target = named === undefined ? new Key(pathText(path)) : call.key(2).key;
    const trim = boolLiteral(call, 3, true);
    const remove = boolLiteral(call, 4, false);
    const steps = pathSteps(path);
    const last = path.kind === "AttrExpr" ? path.parts.at(-1) : path;
    if (remove && last?.kind === "IndexExpr") call.fail("does not support deleting elements in the list", call.arg(4));
    if (steps === null) return () => VOID;
    const holderSteps = steps.slice(0, -1);
    const lastStep = steps.at(-1) as Step;
    return (run) => {
      const document = (input.mayBeVariable ? undefined : inPlace(run, input.key)) ?? parsed(run, input.read(run));
      if (document === undefined || document === notJson) return VOID;
      const holder = holderSteps.reduce<Value | undefined>(step, document);
      const found = step(holder, lastStep);
      if (found === undefined || found === null) return VOID;
      writeKey(run, target, trim && isText(found) ? trimmed(found) : found);
      if (remove) {
        // The document changes, so no other call may use it.
        run.document = null;
        (holder as Dict).delete(lastStep as string);
        writeKey(run, input.key, toJsonText(document, 2, run.memory));
      }
      return VOID;
    };
  },
});

export const loadJson = declare({
  name: "load_json",
  summary: "Parses JSON text into a value that can be indexed and changed; nil when it is not valid.",
  params: [{ name: "val", type: "str", summary: "JSON text" }],
  returns: "any",
  style: "positional",
  arity: { min: 1, max: 1, tooFew: "func load_json expects 1 arg" },
  examples: [
    {
      script: `a = load_json(_); add_key(b, a["b"][-1])`,
      input: `{"b": [1, 2.5, "x"]}`,
      gives: { b: "x" },
    },
  ],
  bind(call) {
    const value = call.value(0);
    const field = call.arg(0)?.kind === "Identifier" ? call.key(0) : null;
    const key = field === null || field.mayBeVariable ? null : field.key;
    return (run) => {
      const found = key === null ? undefined : inPlace(run, key);
      if (found !== undefined) return found === notJson ? null : found;
      const text = value(run);
      if (!isText(text)) throw call.runFailure("param data type expect string", call.arg(0));
      return parseCounted(run, textOf(text)) ?? null;
    };
  },
});

function validJson(name: string): Declaration {
  return declare({
    name,
    summary: "Tells whether a text is valid JSON.",
    params: [{ name: "val", type: "str", summary: "the text" }],
    returns: "bool",
    style: "positional",
    arity: { min: 1, max: 1, tooFew: `func ${name} expects 1 arg` },
    examples: [
      { script: `add_key(r, ${name}(_))`, input: `{"a": 1}`, gives: { r: true } },
      { script: `add_key(r, ${name}(_))`, input: `{"a": 1}x`, gives: { r: false } },
    ],
    bind(call) {
      const value = call.value(0);
      return (run) => {
        const text = value(run);
        if (!isText(text)) return false;
        try {
          JSON.parse(textOf(text));
          return true;
        } catch {
          return false;
        }
      };
    },
  });
}

export const jsonAll = declare({
  name: "json_all",
  summary: "Disabled in the language: accepted with any arguments, does nothing.",
  params: [],
  style: "positional",
  examples: [{ script: `json_all(_)`, input: `{"a": 1}`, gives: {} }],
  bind: () => () => VOID,
});

export const jsonFunctions: readonly Declaration[] = [
  json,
  loadJson,
  validJson("valid_json"),
  validJson("vaild_json"),
  jsonAll,
];
