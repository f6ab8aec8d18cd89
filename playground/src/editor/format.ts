// Formats a script: four spaces per open bracket, one space around operators and behind commas, at most one empty line. What the lexer
// reads stays the same, token for token; comments and line breaks stay where they are.

import { tokenize } from "../../../lib/index.ts";

interface Piece {
  readonly letter: string;
  readonly text: string;
}

/** Null when the script has a mistake that keeps it from being read. */
export function format(script: string): string | null {
  const pieces = piecesOf(script);
  if (pieces === null) return null;
  const formatted = layOut(pieces);
  return sameTokens(script, formatted) ? formatted : null;
}

/** Tokens and comments in order; `n` is a line break, `#` a comment. */
function piecesOf(script: string): Piece[] | null {
  const { list, error } = tokenize(script);
  if (error !== null) return null;
  const pieces: Piece[] = [];
  let at = 0;
  const comments = (end: number) => {
    for (const [text] of script.slice(at, end).matchAll(/#[^\r\n]*/g))
      pieces.push({ letter: "#", text: text.trimEnd() });
  };
  for (const { letter, at: start, end } of list) {
    comments(start);
    pieces.push({ letter, text: script.slice(start, end) });
    at = end;
  }
  comments(script.length);
  return pieces;
}

const opens = new Set(["(", "[", "{"]);
const closes = new Set([")", "]", "}"]);
const operators = new Set(["+", "-", "*", "/", "%", "=", "A", "E", "X", "L", "G", "&", "|", "<", ">"]);
/** After these a sign belongs to an operation, else to what stands behind it. */
const operands = new Set(["i", "0", "s", "T", "N", ")", "]", "}"]);
/** Words such as `if` and `in`, that keep their distance from a bracket. */
const words = new Set(["f", "l", "e", "r", "I"]);

function layOut(pieces: readonly Piece[]): string {
  const lines: string[] = [];
  let line: Piece[] = [];
  let depth = 0;
  const flush = () => {
    const leading = line.findIndex(({ letter }) => !closes.has(letter));
    const closing = leading < 0 ? line.length : leading;
    const text = joined(line);
    const indent = Math.max(0, depth - closing);
    if (text !== "" || (lines.length > 0 && lines.at(-1) !== ""))
      lines.push(text === "" ? "" : "    ".repeat(indent) + text);
    for (const { letter } of line) depth += opens.has(letter) ? 1 : closes.has(letter) ? -1 : 0;
    line = [];
  };
  for (const piece of pieces) {
    if (piece.letter === "n") flush();
    else line.push(piece);
  }
  flush();
  while (lines.at(-1) === "") lines.pop();
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}

/** The tokens of a line with what belongs between them. */
function joined(line: readonly Piece[]): string {
  let text = "";
  const around: Around[] = [];
  let glued = true;
  line.forEach(({ letter, text: own }, at) => {
    const before = line[at - 1]?.letter ?? "";
    const isSign = (letter === "+" || letter === "-") && !operands.has(before);
    if (!glued && hasSpace(before, letter, around.at(-1))) text += " ";
    if (letter === "{") around.push(before === "" || /[(,=[:I]/.test(before) ? "map" : "block");
    else if (letter === "(" || letter === "[") around.push(letter);
    text += own;
    if (closes.has(letter)) around.pop();
    glued = isSign || letter === "!" || letter === ".";
  });
  return text;
}

/** The bracket that is open directly around a token, as far as its own line tells. */
type Around = "(" | "[" | "map" | "block";

function hasSpace(before: string, letter: string, around: Around | undefined): boolean {
  if (letter === "#") return true;
  if (letter === "," || letter === ".") return false;
  if (letter === ";") return words.has(before);
  if (letter === "}") return around === "block" && before !== "{";
  if (letter === ")" || letter === "]") return false;
  if (before === "{") return around === "block";
  if (before === "(" || before === "[") return false;
  if (letter === ":") return false;
  if (before === ":") return around !== "[";
  // A named argument, as in `f(a=1)`.
  if (around === "(" && (letter === "=" || before === "=")) return false;
  if (letter === "(" || letter === "[")
    return operators.has(before) || words.has(before) || before === "," || before === ";" || before === "}";
  return true;
}

/** Compares without line breaks: empty lines may go. */
function sameTokens(before: string, after: string): boolean {
  const texts = (script: string) => {
    const { list, error } = tokenize(script);
    return error === null
      ? list.filter(({ letter }) => letter !== "n").map(({ at, end }) => script.slice(at, end))
      : null;
  };
  const [a, b] = [texts(before), texts(after)];
  return a !== null && b !== null && a.length === b.length && a.every((text, at) => text === b[at]);
}
