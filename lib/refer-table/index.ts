// Reference tables: reads them from JSON as it arrives, and keeps them in columns that scripts look up. In: a JSON
// stream. Out: rows by the values of columns.

export { Column, type ColumnData, type ColumnKind } from "./column.ts";
export { JsonError } from "./json-stream.ts";
export { readReferTables } from "./read-document.ts";
export { type ColumnHead, memorySink, type TableSink } from "./sink.ts";
export { type Cell, ReferTables, type TableData, type TableLookup } from "./tables.ts";
