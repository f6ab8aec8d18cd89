// Patterns of file paths, as in shells. `*` matches any characters and `?` one character of a name, `[a-z]` and
// `[!a-z]` one character of a set, `{a,b}` one of the alternatives, `**` any number of folders. A character
// after a `\` has no special meaning. As in a shell, a name that begins with a dot matches only a pattern that
// begins with a dot.

import { Regex } from "../../lib/regex/index.ts";

/**
 * One part of a pattern, that is, the text between two slashes. A part is an exact name, a pattern of names, or
 * `**`.
 */
export type PatternPart =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "names"; matches(name: string): boolean }
  /** The part `**` of a pattern, which matches any number of folders. */
  | { readonly kind: "folders" };

export interface FilePattern {
  readonly text: string;
  /** The parts of the pattern between its slashes, in order. The last part matches files, the others match folders. */
  readonly parts: readonly PatternPart[];
  /** Returns whether the pattern matches the whole path. The file need not exist. */
  matches(path: string): boolean;
}

/**
 * Parses a pattern of absolute paths. The time to match a name is proportional to the length of the name. Throws
 * RegexSyntaxError for a wrong pattern such as `[z-a]`.
 */
export function parseFilePattern(text: string): FilePattern {
  const names = text.split("/").slice(1);
  const withFile = names.at(-1) === "**" ? [...names, "*"] : names;
  const parts = withFile.filter((name) => name !== "" && name !== ".").map(partOf);
  return { text, parts, matches: (path) => matchesFrom(parts, path.split("/").slice(1)) };
}

/**
 * Returns a function that tells whether a path matches at least one of the patterns. A pattern without a slash
 * is compared with the file name, any other pattern with the whole path.
 */
export function anyPattern(texts: readonly string[]): (path: string) => boolean {
  const names = texts.filter((text) => !text.includes("/")).map(partOf);
  const paths = texts.filter((text) => text.includes("/")).map(parseFilePattern);
  return (path) => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    return names.some((part) => matchesName(part, name)) || paths.some((pattern) => pattern.matches(path));
  };
}

function matchesName(part: PatternPart, name: string): boolean {
  if (part.kind === "name") return part.name === name;
  return part.kind === "folders" ? !name.startsWith(".") : part.matches(name);
}

/**
 * Returns whether a path matches a pattern. `parts`: the parts of the pattern; `names`: the names in the path.
 * Goes through the names once and keeps the set of all parts that may match the next name. So the time is at
 * most proportional to the number of parts times the number of names, even if several parts are `**`.
 */
function matchesFrom(parts: readonly PatternPart[], names: readonly string[]): boolean {
  let states = withSkipped(parts, new Set([0]));
  for (const name of names) {
    const next = new Set<number>();
    for (const at of states) {
      const part = parts[at];
      if (part === undefined) continue;
      if (part.kind === "folders") {
        if (!name.startsWith(".")) next.add(at);
      } else if (matchesName(part, name)) next.add(at + 1);
    }
    states = withSkipped(parts, next);
  }
  return states.has(parts.length);
}

/**
 * Completes and returns the set `states`, which contains the indexes of the pattern's parts that may match the
 * next name. When a `**` is in the set, adds the part after this `**`, because `**` may stand for zero folders.
 */
function withSkipped(parts: readonly PatternPart[], states: Set<number>): Set<number> {
  for (const at of states) if (parts[at]?.kind === "folders") states.add(at + 1);
  return states;
}

function partOf(text: string): PatternPart {
  if (text === "**") return { kind: "folders" };
  if (!/[*?[{\\]/.test(text)) return { kind: "name", name: text };
  const regex = Regex.compile(`^(?:${regexOf(text)})$`, "s");
  const findsDots = text.startsWith(".") || text.startsWith("\\.");
  return { kind: "names", matches: (name) => (findsDots || !name.startsWith(".")) && regex.test(name) };
}

/**
 * Returns the regular expression for one part of a pattern. A `[` or `{` without its closing bracket matches
 * itself.
 */
function regexOf(text: string): string {
  let out = "";
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    const end = char === "[" ? text.indexOf("]", at + (/^\[!?\]/.test(text.slice(at)) ? 3 : 2)) : -1;
    if (char === "\\" && at + 1 < text.length) out += literal(text[++at]!);
    else if (char === "*") out += ".*";
    else if (char === "?") out += ".";
    else if (end > 0) {
      out += classOf(text.slice(at + 1, end));
      at = end;
    } else if (char === "{" && closes(text, at)) {
      out += "(?:";
      depth++;
    } else if (char === "," && depth > 0) out += "|";
    else if (char === "}" && depth > 0) {
      out += ")";
      depth--;
    } else out += literal(char);
  }
  return out;
}

/** Returns whether the `{` at `from` has a closing `}`. */
function closes(text: string, from: number): boolean {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === "{") depth++;
    else if (text[at] === "}" && --depth === 0) return true;
  }
  return false;
}

function classOf(inside: string): string {
  const negated = inside.startsWith("!") || inside.startsWith("^");
  const members = (negated ? inside.slice(1) : inside).replace(/[\\\][^]/g, "\\$&");
  return `[${negated ? "^" : ""}${members}]`;
}

function literal(char: string): string {
  return /[\\^$.|?*+()[\]{}]/.test(char) ? `\\${char}` : char;
}
