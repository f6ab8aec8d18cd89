// Colours DQL queries in an editor: keywords, names, texts, numbers and signs.

import { LanguageSupport, StreamLanguage, type StreamParser } from "@codemirror/language";
import type { Extension } from "@codemirror/state";

const keyword =
  /^(?:and|or|not|in|notin|by|as|having|order|sorder|limit|slimit|offset|soffset|asc|desc|filter|link|with|tz|fill)$/i;

const parser: StreamParser<Record<string, never>> = {
  name: "dql",
  startState: () => ({}),
  token: (stream) => {
    if (stream.eatSpace()) return null;
    if (stream.match(/^#.*/)) return "comment";
    if (stream.match(/^(?:"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)/)) return "string";
    if (stream.match(/^`[^`]*`?/)) return "variableName";
    if (stream.match(/^[0-9][0-9.]*(?:[a-zµ]+[0-9a-zµ]*)?/)) return "number";
    const word = stream.match(/^[A-Za-z_\u0080-\uffff][\w.@\u0080-\uffff]*/) as RegExpMatchArray | null;
    if (word !== null) {
      if (stream.match(/^\s*::/, false)) return "typeName";
      if (stream.match(/^\s*\(/, false)) return "variableName.function";
      if (keyword.test(word[0])) return "keyword";
      return /^(?:true|false|nil|null|auto|now|today|yesterday)$/i.test(word[0]) ? "atom" : "variableName";
    }
    if (stream.match(/^[-+*/%=!<>~^]+/)) return "operator";
    stream.next();
    return "punctuation";
  },
  languageData: {
    commentTokens: { line: "#" },
    closeBrackets: { brackets: ["(", "[", "{", '"', "'", "`"] },
  },
};

export const dqlColours = (): Extension => new LanguageSupport(StreamLanguage.define(parser));
