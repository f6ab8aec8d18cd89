// Reference tables: reads them from JSON as it arrives, and keeps them in columns. The input is a stream of
// JSON; scripts look up rows by the values in their columns.

export { Column, type ColumnData, type ColumnKind } from "./column.ts";
export { JsonError } from "./json-stream.ts";
export { readReferTables } from "./read-document.ts";
export { type ColumnHead, memorySink, type TableSink } from "./sink.ts";
export { type Cell, ReferTables, type TableData, type TableLookup } from "./tables.ts";
