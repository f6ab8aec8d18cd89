// Functions over text that all parts of the library use: UTF-8, quotes and escapes for messages, JSON with exact
// numbers, base64, and the code that the three languages (scripts, filters, DQL) share: the lexer core, string and
// number literals, and the nearest name for a mistyped one.

export { decodeBase64, encodeBase64 } from "./base64.ts";
export { isBytes } from "./bytes.ts";
export { type Integer, integer } from "./integer.ts";
export { checkJson, JsonNumber, type JsonObject, JsonSyntaxError, type JsonValue, readJson } from "./json-text.ts";
export { nearestName } from "./nearest.ts";
export { mostShown } from "./quote.ts";
export { escapeControls, escapeJson, escapeLines, shortenedText, shownText } from "./shown-text.ts";
export { compareText } from "./utf8.ts";
