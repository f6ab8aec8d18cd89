// Text tables for terminals: the first column to the left, numbers to the right.

export function tableText(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const cells of rows) {
    for (const [at, cell] of cells.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  }
  return rows.map((cells) =>
    cells
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at])))
      .join("  ")
      .trimEnd(),
  );
}
