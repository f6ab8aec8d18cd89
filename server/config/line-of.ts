// Finds the place of a key in a TOML text, for messages about keys that are unknown or of the wrong type. The TOML
// parser gives positions of syntax errors only.

/**
 * Returns the line, from 1, on which `path` is set, or the line of its table when `path` is written inside an inline
 * table.
 */
export function lineOf(text: string, path: readonly string[]): number {
  let table: string[] = [];
  let best = { line: 1, depth: 0 };
  for (const [at, line] of text.split("\n").entries()) {
    const header = /^\s*\[\[?([^\]]+)\]\]?\s*(?:#.*)?$/.exec(line);
    const assignment =
      header === null ? /^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=/.exec(line) : null;
    let here: string[];
    if (header !== null) here = table = parts(header[1]);
    else if (assignment !== null) here = [...table, ...parts(assignment[1])];
    else continue;
    const depth = here.every((part, index) => part === path[index]) ? here.length : 0;
    if (depth > best.depth) best = { line: at + 1, depth };
  }
  return best.line;
}

/** Returns the first line, from `line` on, that holds `near`, or `line` when there is none. */
export function lineOfText(text: string, near: string, line: number): number {
  const found = text.split("\n").findIndex((each, at) => at >= line - 1 && each.includes(near));
  return found < 0 ? line : found + 1;
}

function parts(key: string): string[] {
  return [...key.matchAll(/[\w-]+|"([^"]*)"|'([^']*)'/g)].map(([bare, double, single]) => double ?? single ?? bare);
}
