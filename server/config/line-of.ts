// Finds the line of a key in a TOML file, for messages about keys that are unknown or have a wrong type. The TOML
// parser reports positions only for syntax errors.

/**
 * Returns the number of the line (from 1) that sets the key `path`. For a key inside an inline table, returns
 * the line of the table. In `path`, an entry of an array of tables is written as two parts: the name of the
 * array, and the index of the entry (from 0).
 */
export function lineOf(text: string, path: readonly string[]): number {
  let table: string[] = [];
  let best = { line: 1, depth: 0 };
  /** The number of entries found so far in each array of tables. The key is the path of the array. */
  const entries = new Map<string, number>();
  for (const [at, line] of text.split("\n").entries()) {
    const header = /^\s*(\[\[?)([^\]]+)\]\]?\s*(?:#.*)?$/.exec(line);
    const assignment =
      header === null ? /^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=/.exec(line) : null;
    let here: string[];
    if (header !== null) here = table = headerPath(header[2], header[1] === "[[", entries);
    else if (assignment !== null) here = [...table, ...parts(assignment[1])];
    else continue;
    const shown = header?.[1] === "[[" && here.length > path.length ? here.slice(0, -1) : here;
    const depth = shown.every((part, index) => part === path[index]) ? shown.length : 0;
    if (depth > best.depth) best = { line: at + 1, depth };
  }
  return best.line;
}

/**
 * Returns the number of the first line that contains the string `near`; the search begins at line `line`.
 * Returns `line` when no line contains the string.
 */
export function lineOfText(text: string, near: string, line: number): number {
  const found = text.split("\n").findIndex((each, at) => at >= line - 1 && each.includes(near));
  return found < 0 ? line : found + 1;
}

/**
 * Returns the path of the table that a header such as `[a.b]` begins. In the path, the name of each array of
 * tables is followed by the index of the entry to which the header belongs.
 */
function headerPath(key: string, isEntry: boolean, entries: Map<string, number>): string[] {
  const names = parts(key);
  const path: string[] = [];
  for (const [at, name] of names.entries()) {
    path.push(name);
    const array = JSON.stringify(path);
    if (isEntry && at === names.length - 1) entries.set(array, (entries.get(array) ?? 0) + 1);
    const count = entries.get(array);
    if (count !== undefined) path.push(String(count - 1));
  }
  return path;
}

function parts(key: string): string[] {
  return [...key.matchAll(/[\w-]+|"([^"]*)"|'([^']*)'/g)].map(([bare, double, single]) => double ?? single ?? bare);
}
