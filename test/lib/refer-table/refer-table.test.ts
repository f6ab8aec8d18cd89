// Reference tables in memory: which documents are accepted, as a whole and in chunks. The suite for all stores tests
// how rows are found.

import { describe, expect, it } from "vitest";
import { JsonError } from "../../../lib/refer-table/json-stream.ts";
import { type Loaded, parseReferTables, readReferTables } from "../../../lib/refer-table/read-document.ts";
import { memorySink } from "../../../lib/refer-table/sink.ts";
import { ReferTables } from "../../../lib/refer-table/tables.ts";
import { first, found, lookupSuite, second, t1 } from "./lookup-suite.ts";

const encoder = new TextEncoder();

interface TableText {
  readonly table_name?: unknown;
  readonly column_name?: unknown;
  readonly column_type?: unknown;
  readonly row_data?: unknown;
}

const load = (document: unknown) => parseReferTables(encoder.encode(JSON.stringify(document)));

function tablesOf(loaded: Loaded): ReferTables {
  if ("errors" in loaded) throw new Error(loaded.errors.join("\n"));
  return new ReferTables(loaded.tables);
}

function errorsOf(...tables: TableText[]): readonly string[] {
  const loaded = load(tables);
  return "errors" in loaded ? loaded.errors : [];
}

lookupSuite("in memory", (document) => {
  const loaded = parseReferTables(encoder.encode(document));
  return "errors" in loaded ? null : new ReferTables(loaded.tables);
});

describe("a document", () => {
  const sound = { table_name: "t", column_name: ["a"], column_type: ["int"], row_data: [[1]] };

  it.each([
    [{ ...sound, table_name: "" }, 'table: "", error: empty table name'],
    [{ ...sound, column_type: ["int", "int"] }, "table: t, error: len(table.ColumnName) != len(table.ColumnType)"],
    [{ ...sound, row_data: [[1], [1, 2]] }, "table: t, col: 1, error: len(table.ColumnName) != len(table.RowData[1])"],
    [
      { ...sound, column_name: ["a", ""], column_type: ["int", "int"], row_data: [] },
      'table: t, column: [a ], index: 1, value: ""',
    ],
    [{ ...sound, column_type: ["INT"] }, "table: t, unsupported column type: a -> INT"],
    [{ ...sound, row_data: [[1], ["x"]] }, 'table: t, row: 1, col: 0, cast error: cannot convert "x" to int'],
    [{ ...sound, column_name: [], column_type: [], row_data: [] }, "table: t, error: no columns"],
    [
      { ...sound, column_name: ["a", "a"], column_type: ["int", "int"], row_data: [] },
      "table: t, error: duplicate column: a",
    ],
  ])("with the table %j is refused", (table, error) => {
    expect(errorsOf(table)).toEqual([error]);
  });

  it("reports the mistake that comes first in the order of the rules, not in the text", () => {
    expect(errorsOf({ ...sound, column_type: ["INT"], row_data: [["x"], [1, 2]] })).toEqual([
      "table: t, col: 1, error: len(table.ColumnName) != len(table.RowData[1])",
    ]);
  });

  it("reports every bad table", () => {
    expect(
      errorsOf({ ...sound, row_data: [["x"]] }, sound, { ...sound, table_name: "u", column_type: ["x"] }),
    ).toHaveLength(2);
  });

  it("with a name given twice keeps the first table, with a warning", () => {
    const loaded = load([sound, { ...sound, row_data: [[2]] }]);
    expect(loaded).toMatchObject({ warnings: ["table: t, given more than once: the first one counts"] });
    expect(found(tablesOf(loaded), "t", ["a"], [1])).toEqual({ a: 1 });
  });

  it("may have members in any order, unknown members, and null for absent members", () => {
    const { table_name, column_name, column_type, row_data } = t1;
    const its = tablesOf(
      load([{ row_data, primary_key: [{ x: [1, {}] }], column_type, table_name, more: null, column_name }]),
    );
    expect(found(its, "t1", ["key1"], ["ab"])).toEqual(second);
    const { row_data: rows, ...others } = sound;
    expect(errorsOf({ row_data: rows, ...others })).toEqual([]);
    expect(errorsOf({ row_data: [["x"]], column_name: ["a"], column_type: ["int"], table_name: "t" })).toEqual([
      'table: t, row: 0, col: 0, cast error: cannot convert "x" to int',
    ]);
    expect(found(tablesOf(load([{ ...sound, row_data: null }])), "t", ["a"], [1])).toBeNull();
    expect(load(null)).toEqual({ tables: [], warnings: [] });
    expect(load([])).toEqual({ tables: [], warnings: [] });
  });

  it.each([
    ['{"a":1}', /array of tables/],
    ["5", /array of tables/],
    ["[5]", /table 1 of the document: must be an object/],
    ["[null]", /must be an object/],
    ['[{"table_name":5}]', /table_name must be a text/],
    ['[{"column_name":"a"}]', /column_name must be an array of texts/],
    ['[{"column_name":[1]}]', /column_name must be an array of texts/],
    ['[{"column_type":[["int"]]}]', /column_type must be an array of texts/],
    ['[{"row_data":[1]}]', /row_data must be an array of arrays/],
    ['[{"row_data":{}}]', /row_data must be an array of arrays/],
    ["[", /unexpected end/],
    ["", /unexpected end/],
    ['[{"a":1,}]', /at byte 8/],
    ["[01]", /unexpected 01/],
    ["[1.]", /unexpected 1\./],
    ["[tru]", /unexpected tru/],
    ['["a\nb"]', /control character/],
    ["[]]", /unexpected/],
    ["[] []", /unexpected/],
    [`[{"x":${"[".repeat(600)}`, /more than 512 levels/],
  ])("%j is refused as a whole", (text, reason) => {
    const loaded = parseReferTables(encoder.encode(text));
    expect("errors" in loaded ? loaded.errors : []).toEqual([expect.stringMatching(reason)]);
  });

  it("gives the same tables when it is read in pieces of any size", () => {
    const bytes = encoder.encode(
      JSON.stringify([
        { ...t1, note: 'q"\\\\é水' },
        { ...sound, row_data: [[12345], [-6]] },
      ]),
    );
    const whole = parseReferTables(bytes);
    for (const size of [1, 2, 3, 7, 64]) {
      const sink = memorySink();
      const reading = readReferTables(sink);
      for (let at = 0; at < bytes.length; at += size) reading.push(bytes.slice(at, at + size));
      expect({ ...reading.end(), tables: sink.tables }).toEqual(whole);
    }
  });

  it("is refused at the first piece that is not JSON", () => {
    const reading = readReferTables(memorySink());
    reading.push(encoder.encode('[{"table_name":'));
    expect(() => reading.push(encoder.encode("}"))).toThrow(JsonError);
  });

  it("is stored in shared memory when the option shared is set", () => {
    const loaded = parseReferTables(encoder.encode(JSON.stringify([t1])), {
      shared: typeof SharedArrayBuffer === "function",
    });
    const [table] = "tables" in loaded ? loaded.tables : [];
    const shared = table!.columns.every(({ cells, texts }) =>
      [cells, texts?.heap, texts?.ends, texts?.slots].every((array) => !(array?.buffer instanceof ArrayBuffer)),
    );
    expect(shared).toBe(typeof SharedArrayBuffer === "function");
    expect(found(tablesOf(loaded), "t1", ["key1"], ["a"])).toEqual(first);
  });
});
