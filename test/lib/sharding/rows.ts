// Tables of test data: one JSON value a line.

export function rowsOf<Row>(text: string): Row[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Row);
}
