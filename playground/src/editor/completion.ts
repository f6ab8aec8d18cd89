// Completion of scripts: functions, named parameters, keys of the points, variables, keywords; inside of strings grok patterns, their
// types, and the names of other scripts.

import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  snippetCompletion,
} from "@codemirror/autocomplete";
import type { FunctionDoc } from "../../../lib/index.ts";
import { type Assist, functionNamed, signature, surroundings } from "./assist.ts";
import { functionCard, notBuiltCard, patternCard } from "./cards.ts";

const keywords = ["if", "elif", "else", "for", "in", "break", "continue", "true", "false", "nil"];
const grokTypes = ["string", "int", "float", "bool"];
/** Text before the cursor that is looked at. */
const looksBack = 20_000;

export function complete(assist: Assist): (context: CompletionContext) => CompletionResult | null {
  return (context) => {
    const { state, pos, explicit } = context;
    const around = surroundings(state.sliceDoc(Math.max(0, pos - looksBack), pos));
    if (around.inComment) return null;
    if (around.inString !== null) return inString(assist, around.inString, around.call, pos);
    const word = context.matchBefore(/[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*$/);
    if (around.afterDot || (word === null && !explicit)) return null;
    const from = word?.from ?? pos;
    return {
      from,
      options: [
        ...parameters(assist, around.call),
        ...keys(assist),
        ...variables(state.doc.toString(), word?.text ?? ""),
        ...functions(assist),
        ...keywords.map((label): Completion => ({ label, type: "keyword", boost: -1 })),
      ],
      validFor: /^[A-Za-z0-9_\u0080-\uffff]*$/,
    };
  };
}

function inString(assist: Assist, text: string, call: string | null, pos: number): CompletionResult | null {
  const language = assist.language();
  const type = /%\{\w+:[^:}"']+:(\w*)$/.exec(text);
  if (type !== null) {
    return {
      from: pos - type[1]!.length,
      options: grokTypes.map((label) => ({ label, type: "type" })),
      validFor: /^\w*$/,
    };
  }
  const field = /%\{\w+:([^:}"']*)$/.exec(text);
  if (field !== null) return { from: pos - field[1]!.length, options: keys(assist), validFor: /^\w*$/ };
  const name = /%\{(\w*)$/.exec(text);
  if (name !== null && language !== null) {
    return {
      from: pos - name[1]!.length,
      options: Array.from(language.patterns, ([label, definition]) => ({
        label,
        type: "pattern",
        info: () => patternCard(label, definition),
      })),
      validFor: /^\w*$/,
    };
  }
  if (call === "use")
    return { from: pos - text.length, options: assist.scripts().map((label) => ({ label, type: "script" })) };
  return null;
}

function functions(assist: Assist): Completion[] {
  const language = assist.language();
  if (language === null) return [];
  return [
    ...language.functions.map((doc) =>
      snippetCompletion(template(doc), {
        label: doc.name,
        type: "function",
        detail: signature(doc).slice(doc.name.length),
        info: () => functionCard(doc),
      }),
    ),
    ...language.notBuilt.map(
      (label): Completion => ({
        label,
        type: "function",
        detail: "not built yet",
        boost: -50,
        info: () => notBuiltCard(label),
      }),
    ),
  ];
}

/** The required parameters as places to fill in. */
function template({ name, params }: FunctionDoc): string {
  const required = params.filter((param) => !param.optional);
  if (params.length === 0) return `${name}()\${}`;
  if (required.length === 0) return `${name}(\${})`;
  return `${name}(${required.map((param) => (param.type === "str" ? `"#{${param.name}}"` : `#{${param.name}}`)).join(", ")})`;
}

function parameters(assist: Assist, call: string | null): Completion[] {
  const doc = call === null ? undefined : functionNamed(assist.language(), call);
  return (doc?.params ?? []).map(({ name, type, summary, optional }) => ({
    label: name,
    apply: `${name}=`,
    type: "parameter",
    detail: `${optional ? "optional " : ""}${type}`,
    info: summary,
    boost: 1,
  }));
}

function keys(assist: Assist): Completion[] {
  return Array.from(assist.keys(), ([key, { kind, isTag, sample }]) => ({
    label: key,
    apply: /^[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*$/.test(key) ? key : `\`${key}\``,
    type: "key",
    detail: isTag ? "tag" : kind,
    ...(sample === "" ? {} : { info: sample.length > 300 ? `${sample.slice(0, 300)}…` : sample }),
    boost: 2,
  }));
}

/** Names that the script assigns. */
function variables(script: string, typed: string): Completion[] {
  const names = new Set(Array.from(script.matchAll(/^\s*([A-Za-z_]\w*)\s*=(?!=)/gm), (match) => match[1]!));
  names.delete(typed);
  return [...names].map((label) => ({ label, type: "variable" }));
}
