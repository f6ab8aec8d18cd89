// Parses docs/reference/wasm-abi.md. Returns its tables by heading, each row as an object with the column names as
// keys, and its constants by name.

export type Row = Readonly<Record<string, string>>;

/** A row of a table that has a column `Constant`. */
export interface Constant {
  readonly name: string;
  /** Number of the constant: the offset of a struct member in bytes, or a flag, type, code or size. */
  readonly value: number;
  /** Width of a struct member in bytes; undefined for other constants. */
  readonly width: number | undefined;
  /** The heading above the table in the document. */
  readonly heading: string;
}

export interface AbiDocument {
  readonly tables: ReadonlyMap<string, readonly Row[]>;
  readonly constants: ReadonlyMap<string, Constant>;
}

export function readDocument(markdown: string): AbiDocument {
  const tables = new Map<string, Row[]>();
  let heading = "";
  let columns: string[] | null = null;
  for (const line of markdown.split("\n")) {
    if (line.startsWith("#")) heading = line.replace(/^#+ /, "");
    if (!line.startsWith("|")) columns = null;
    else if (columns === null) columns = cells(line);
    else if (!/^[|-]+$/.test(line)) {
      const values = cells(line);
      const row = Object.fromEntries(columns.map((column, i) => [column, values[i] ?? ""]));
      tables.set(heading, [...(tables.get(heading) ?? []), row]);
    }
  }
  return { tables, constants: constantsOf(tables) };
}

function cells(line: string): string[] {
  return line
    .slice(1, -1)
    .split(" | ")
    .map((cell) => cell.replace(/^[ |]+|[ |]+$/g, "").replace(/^`(.*)`$/, "$1"));
}

function constantsOf(tables: ReadonlyMap<string, readonly Row[]>): Map<string, Constant> {
  const constants = new Map<string, Constant>();
  for (const [heading, rows] of tables) {
    for (const { Constant: name, Offset: offset, Value: value = offset, Width: width } of rows) {
      if (name === undefined) continue;
      if (constants.has(name)) throw new Error(`docs/reference/wasm-abi.md has ${name} twice`);
      constants.set(name, {
        name,
        value: integer(value, name),
        width: width === undefined ? undefined : integer(width, name),
        heading,
      });
    }
  }
  return constants;
}

function integer(text: string | undefined, name: string): number {
  const number = Number(text);
  if (text === undefined || !Number.isSafeInteger(number))
    throw new Error(`docs/reference/wasm-abi.md: ${text} of ${name}`);
  return number;
}
