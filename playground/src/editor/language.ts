// Highlights scripts in colour with a tokenizer that works line by line. The library's lexer is not used here, because
// an unfinished string or bracket would remove the colours from the whole text after it. Inside strings, references in
// grok expressions are highlighted.

import {
  HighlightStyle,
  LanguageSupport,
  StreamLanguage,
  type StreamParser,
  type StringStream,
} from "@codemirror/language";
import { Tag, tags } from "@lezer/highlight";

const grokName = Tag.define("grokName");
const grokField = Tag.define("grokField");
const grokType = Tag.define("grokType");

type Quote = '"' | "'" | "triple";

interface State {
  /** The quotes of the string that is still open at the current position; null outside of strings. */
  quote: Quote | null;
  /** Whether the current position is inside `%{...}` in a string. */
  inReference: boolean;
  depth: number;
}

const control = /^(?:if|elif|else|for|in|break|continue)$/i;
const atoms = /^(?:true|false|nil|null|inf|nan)$/i;
const reserved = /^(?:identifier|while|return|str|int|float|bool|list|map)$/i;

const parser: StreamParser<State> = {
  name: "millrace",
  startState: () => ({ quote: null, inReference: false, depth: 0 }),
  copyState: (state) => ({ ...state }),
  token: (stream, state) => (state.quote === null ? code(stream, state) : inString(stream, state, state.quote)),
  indent: (state, textAfter, { unit }) => {
    if (state.quote === "triple") return null;
    return Math.max(0, state.depth - (/^\s*[)\]}]/.test(textAfter) ? 1 : 0)) * unit;
  },
  languageData: {
    commentTokens: { line: "#" },
    closeBrackets: { brackets: ["(", "[", "{", '"', "'"] },
    indentOnInput: /^\s*[)\]}]$/,
    wordChars: "_",
  },
  tokenTable: { grokName, grokField, grokType },
};

function code(stream: StringStream, state: State): string | null {
  if (stream.eatSpace()) return null;
  if (stream.match(/^#.*/)) return "comment";
  const triple = stream.match(/^(?:"""|''')/);
  if (triple) {
    state.quote = "triple";
    return "string";
  }
  const next = stream.peek();
  if (next === '"' || next === "'") {
    stream.next();
    state.quote = next;
    return "string";
  }
  if (stream.match(/^`[^`]*`?/)) return "variableName";
  if (stream.match(/^(?:0[xX][0-9a-fA-F]*|[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]*)?)/)) return "number";
  const word = stream.match(/^[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*/);
  if (word) return wordToken(stream, (word as RegExpMatchArray)[0]);
  if (stream.match(/^[[({]/)) {
    state.depth++;
    return "bracket";
  }
  if (stream.match(/^[\])}]/)) {
    state.depth = Math.max(0, state.depth - 1);
    return "bracket";
  }
  if (stream.match(/^(?:[-+*/%=!<>]=?|&&|\|\|)/)) return "operator";
  stream.next();
  return "punctuation";
}

function wordToken(stream: StringStream, word: string): string {
  if (control.test(word)) return "keyword";
  if (atoms.test(word)) return "atom";
  if (stream.match(/^\s*\(/, false)) return "variableName.function";
  if (reserved.test(word)) return "invalid";
  if (word === "_") return "self";
  if (stream.match(/^\s*=(?!=)/, false)) return "variableName.definition";
  return "variableName";
}

function inString(stream: StringStream, state: State, quote: Quote): string {
  if (stream.sol() && quote !== "triple") {
    // For the colours, a single-line string that is not closed ends at the end of its line. The lexer reports such a
    // string as an error.
    state.quote = null;
    state.inReference = false;
    return code(stream, state) ?? "";
  }
  if (state.inReference) {
    if (stream.match(/^\}/)) {
      state.inReference = false;
      return "grokName";
    }
    if (stream.match(/^[A-Za-z0-9_]+(?=[:}])/)) return "grokName";
    if (stream.match(/^:(?:string|str|int|float|bool)(?=\})/)) return "grokType";
    if (stream.match(/^:[^:}"']+/)) return "grokField";
    state.inReference = false;
  }
  if (stream.match(/^%\{(?=[A-Za-z0-9_]+(?::[^:}"']+)?(?::\w+)?\})/)) {
    state.inReference = true;
    return "grokName";
  }
  if (quote === "triple") {
    if (stream.match(/^(?:"""|''')/)) state.quote = null;
    else if (!stream.match(/^[^%"']+/)) stream.next();
    return "string";
  }
  if (stream.match(/^\\./)) return "escape";
  const next = stream.next();
  if (next === quote) {
    state.quote = null;
    return "string";
  }
  stream.match(quote === '"' ? /^[^%"\\]+/ : /^[^%'\\]+/);
  return "string";
}

export function scriptLanguage(): LanguageSupport {
  return new LanguageSupport(StreamLanguage.define(parser));
}

const jsonParser: StreamParser<Record<string, never>> = {
  name: "json",
  startState: () => ({}),
  token: (stream) => {
    if (stream.eatSpace()) return null;
    if (stream.match(/^"(?:[^"\\]|\\.)*"(?=\s*:)/)) return "propertyName";
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) return "string";
    if (stream.match(/^-?[0-9][0-9.eE+-]*/)) return "number";
    if (stream.match(/^(?:true|false|null)\b/)) return "atom";
    if (stream.match(/^[[\]{}]/)) return "bracket";
    stream.next();
    return "punctuation";
  },
};

export function jsonLanguage(): LanguageSupport {
  return new LanguageSupport(StreamLanguage.define(jsonParser));
}

type LinePart = "series" | "fields" | "time";

const lineParser: StreamParser<{ part: LinePart; inText: boolean }> = {
  name: "line-protocol",
  startState: () => ({ part: "series", inText: false }),
  token: (stream, state) => {
    if (stream.sol() && !state.inText) state.part = "series";
    if (state.inText || stream.eat('"')) {
      while (!stream.eol()) {
        const next = stream.next();
        if (next === "\\") stream.next();
        else if (next === '"') {
          state.inText = false;
          return "string";
        }
      }
      state.inText = true;
      return "string";
    }
    if (stream.sol() && stream.match(/^#.*/)) return "comment";
    if (stream.eat(" ")) {
      state.part = state.part === "series" ? "fields" : "time";
      return null;
    }
    if (state.part === "time") {
      stream.skipToEnd();
      return "comment";
    }
    if (stream.match(/^(?:[^ ,=\\"]|\\.)+(?==)/)) return state.part === "series" ? "typeName" : "propertyName";
    if (stream.match(/^[,=]/)) return "punctuation";
    if (stream.match(/^(?:[^ ,=\\"]|\\.)+/)) return state.part === "series" ? "string" : "number";
    stream.next();
    return null;
  },
};

export function lineProtocolLanguage(): LanguageSupport {
  return new LanguageSupport(StreamLanguage.define(lineParser));
}

const color = (name: string) => `var(--syntax-${name})`;

export const highlightStyle = HighlightStyle.define([
  { tag: tags.comment, color: color("comment"), fontStyle: "italic" },
  { tag: [tags.keyword, tags.self], color: color("keyword") },
  { tag: tags.atom, color: color("number") },
  { tag: tags.number, color: color("number") },
  { tag: tags.string, color: color("string") },
  { tag: tags.escape, color: color("escape") },
  { tag: tags.function(tags.variableName), color: color("function") },
  { tag: tags.propertyName, color: color("field") },
  { tag: tags.typeName, color: color("pattern") },
  { tag: tags.invalid, color: "var(--bad)" },
  { tag: [tags.operator, tags.punctuation, tags.bracket], color: color("operator") },
  { tag: grokName, color: color("pattern") },
  { tag: grokField, color: color("field") },
  { tag: grokType, color: color("number") },
]);
