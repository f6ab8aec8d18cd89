// Reads two files of rules: the rules for tags (YAML or JSON), which make the header X-Global-Tags, and the sink
// rules (JSON), which choose the targets of a write. Finds, for each problem, the part of the text that causes
// it.

import { type Document, isNode, LineCounter, parseDocument } from "yaml";
import { checkGlobalTags, loadSinkRules, type SinkRules, unwrapTagConfig } from "../../../../lib/sharding/index.ts";
import { type JsonPath, jsonRange } from "../convert/json-place.ts";
import type { TextProblem } from "./routing.ts";

/**
 * The content of a file of rules for tags: a list of rules, one rule, or the id of a function that the gateway calls in
 * place of rules.
 */
export type TagConfig = unknown;

export interface ReadTags {
  readonly config: TagConfig;
  readonly problems: readonly TextProblem[];
}

export interface ReadSinks {
  /**
   * The rules; undefined when the text is empty, and when it has a problem that is an error. (A warning is no
   * error.)
   */
  readonly rules: SinkRules | undefined;
  readonly problems: readonly TextProblem[];
}

interface TextRange {
  readonly from: number;
  readonly to: number;
}

export function readTags(text: string): ReadTags {
  if (text.trim() === "") return { config: [], problems: [] };
  const document = parseDocument(text, { lineCounter: new LineCounter() });
  if (document.errors.length > 0) {
    const problems = document.errors.map(({ message, pos: [from, to] }) => ({
      ...{ severity: "error" as const, message: message.split("\n")[0]!.replace(/:$/, ""), from, to },
    }));
    return { config: [], problems };
  }
  let content: unknown;
  try {
    content = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    const message = (error as Error).message;
    return { config: [], problems: [{ severity: "error", message, from: 0, to: text.length }] };
  }
  const { config, wrapper } = unwrapTagConfig(content);
  const path = wrapper === undefined ? [] : [wrapper];
  const problems = checkGlobalTags(config).map(({ severity, message, path: place }) => ({
    ...{ severity, message: place === "" ? message : `${place}: ${message}` },
    ...firstLine(
      text,
      yamlRange(document, [...path, ...stepsOf(place).slice(Array.isArray(config) ? 1 : 0)], text.length),
    ),
  }));
  return { config, problems };
}

/**
 * Returns the range in the text of the YAML node at a path. When there is no such node, returns the range of the
 * nearest parent node that exists.
 */
function yamlRange(document: Document, path: JsonPath, length: number): TextRange {
  for (let steps = path.length; steps >= 0; steps--) {
    const node = document.getIn(path.slice(0, steps), true);
    if (isNode(node) && node.range != null) return { from: node.range[0], to: node.range[1] };
  }
  return { from: 0, to: length };
}

/** Splits a path such as `rules[0].fields[1]` into names and indexes. */
function stepsOf(path: string): (string | number)[] {
  return Array.from(path.matchAll(/\[(\d+)\]|[^.[\]]+/g), ([step, index]) =>
    index === undefined ? step : Number(index),
  );
}

export function readSinks(text: string): ReadSinks {
  if (text.trim() === "") return { rules: undefined, problems: [] };
  const { rules, problems } = loadSinkRules(text);
  const bytes = new TextEncoder().encode(text);
  const decoder = new TextDecoder();
  const indexOf = (byte: number) => decoder.decode(bytes.subarray(0, byte)).length;
  const isJson = isJsonText(text);
  return {
    rules,
    problems: problems.map(({ severity, message }) => {
      const [, path = "", said] =
        /^sinker ((?:rules|strict)(?:\[\d+\](?:\.\w+(?:\[\d+\])?)?)?): ?(.*)$/s.exec(message) ?? [];
      const place = isJson ? jsonRange(bytes, stepsOf(path)) : null;
      return {
        severity,
        message: said === undefined ? message : `${path}: ${said}`,
        ...firstLine(
          text,
          place === null ? syntaxPlace(text, message) : { from: indexOf(place.from), to: indexOf(place.to) },
        ),
      };
    }),
  };
}

/**
 * Reads the position from a JSON.parse message of V8 or Firefox. Returns the range of the whole text when the message
 * has no position.
 */
function syntaxPlace(text: string, message: string): TextRange {
  const position = / position (\d+)/.exec(message)?.[1];
  const [, line, column] = / line (\d+) column (\d+)/.exec(message) ?? [];
  if (position === undefined && line === undefined) return { from: 0, to: text.length };
  const from =
    position !== undefined
      ? Number(position)
      : text
          .split("\n")
          .slice(0, Number(line) - 1)
          .join("\n").length +
        Math.min(1, Number(line) - 1) +
        Number(column) -
        1;
  // An error at the end of the text has no character of its own, so the last character of the text is marked.
  const start = Math.max(0, Math.min(from, text.length - 1));
  return { from: start, to: start + 1 };
}

/** Cuts a range after its first line, because an underline over many lines would distract the user. */
function firstLine(text: string, { from, to }: TextRange): TextRange {
  const end = text.indexOf("\n", from);
  return { from, to: end < 0 ? to : Math.min(to, Math.max(end, from + 1)) };
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
