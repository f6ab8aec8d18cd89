// Signature help: while the arguments of a call are typed, a tooltip names the parameters and describes the current
// one.

import { type EditorState, type Extension, Prec, StateEffect, StateField } from "@codemirror/state";
import { keymap, showTooltip, type Tooltip } from "@codemirror/view";
import type { FunctionDoc } from "../../../lib/index.ts";
import { t } from "../text/translate.ts";
import type { Assist } from "./assist.ts";

export interface OpenCall {
  readonly name: string;
  /** UTF-16 offset of the call's opening parenthesis. */
  readonly from: number;
  /** Index, from 0, of the argument that the user is typing. */
  readonly argument: number;
  /** Name of the argument, when the user has written it as `name=value`; null otherwise. */
  readonly named: string | null;
}

interface OpenBracket {
  readonly name: string | null;
  readonly from: number;
  commas: number;
  /** UTF-16 offset where the last argument of the call begins. */
  start: number;
}

/**
 * Returns the innermost call whose parenthesis is open at the end of `before`. Returns null when no call is open, or
 * when the text ends inside a comment.
 */
export function openCall(before: string): OpenCall | null {
  const open: OpenBracket[] = [];
  for (let at = 0; at < before.length; at++) {
    const character = before[at]!;
    if (character === '"' || character === "'") {
      const quote = before.startsWith(character.repeat(3), at) ? character.repeat(3) : character;
      at = endOfString(before, at + quote.length, quote);
    } else if (character === "`") {
      const end = before.indexOf("`", at + 1);
      if (end < 0) return null;
      at = end;
    } else if (character === "#") {
      const end = before.indexOf("\n", at);
      if (end < 0) return null;
      at = end;
    } else if ("([{".includes(character)) {
      const name =
        character === "(" ? (/([A-Za-z_]\w*)\s*$/.exec(before.slice(Math.max(0, at - 80), at))?.[1] ?? null) : null;
      open.push({ name, from: at, commas: 0, start: at + 1 });
    } else if (")]}".includes(character)) open.pop();
    else if (character === "," && open.length > 0) {
      const top = open.at(-1)!;
      top.commas++;
      top.start = at + 1;
    }
  }
  // A comma inside a list or a map does not start the next argument of the call, because the whole list or map is one
  // argument.
  const call = open.findLast(({ name }) => name !== null);
  if (call === undefined || isControl.test(call.name!)) return null;
  const named = /^\s*([A-Za-z_]\w*)\s*=(?!=)/.exec(before.slice(call.start))?.[1] ?? null;
  return { name: call.name!, from: call.from, argument: call.commas, named };
}

const isControl = /^(?:if|elif|else|for|in)$/i;

function endOfString(text: string, from: number, quote: string): number {
  for (let at = from; at < text.length; at++) {
    if (quote.length === 1 && text[at] === "\\") at++;
    else if (quote.length === 1 && text[at] === "\n") return at;
    else if (text.startsWith(quote, at)) return at + quote.length - 1;
  }
  return text.length;
}

/** Hides the tooltip of a call until the cursor enters another call. */
const hide = StateEffect.define<number>();

interface Shown {
  readonly tooltip: Tooltip | null;
  /** Offset of the call whose tooltip the user has closed; -1 for none. */
  readonly hidden: number;
}

export function signatureHelp(assist: Assist): Extension {
  const tooltipAt = (state: EditorState, hidden: number): Shown => {
    const { main } = state.selection;
    const call = main.empty ? openCall(state.doc.sliceString(Math.max(0, main.head - longestCall), main.head)) : null;
    if (call === null) return { tooltip: null, hidden: -1 };
    const from = Math.max(0, main.head - longestCall) + call.from;
    const doc = docOf(assist, call.name);
    if (doc === undefined || from === hidden) return { tooltip: null, hidden };
    return {
      tooltip: { pos: from, above: true, arrow: false, create: () => ({ dom: card(doc, call) }) },
      hidden: -1,
    };
  };
  const field: StateField<Shown> = StateField.define<Shown>({
    create: () => ({ tooltip: null, hidden: -1 }),
    update: (shown, transaction) => {
      for (const effect of transaction.effects) if (effect.is(hide)) return { tooltip: null, hidden: effect.value };
      if (!transaction.docChanged && transaction.selection === undefined) return shown;
      // Moving the cursor without typing opens no tooltip, but updates an open one.
      if (!transaction.docChanged && shown.tooltip === null) return shown;
      return tooltipAt(transaction.state, shown.hidden);
    },
    provide: (own) => showTooltip.from(own, ({ tooltip }) => tooltip),
  });
  return [
    field,
    Prec.high(
      keymap.of([
        {
          key: "Escape",
          run: (view) => {
            const { tooltip } = view.state.field(field);
            if (tooltip !== null) view.dispatch({ effects: hide.of(tooltip.pos) });
            // The handler returns false, so that the other handlers of the Escape key run as well. One of them closes
            // the list of completions; another one makes the next Tab key leave the editor.
            return false;
          },
        },
      ]),
    ),
  ];
}

/** The search for the call around the cursor reads only this many characters before the cursor. */
const longestCall = 4000;

function docOf(assist: Assist, name: string): FunctionDoc | undefined {
  return assist.language()?.functions.find((doc) => doc.name === name || doc.aliases.includes(name));
}

function card({ name, params, returns }: FunctionDoc, { argument, named }: OpenCall): HTMLElement {
  const made = document.createElement("div");
  made.className = "cm-signature";
  const line = document.createElement("code");
  line.append(`${name}(`);
  const byName = params.findIndex((param) => param.name === named);
  const current = byName >= 0 ? byName : argument;
  params.forEach((param, at) => {
    if (at > 0) line.append(", ");
    const part = document.createElement(at === current ? "strong" : "span");
    part.textContent = param.optional ? `${param.name}?` : param.name;
    line.append(part);
  });
  line.append(returns === undefined ? ")" : `) → ${returns}`);
  made.append(line);
  const param = params[current];
  if (param !== undefined) {
    const text = document.createElement("p");
    text.textContent = `${param.name}: ${param.optional ? t("{type}, optional", { type: param.type }) : param.type}. ${param.summary}`;
    made.append(text);
  }
  return made;
}
