// Prints JSON text with and without white space, for the modifiers `@pretty` and `@ugly`
// (docs/reference/functions.md#gjson). Each function works in one pass and without recursion, because deeply
// nested JSON text could otherwise exceed the call stack.

import { elementsOf, membersOf, type Raw } from "./json-scan.ts";

export interface PrettyOptions {
  /**
   * Largest width in characters of a list that is printed on one line. A wider list, or a list with objects, is printed
   * over several lines.
   */
  readonly width: number;
  readonly indent: string;
  readonly prefix: string;
  readonly sortKeys: boolean;
}

/**
 * Largest number of characters of an indent. Without this limit, deeply nested JSON could become a thousand times as
 * long.
 */
const longestIndent = 8;
/** Largest number of levels by which a line is indented; deeper lines are indented by the same number of levels. */
const deepestIndent = 32;

const TOKEN = /"(?:[^"\\]|\\.)*"?|[[\]{}:,]|[^\s[\]{}:,"]+/gs;

function tokensOf(raw: Raw): string[] {
  return raw.match(TOKEN) ?? [];
}

/** Returns the JSON text without white space between its tokens. */
export function uglyJson(raw: Raw): Raw {
  return tokensOf(raw).join("");
}

/**
 * Returns the JSON text with one line for each member and element, and a line break at the end. Short lists stay on one
 * line.
 */
export function prettyJson(raw: Raw, { width, indent, prefix, sortKeys }: PrettyOptions): Raw {
  const tokens = tokensOf(sortKeys ? sorted(raw) : raw);
  const lines: string[] = [];
  let line = prefix;
  let depth = 0;
  const turn = (): void => {
    lines.push(line);
    line = prefix + indent.slice(0, longestIndent).repeat(Math.min(depth, deepestIndent));
  };
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!;
    if (token === "[" || token === "{") {
      // For every line except the first, the width includes the line break before the line. So a list on such a line
      // may have one character less.
      const room = width - line.length - Math.min(lines.length, 1);
      const short = token === "[" && room > 3 ? shortList(tokens, at, room) : null;
      if (short !== null) {
        line += short.text;
        at = short.last;
      } else if (tokens[at + 1] === "]" || tokens[at + 1] === "}") line += token + tokens[++at];
      else {
        line += token;
        depth++;
        turn();
      }
    } else if (token === "]" || token === "}") {
      depth = Math.max(0, depth - 1);
      turn();
      line += token;
    } else if (token === ",") {
      line += token;
      turn();
    } else line += token === ":" ? ": " : token;
  }
  return `${[...lines, line].join("\n")}\n`;
}

/**
 * Returns the list at offset `at`, printed on one line of at most `room` characters, and the index of the list's last
 * token. Returns null when the list is longer or contains objects.
 */
function shortList(
  tokens: readonly string[],
  at: number,
  room: number,
): { readonly text: string; readonly last: number } | null {
  let text = "";
  let depth = 0;
  for (let last = at; last < tokens.length && text.length < room; last++) {
    const token = tokens[last]!;
    if (token === "{") return null;
    text += token === "," ? ", " : token;
    if (token === "[") depth++;
    else if (token === "]" && --depth === 0) return text.length <= room ? { text, last } : null;
  }
  return null;
}

/**
 * Deepest level at which `sortKeys` sorts members. The depth is limited, because each object is read again for every
 * list or object that contains it.
 */
const DEEPEST_SORT = 100;

function sorted(raw: Raw, depth = 0): Raw {
  if (depth === DEEPEST_SORT || !/^[{[]/.test(raw)) return raw;
  if (raw.startsWith("["))
    return `[${elementsOf(raw)
      .map((element) => sorted(element, depth + 1))
      .join(",")}]`;
  const pairs = [...membersOf(raw)].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${pairs.map(([name, value]) => `${JSON.stringify(name)}:${sorted(value, depth + 1)}`).join(",")}}`;
}
