// The tables of the reference pages whose rows are examples: the cells of the first columns are what is asked, the last is the answer.

export interface ExampleRow {
  /** Line of the page, from 1. */
  readonly line: number;
  /** The cells without their backquotes; `⏎` is a line feed there. */
  readonly cells: readonly string[];
}

/** The rows of all tables with this head: `| Script | Gives |`. */
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
