// Reads a document of reference tables as it arrives: a JSON array of tables, each checked by the rules of
// docs/reference/function-rules.md#reference-tables. One wrong table makes the whole document invalid; the errors name
// each wrong table with its first error.

import { type Body, bytesOfBody, requireMethods, requireOptions } from "../text/argument.ts";
import { type CellBuilder, cellBuilder, type JsonScalar } from "./cells.ts";
import type { ColumnKind } from "./column.ts";
import { JsonError, type JsonHandler, JsonStream, textOf } from "./json-stream.ts";
import { type ColumnHead, type MemoryOptions, memoryNames, memorySink, type TableSink } from "./sink.ts";
import type { TableData } from "./tables.ts";

export type Read =
  | { readonly warnings: readonly string[] }
  /** Error messages: one line for each wrong table, or a single line for a document that cannot be read. */
  | { readonly errors: readonly string[] };

/** The result of reading a document: its tables, or its errors. */
export type Loaded =
  | { readonly tables: readonly TableData[]; readonly warnings: readonly string[] }
  | Exclude<Read, { warnings: unknown }>;

/** A reader for a document of reference tables, which receives the document in chunks. */
export interface ReferDocument {
  /** Reads the next chunk. Throws JsonError when the bytes so far are not the beginning of a valid document. */
  push(piece: Body): void;
  /** Ends the reading after the last chunk. Throws JsonError when the document is incomplete. */
  end(): Read;
}

/**
 * Starts reading a document of reference tables. When the final result has errors, the rows that the sink (the receiver
 * of the rows) got are not valid.
 *
 * @example
 * const document = readReferTables(memorySink());
 * document.push(new TextEncoder().encode("[]"));
 * document.end(); // { warnings: [] }
 */
export function readReferTables(sink: TableSink): ReferDocument {
  requireMethods("readReferTables", "sink", sink, "a sink, such as memorySink()", "part", "end", "drop");
  const builder = new DocumentBuilder(sink);
  const stream = new JsonStream(builder);
  return {
    push: (piece) => stream.push(bytesOfBody("push", "piece", piece)),
    end: () => {
      stream.end();
      return builder.result();
    },
  };
}

/**
 * Parses a document of reference tables that is completely in memory.
 *
 * @example
 * const text = '[{"table_name":"t","column_name":["k"],"column_type":["int"],"row_data":[[1]]}]';
 * parseReferTables(new TextEncoder().encode(text)); // { tables: [...], warnings: [] }
 */
export function parseReferTables(body: Body, options: MemoryOptions = {}): Loaded {
  const bytes = bytesOfBody("parseReferTables", "body", body);
  requireOptions("parseReferTables", options, memoryNames);
  const sink = memorySink(options);
  try {
    const reading = readReferTables(sink);
    reading.push(bytes);
    const read = reading.end();
    return "errors" in read ? read : { ...read, tables: sink.tables };
  } catch (error) {
    if (error instanceof JsonError) return { errors: [error.message] };
    throw error;
  }
}

const kinds: readonly string[] = ["int", "float", "string", "bool"];

type Member = "table_name" | "column_name" | "column_type" | "row_data" | null;

/**
 * Kinds of errors in a table, in order of precedence. The reader keeps the first error of each kind, and reports the
 * kept error whose kind comes first in this list.
 */
type Rule = "name" | "columns" | "row length" | "column name" | "column type" | "cell";
const rules: readonly Rule[] = ["name", "columns", "row length", "column name", "column type", "cell"];

/**
 * A cell of a row that comes in the document before the names and types of the columns. The reader keeps the cell until
 * the names and types have been read.
 */
type WaitingScalar = JsonScalar;

class TableReader {
  name = "";
  columnNames: string[] | null = null;
  columnTypes: string[] | null = null;
  private rowCount = 0;
  private cellCount = 0;
  /** Number of rows that were already passed to the sink (the receiver of the rows). */
  private passedOn = 0;
  private readonly sink: TableSink;
  private builders: CellBuilder[] | null = null;
  private readonly mistakes = new Map<Rule, string>();
  /** Rows that came in the document before the names or types of the columns. */
  private early: WaitingScalar[][] | null = null;

  constructor(sink: TableSink) {
    this.sink = sink;
  }

  startRows(): void {
    if (this.passedOn > 0) this.sink.drop();
    this.passedOn = 0;
    this.rowCount = 0;
    this.mistakes.delete("row length");
    this.mistakes.delete("cell");
    this.builders = null;
    this.early = null;
    if (this.columnNames === null || this.columnTypes === null) this.early = [];
    else this.makeBuilders(this.columnTypes);
  }

  startRow(): void {
    this.cellCount = 0;
    this.early?.push([]);
  }

  cell(value: JsonScalar): void {
    const column = this.cellCount++;
    if (this.early !== null) {
      this.early
        .at(-1)!
        .push(
          "bytes" in value
            ? { ...value, bytes: value.bytes.slice(value.from, value.to), from: 0, to: value.to - value.from }
            : value,
        );
      return;
    }
    const builder = this.builders?.[column];
    if (builder === undefined || this.mistakes.size > 0) return;
    const reason = builder.add(value);
    if (reason !== null) this.badCell(column, reason);
  }

  badCell(column: number, reason: string): void {
    this.mistake("cell", `row: ${this.rowCount}, col: ${column}, cast error: ${reason}`);
  }

  /** Handles an array or object in the position of a cell, which is an error. */
  nested(): void {
    if (this.early === null) this.badCell(this.cellCount, "cannot convert an array or object");
    else this.early.at(-1)!.push({ type: "literal", value: null });
    this.cellCount++;
  }

  endRow(): void {
    if (this.early === null && this.cellCount !== this.columnNames!.length) this.badLength();
    this.rowCount++;
    if (this.rowCount - this.passedOn >= this.sink.partRows) this.passOn();
  }

  /** Finishes the current table. Returns null when the table is valid, else its first error. */
  finish(): string | null {
    const names = this.columnNames ?? [];
    const types = this.columnTypes ?? [];
    if (this.early !== null) this.replay(this.early, types);
    if (this.name === "") this.mistake("name", "error: empty table name");
    if (names.length !== types.length) this.mistake("columns", "error: len(table.ColumnName) != len(table.ColumnType)");
    else if (names.length === 0) this.mistake("columns", "error: no columns");
    const empty = names.indexOf("");
    const repeated = names.find((name, at) => names.indexOf(name) !== at);
    if (empty >= 0) this.mistake("column name", `column: [${names.join(" ")}], index: ${empty}, value: ""`);
    else if (repeated !== undefined) this.mistake("column name", `error: duplicate column: ${repeated}`);
    const odd = types.findIndex((type) => !kinds.includes(type));
    if (odd >= 0) this.mistake("column type", `unsupported column type: ${names[odd]} -> ${types[odd]}`);
    for (const rule of rules) {
      const mistake = this.mistakes.get(rule);
      if (mistake !== undefined) return `table: ${this.name === "" ? '""' : this.name}, ${mistake}`;
    }
    this.builders ??= types.map((type) => cellBuilder(type as ColumnKind));
    if (this.passedOn === 0 || this.rowCount > this.passedOn) this.passOn();
    return null;
  }

  heads(): readonly ColumnHead[] {
    return this.columnNames!.map((name, at) => ({ name, kind: this.columnTypes![at] as ColumnKind }));
  }

  private passOn(): void {
    if (this.builders === null || this.mistakes.size > 0) return;
    const columns = this.builders.map((builder, at) => builder.finish(this.columnNames![at]!));
    this.sink.part(columns, this.rowCount - this.passedOn);
    this.passedOn = this.rowCount;
    this.makeBuilders(this.columnTypes!);
  }

  private makeBuilders(types: readonly string[]): void {
    this.builders = types.every((type) => kinds.includes(type))
      ? types.map((type) => cellBuilder(type as ColumnKind))
      : null;
  }

  private replay(rows: WaitingScalar[][], types: readonly string[]): void {
    this.early = null;
    this.columnNames ??= [];
    this.makeBuilders(types);
    this.rowCount = 0;
    for (const row of rows) {
      this.startRow();
      for (const value of row) this.cell(value);
      this.endRow();
    }
  }

  private badLength(): void {
    const at = this.rowCount;
    this.mistake("row length", `col: ${at}, error: len(table.ColumnName) != len(table.RowData[${at}])`);
  }

  private mistake(rule: Rule, text: string): void {
    if (!this.mistakes.has(rule)) this.mistakes.set(rule, text);
  }
}

/**
 * Receives the tokens of the document and follows their nesting. Depth 0 is the array of tables, depth 1 a table, depth
 * 2 the members of the table, depths 3 and 4 the content of a member.
 */
class DocumentBuilder implements JsonHandler {
  private readonly sink: TableSink;
  private readonly names = new Set<string>();
  private readonly errors: string[] = [];
  private readonly warnings: string[] = [];
  private depth = 0;
  /** Number of arrays and objects that are open inside a member of a table that the reader ignores. */
  private skipped = 0;
  private count = 0;
  private table: TableReader;
  private member: Member = null;

  constructor(sink: TableSink) {
    this.sink = sink;
    this.table = new TableReader(sink);
  }

  result(): Read {
    return this.errors.length > 0 ? { errors: this.errors } : { warnings: this.warnings };
  }

  open(kind: "[" | "{"): void {
    if (this.skipped > 0 || (this.depth === 2 && this.member === null)) {
      this.skipped++;
      return;
    }
    switch (this.depth) {
      case 0:
        if (kind !== "[") throw new JsonError("the document must be an array of tables");
        break;
      case 1:
        if (kind !== "{") throw this.wrong("must be an object");
        this.table = new TableReader(this.sink);
        this.member = null;
        break;
      case 2:
        this.openMember(kind);
        break;
      case 3:
        if (this.member !== "row_data" || kind !== "[") throw this.wrongMember();
        this.table.startRow();
        break;
      default:
        this.table.nested();
        this.skipped++;
        return;
    }
    this.depth++;
  }

  close(): void {
    if (this.skipped > 0) {
      this.skipped--;
      return;
    }
    this.depth--;
    if (this.depth === 3) this.table.endRow();
    else if (this.depth === 1) this.endTable();
  }

  key(bytes: Uint8Array, from: number, to: number, escaped: boolean): void {
    if (this.depth !== 2 || this.skipped > 0) return;
    const name = textOf(bytes, from, to, escaped);
    const known = name === "table_name" || name === "column_name" || name === "column_type" || name === "row_data";
    this.member = known ? name : null;
  }

  text(bytes: Uint8Array, from: number, to: number, escaped: boolean): void {
    if (this.depth === 4 && this.skipped === 0) this.table.cell({ type: "text", bytes, from, to, escaped });
    else this.scalar(() => textOf(bytes, from, to, escaped));
  }

  number(bytes: Uint8Array, from: number, to: number): void {
    if (this.depth === 4 && this.skipped === 0) this.table.cell({ type: "number", bytes, from, to });
    else this.scalar(null);
  }

  literal(value: boolean | null): void {
    if (this.depth === 4 && this.skipped === 0) this.table.cell({ type: "literal", value });
    // A JSON `null` counts as an absent value, also when the whole document is `null`.
    else if (value !== null || this.depth === 1 || this.depth === 3) this.scalar(null);
  }

  private openMember(kind: "[" | "{"): void {
    if (kind !== "[" || this.member === "table_name") throw this.wrongMember();
    if (this.member === "column_name") this.table.columnNames = [];
    else if (this.member === "column_type") this.table.columnTypes = [];
    else this.table.startRows();
  }

  /**
   * Handles a scalar that is not a cell of a row. `text` is a function that returns the value of a string; for any
   * other scalar `text` is null.
   */
  private scalar(text: (() => string) | null): void {
    if (this.skipped > 0 || (this.depth === 2 && this.member === null)) return;
    if (this.depth === 0) throw new JsonError("the document must be an array of tables");
    if (this.depth === 1) throw this.wrong("must be an object");
    if (text === null) throw this.wrongMember();
    if (this.depth === 2 && this.member === "table_name") this.table.name = text();
    else if (this.depth === 3 && this.member === "column_name") this.table.columnNames!.push(text());
    else if (this.depth === 3 && this.member === "column_type") this.table.columnTypes!.push(text());
    else throw this.wrongMember();
  }

  private endTable(): void {
    const { table, sink } = this;
    const mistake = table.finish();
    this.count++;
    if (mistake === null && !this.names.has(table.name)) {
      this.names.add(table.name);
      sink.end(table.name, table.heads());
      return;
    }
    sink.drop();
    if (mistake !== null) this.errors.push(mistake);
    else this.warnings.push(`table: ${table.name}, given more than once: the first one counts`);
  }

  private wrongMember(): JsonError {
    const kind =
      this.member === "table_name" ? "a text" : this.member === "row_data" ? "an array of arrays" : "an array of texts";
    return this.wrong(`${this.member} must be ${kind}`);
  }

  private wrong(what: string): JsonError {
    return new JsonError(`table ${this.count + 1} of the document: ${what}`);
  }
}
