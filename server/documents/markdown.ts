// Formats Markdown for pages that are generated from declarations.

/** Returns a Markdown table. A `|` in a cell is escaped. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.map(cellText).join(" | ")} |\n`);
  return lines.join("").replace(/^\|(?: --- \|)+$/m, (line) => line.replaceAll(" ", ""));
}

function cellText(text: string): string {
  return text.replaceAll("|", "\\|");
}

/** Returns a string as inline code in Markdown; an empty string stays empty. */
export function code(text: string): string {
  return text === "" ? "" : `\`${text}\``;
}

/** Returns a number of bytes in a readable format, such as `64 MiB`. */
export function bytesText(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB"];
  let unit = 0;
  let left = bytes;
  while (unit < units.length - 1 && left >= 1024 && left % 1024 === 0) {
    left /= 1024;
    unit++;
  }
  return `${left} ${units[unit]}`;
}
