// Completion items and hover text for a script editor. The functions are pure: they take the source text, an offset and
// facts about keys and functions, return plain data, and do not depend on an editor.

import type { Kind } from "../../point/value.ts";
import { refuse, requireCount, requireOneOf, requireString } from "../../text/argument.ts";
import type { Param } from "../functions/declare.ts";
import type { Offset } from "../syntax/ast.ts";
import { lex } from "../syntax/lexer.ts";
import { keywords } from "../syntax/token.ts";
import type { FunctionDoc } from "./function-docs.ts";
import { functionText, signature } from "./function-reference.ts";

/** The known facts about a key of the points, as completion and hover show them. */
export interface KeyFact {
  readonly kind: Kind;
  readonly isTag: boolean;
  /** An example of a value that the key has. */
  readonly sample: string;
}

/** The facts that completion and hover need besides the script's text. */
export interface AssistFacts {
  /** The functions that scripts may call, as `functionDocs` returns them. */
  readonly functions: readonly FunctionDoc[];
  /** Facts about the keys of the points that the script runs over, by key. */
  readonly keys: ReadonlyMap<string, KeyFact>;
  /** Names of the scripts that the function `use` can call. */
  readonly scripts: readonly string[];
  /** The grok patterns that scripts can use: definitions by name. */
  readonly patterns: ReadonlyMap<string, string>;
}

/** One item of the completion list. */
export interface CompletionItem {
  readonly label: string;
  readonly kind: "function" | "parameter" | "key" | "variable" | "keyword" | "pattern" | "type" | "script";
  /** The text that is inserted when the item is chosen. */
  readonly insert: string;
  /** Short text that is shown beside the label. */
  readonly detail: string;
  /** Longer text that is shown below the label: a summary, a definition, or a sample. */
  readonly info: string;
}

/** The completion items at an offset of the source text. */
export interface Completions {
  /** UTF-16 offset: the inserted text replaces the text from here to the cursor. */
  readonly from: Offset;
  readonly items: readonly CompletionItem[];
  /**
   * Whether the completion list is shown before the user has typed anything. Inside strings, the list is shown at once.
   */
  readonly eager: boolean;
}

/** The meaning of a word of the script, for hover information: a function, a parameter, a key or a grok pattern. */
export type HoverSubject =
  | { readonly kind: "function"; readonly doc: FunctionDoc }
  | { readonly kind: "parameter"; readonly param: Param }
  | { readonly kind: "key"; readonly key: string; readonly fact: KeyFact }
  | { readonly kind: "pattern"; readonly name: string; readonly definition: string };

/** The meaning of the word under the pointer, and the UTF-16 range of the word. */
export interface Hover {
  readonly from: Offset;
  readonly to: Offset;
  readonly subject: HoverSubject;
}

/** The syntax around an offset in the source text: the string, comment or call that contains the offset. */
export interface ScriptEnvironment {
  /** The text from the opening quote to the offset, when the offset is in a string; null outside of strings. */
  readonly inString: string | null;
  readonly inComment: boolean;
  /** Name of the function whose call is open at the offset; null outside of calls. */
  readonly call: string | null;
  /** Whether the offset is directly after a `.`, where neither a function nor a variable can follow. */
  readonly afterDot: boolean;
}

/**
 * Returns the string, comment and call that are open at the end of `before`.
 *
 * @example
 * scriptEnvironment('grok(_, "%{').call; // "grok"
 */
export function scriptEnvironment(before: string): ScriptEnvironment {
  requireString("scriptEnvironment", "before", before);
  const calls: (string | null)[] = [];
  let quote = "";
  let from = 0;
  for (let at = 0; at < before.length; at++) {
    const character = before[at]!;
    if (quote !== "") {
      if (quote.length === 1 && character === "\\") at++;
      else if (quote.length === 1 && character === "\n") quote = "";
      else if (before.startsWith(quote, at)) {
        at += quote.length - 1;
        quote = "";
      }
    } else if (character === '"' || character === "'") {
      quote = before.startsWith(character.repeat(3), at) ? character.repeat(3) : character;
      at += quote.length - 1;
      from = at + 1;
    } else if (character === "`") {
      const end = before.indexOf("`", at + 1);
      if (end < 0) break;
      at = end;
    } else if (character === "#") {
      const end = before.indexOf("\n", at);
      if (end < 0) return { inString: null, inComment: true, call: null, afterDot: false };
      at = end;
    } else if ("([{".includes(character)) calls.push(character === "(" ? nameBefore(before, at) : null);
    else if (")]}".includes(character)) calls.pop();
  }
  return {
    inString: quote === "" ? null : before.slice(from),
    inComment: false,
    call: calls.at(-1) ?? null,
    afterDot: /\.\s*\w*$/.test(before) && !/(?:^|[^\w.])\d+\.\w*$/.test(before),
  };
}

/**
 * Largest number of UTF-16 units before an opening parenthesis in which the name of the called function is searched.
 */
const longestName = 128;

function nameBefore(text: string, at: Offset): string | null {
  return /([A-Za-z_]\w*)\s*$/.exec(text.slice(Math.max(0, at - longestName), at))?.[1] ?? null;
}

/** Returns the offset where the word that ends at `at` begins. The word may begin with digits. */
function wordStart(text: string, at: Offset): Offset {
  let from = at;
  while (from > 0 && /[\w\u0080-\uffff]/.test(text[from - 1]!)) from--;
  return from;
}

const wholeWord = /^[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*$/;
const grokTypes = ["string", "int", "float", "bool"];
/** Keywords that completion offers. Reserved words without a meaning, such as `while`, are not offered. */
const usedKeywords = [...keywords].filter(([, letter]) => letter !== "R" && letter !== "0").map(([name]) => name);

/**
 * Returns the completion items for offset `at`; null when nothing can be offered. The items are not filtered by the
 * typed text.
 *
 * @example
 * const facts = { functions: functionDocs(), keys: new Map(), scripts: [], patterns: grokDefinitions };
 * completions("gro", 3, facts)?.from; // 0
 */
export function completions(script: string, at: Offset, facts: AssistFacts): Completions | null {
  requireString("completions", "script", script);
  requireCount("completions", "at", at ?? null, "of UTF-16 units");
  requireFacts("completions", facts);
  const before = script.slice(0, at);
  const around = scriptEnvironment(before);
  if (around.inComment) return null;
  if (around.inString !== null) return inString(around.inString, around.call, at, facts);
  if (around.afterDot) return null;
  const typed = before.slice(wordStart(before, at)).replace(/^\d+/, "");
  return {
    from: at - typed.length,
    eager: false,
    items: [
      ...parameterItems(around.call, facts),
      ...keyItems(facts),
      ...variablesOf(script, at).map((name) => item("variable", name)),
      ...facts.functions.map((doc) => ({
        ...item("function", doc.name, signature(doc).slice(doc.name.length), doc.summary),
        insert: `${doc.name}(`,
      })),
      ...usedKeywords.map((name) => item("keyword", name)),
    ],
  };
}

/** Returns the completion items inside a string: parts of grok expressions, and names of scripts. */
function inString(text: string, call: string | null, at: Offset, facts: AssistFacts): Completions | null {
  const part = /%\{(\w*)(?::([^:}"']*)(?::(\w*))?)?$/.exec(text);
  if (part !== null) {
    const [, name, field, type] = part;
    if (type !== undefined)
      return eager(
        at - type.length,
        grokTypes.map((each) => item("type", each)),
      );
    if (field !== undefined) {
      const items = keyItems(facts).map((each) => ({ ...each, insert: each.label }));
      return eager(at - field.length, items);
    }
    const items = Array.from(facts.patterns, ([each, definition]) => item("pattern", each, "", definition));
    return eager(at - name!.length, items);
  }
  if (call !== "use") return null;
  return eager(
    at - text.length,
    facts.scripts.map((each) => item("script", each)),
  );
}

function eager(from: Offset, items: readonly CompletionItem[]): Completions {
  return { from, items, eager: true };
}

function item(kind: CompletionItem["kind"], label: string, detail = "", info = ""): CompletionItem {
  return { label, kind, insert: label, detail, info };
}

function parameterItems(call: string | null, facts: AssistFacts): CompletionItem[] {
  const params = (call === null ? undefined : functionNamed(facts, call))?.params ?? [];
  return params.map(({ name, type, summary, optional }) => ({
    ...item("parameter", name, optional ? `${type}, optional` : type, summary),
    insert: `${name}=`,
  }));
}

function keyItems({ keys }: AssistFacts): CompletionItem[] {
  return Array.from(keys, ([key, { kind, isTag, sample }]) => ({
    ...item("key", key, isTag ? "tag" : kind, sample),
    insert: wholeWord.test(key) && !keywords.has(key.toLowerCase()) ? key : `\`${key}\``,
  }));
}

/** Returns the variable names that the script assigns, without the name that is being typed. */
function variablesOf(script: string, at: Offset): string[] {
  const { list } = lex(script);
  const names = new Set<string>();
  let parentheses = 0;
  for (const [index, token] of list.entries()) {
    if (token.letter === "(") parentheses++;
    else if (token.letter === ")") parentheses--;
    else if (token.letter === "i" && parentheses === 0 && token.end !== at) {
      const isLoop = list[index - 1]?.letter === "r" && list[index + 1]?.letter === "I";
      if (isLoop || list[index + 1]?.letter === "=") names.add(script.slice(token.at, token.end));
    }
  }
  return [...names];
}

function functionNamed({ functions }: AssistFacts, name: string): FunctionDoc | undefined {
  return functions.find((each) => each.name === name || each.aliases.includes(name));
}

/**
 * Returns the hover information about the word at offset `at`; null when there is nothing to show.
 *
 * @example
 * const facts = { functions: functionDocs(), keys: new Map(), scripts: [], patterns: grokDefinitions };
 * hover("drop()", 1, facts)?.to; // 4
 */
export function hover(script: string, at: Offset, facts: AssistFacts): Hover | null {
  requireString("hover", "script", script);
  requireCount("hover", "at", at ?? null, "of UTF-16 units");
  requireFacts("hover", facts);
  const from = wordStart(script, at);
  const to = at + (/^[\w\u0080-\uffff]*/.exec(script.slice(at))?.[0].length ?? 0);
  const subject = from === to ? null : subjectOf(script, from, to, facts);
  return subject === null ? null : { from, to, subject };
}

function subjectOf(script: string, from: Offset, to: Offset, facts: AssistFacts): HoverSubject | null {
  const name = script.slice(from, to);
  const around = scriptEnvironment(script.slice(0, from));
  if (around.inComment) return null;
  if (around.inString !== null) {
    const definition = facts.patterns.get(name);
    if (definition !== undefined && around.inString.endsWith("%{")) return { kind: "pattern", name, definition };
    return /%\{\w+:$/.test(around.inString) ? keySubject(name, facts) : null;
  }
  const behind = script.slice(to);
  const doc = functionNamed(facts, name);
  if (doc !== undefined && /^\s*\(/.test(behind)) return { kind: "function", doc };
  const call = around.call === null ? undefined : functionNamed(facts, around.call);
  const param = call?.params.find((each) => each.name === name);
  if (param !== undefined && /^\s*=(?!=)/.test(behind)) return { kind: "parameter", param };
  return keySubject(name === "_" ? "message" : name, facts);
}

function keySubject(key: string, { keys }: AssistFacts): HoverSubject | null {
  const fact = keys.get(key);
  return fact === undefined ? null : { kind: "key", key, fact };
}

/**
 * Returns the subject of a hover as plain text: a heading, an empty line, then the description.
 *
 * @example
 * hoverText({ kind: "pattern", name: "INT", definition: "(?:[+-]?(?:[0-9]+))" }).split("\n")[0]; // "%{INT}"
 */
export function hoverText(subject: HoverSubject): string {
  requireSubject(subject);
  switch (subject.kind) {
    case "function":
      return functionText(subject.doc);
    case "parameter":
      return `${subject.param.name}: ${subject.param.type}\n\n${subject.param.summary}\n`;
    case "key":
      return `${subject.key}: ${subject.fact.isTag ? "tag" : subject.fact.kind}\n\n${subject.fact.sample}\n`;
    case "pattern":
      return `%{${subject.name}}\n\n${subject.definition}\n`;
  }
}

function requireFacts(call: string, facts: unknown): void {
  const expected = "an object { functions, keys, scripts, patterns }";
  const { functions, keys, scripts, patterns } = (facts ?? {}) as Partial<Record<keyof AssistFacts, unknown>>;
  const isComplete =
    Array.isArray(functions) && keys instanceof Map && Array.isArray(scripts) && patterns instanceof Map;
  if (!isComplete) refuse(call, "facts", expected, facts);
}

function requireSubject(subject: unknown): void {
  const { kind, doc, param, fact } = (subject ?? {}) as Partial<Record<"kind" | "doc" | "param" | "fact", unknown>>;
  if (typeof subject !== "object" || subject === null) refuse("hoverText", "subject", "a subject of hover", subject);
  requireOneOf("hoverText", "subject.kind", kind, ["function", "parameter", "key", "pattern"]);
  const part = kind === "function" ? doc : kind === "parameter" ? param : kind === "key" ? fact : subject;
  if (typeof part !== "object" || part === null)
    refuse("hoverText", "subject", `a whole subject of a ${kind}`, subject);
}
