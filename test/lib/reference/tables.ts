// Parses the example tables of the reference pages. In each row, the last cell is the result for the cells before it.

export interface ExampleRow {
  /** Line number in the page, from 1. */
  readonly line: number;
  /** The cells of the row without their backquotes. In a cell, `⏎` stands for a line feed. */
  readonly cells: readonly string[];
}

/** Returns the rows of all tables with the given header row, such as `| Script | Gives |`. */
export function rowsUnder(page: string, head: string): readonly ExampleRow[] {
  const lines = page.split("\n");
  return lines.flatMap((text, at) => {
    if (text !== head) return [];
    const length = lines.slice(at + 2).findIndex((line) => !line.startsWith("|"));
    return lines.slice(at + 2, at + 2 + length).map((line, row) => ({ line: at + 3 + row, cells: cellsOf(line) }));
  });
}

function cellsOf(line: string): string[] {
  return line
    .slice(2, -2)
    .split(" | ")
    .map((cell) => {
      const [, , text = cell] = /^(`+) ?(.*?) ?\1$/s.exec(cell) ?? [];
      return text.replaceAll("\\|", "|").replaceAll("⏎", "\n");
    });
}
