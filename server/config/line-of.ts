// Finds the line of a key in a TOML file, for messages about keys that are unknown or have a wrong type. The TOML
// parser reports positions only for syntax errors.

/**
 * Returns the line (from 1) on which the key `path` is set. When the key is inside an inline table, returns the line of
 * that table.
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

/** Returns the first line at or after `line` that contains the string `near`, or `line` itself when no line does. */
export function lineOfText(text: string, near: string, line: number): number {
  const found = text.split("\n").findIndex((each, at) => at >= line - 1 && each.includes(near));
  return found < 0 ? line : found + 1;
}

function parts(key: string): string[] {
  return [...key.matchAll(/[\w-]+|"([^"]*)"|'([^']*)'/g)].map(([bare, double, single]) => double ?? single ?? bare);
}
