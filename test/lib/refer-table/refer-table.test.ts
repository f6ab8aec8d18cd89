// Reference tables: what a document may be, how its cells convert, how rows are found; whole and in pieces.

import { describe, expect, it } from "vitest";
import { Float, type PointValue } from "../../../lib/point/value.ts";
import { JsonError } from "../../../lib/refer-table/json-stream.ts";
import { type Loaded, parseReferTables, readReferTables } from "../../../lib/refer-table/read-document.ts";
import { ReferTables } from "../../../lib/refer-table/tables.ts";

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

const t1 = {
  table_name: "t1",
  column_name: ["key1", "key2", "f1", "f2"],
  column_type: ["string", "float", "int", "bool"],
  row_data: [
    ["a", 123, "123", "false"],
    ["ab", "1234.", "123", true],
    ["ab", "1234", 123, "0"],
  ],
};

function plain(value: PointValue): unknown {
  return value instanceof Float ? { float: value.value } : value;
}

function found(tables: ReferTables, table: string, columns: string[], values: PointValue[]): unknown {
  const row = tables.find(table, columns, values);
  return row === null ? null : Object.fromEntries(row.map(({ key, value }) => [key.text, plain(value)]));
}

const first = { key1: "a", key2: { float: 123 }, f1: 123, f2: false };
const second = { key1: "ab", key2: { float: 1234 }, f1: 123, f2: true };
const third = { key1: "ab", key2: { float: 1234 }, f1: 123, f2: false };

describe("a look-up", () => {
  const tables = tablesOf(load([t1]));

  it.each([
    [["key1"], ["ab"], second],
    [["f1"], [123], first],
    [["f1"], [new Float(123)], first],
    [["f1"], [new Float(123.5)], null],
    [["f1"], [123n], null],
    [["f1"], ["123"], null],
    [["key2"], [1234], second],
    [["key2"], [new Float(Number.NaN)], null],
    [["f2"], [true], second],
    [["f2"], [1], null],
    [["key1", "f2"], ["ab", false], third],
    [["f2", "key1"], [false, "ab"], third],
    [["key1", "f1", "key2"], ["a", 123, new Float(1234)], null],
    [["key1", "f2"], ["ab"], null],
    [[], [], null],
    [["nope"], ["ab"], null],
    [["key1"], [null], null],
  ] as [string[], PointValue[], unknown][])("by %o with %o", (columns, values, expected) => {
    expect(found(tables, "t1", columns, values)).toEqual(expected);
  });

  it("in a table that is not there, or has no rows, finds nothing", () => {
    expect(tables.find("t2", ["key1"], ["a"])).toBeNull();
    const empty = tablesOf(load([{ ...t1, row_data: [] }]));
    for (const [column, value] of [
      ["key1", "a"],
      ["f1", 1],
      ["f2", true],
    ] as [string, PointValue][]) {
      expect(empty.find("t1", [column], [value])).toBeNull();
    }
  });

  it("finds each of many values, and the first row of each", () => {
    const rows = Array.from({ length: 5000 }, (_, at) => [`text ${at % 1700}`, at % 900, (at % 300) / 7]);
    const many = tablesOf(
      load([
        { table_name: "m", column_name: ["t", "i", "f"], column_type: ["string", "int", "float"], row_data: rows },
      ]),
    );
    for (let at = 0; at < 300; at++) {
      const expected = { t: `text ${at}`, i: at, f: { float: at / 7 } };
      expect(found(many, "m", ["t"], [`text ${at}`])).toEqual(expected);
      expect(found(many, "m", ["i"], [at])).toEqual(expected);
      expect(found(many, "m", ["f"], [new Float(at / 7)])).toEqual(expected);
    }
    expect(found(many, "m", ["t", "i"], ["text 0", 800])).toEqual({
      t: "text 0",
      i: 800,
      f: { float: (1700 % 300) / 7 },
    });
    expect(many.find("m", ["t"], ["text 1700"])).toBeNull();
  });

  it("keeps texts beyond ASCII and of any length", () => {
    const texts = ["", "é", "水位 é 😀", "x".repeat(200), `${"é".repeat(100)}\n"`];
    const its = tablesOf(
      load([
        {
          table_name: "t",
          column_name: ["s", "n"],
          column_type: ["string", "int"],
          row_data: texts.map((s, n) => [s, n]),
        },
      ]),
    );
    for (const [n, s] of texts.entries()) expect(found(its, "t", ["s"], [s])).toEqual({ s, n });
  });
});

describe("a cell", () => {
  const cell = (type: string, text: string): unknown => {
    const document = `[{"table_name":"x","column_name":["c","n"],"column_type":["${type}","int"],"row_data":[[${text},1]]}]`;
    const loaded = parseReferTables(encoder.encode(document));
    if ("errors" in loaded) return "refused";
    return plain(new ReferTables(loaded.tables).find("x", ["n"], [1])![0]!.value);
  };

  it.each([
    ["int", '"0x10"', 16],
    ["int", '"010"', 10],
    ["int", '"1_000"', 1000],
    ["int", '"+5"', 5],
    ["int", '"-0"', 0],
    ["int", '"1.00"', 1],
    ["int", "1.9", "refused"],
    ["int", "1.0", 1],
    ["int", "12e2", 1200],
    ["int", "-3", -3],
    ["int", "true", 1],
    ["int", "null", 0],
    ["int", '"abc"', "refused"],
    ["int", '""', "refused"],
    ["int", '" 5"', "refused"],
    ["int", "9007199254740993", 9007199254740993n],
    ["int", '"9007199254740993"', 9007199254740993n],
    ["int", "9223372036854775808", "refused"],
    ["int", "[1]", "refused"],
    ["float", '"1234."', { float: 1234 }],
    ["float", '"1e3"', { float: 1000 }],
    ["float", '"NaN"', { float: Number.NaN }],
    ["float", "true", { float: 1 }],
    ["float", "null", { float: 0 }],
    ["float", "1e999", "refused"],
    ["float", '"x"', "refused"],
    ["bool", "2.5", true],
    ["bool", "0", false],
    ["bool", '"t"', true],
    ["bool", '"FALSE"', false],
    ["bool", '"yes"', "refused"],
    ["bool", "null", false],
    ["string", "1.0", "1"],
    ["string", "1e21", "1000000000000000000000"],
    ["string", "9007199254740993", "9007199254740993"],
    ["string", "true", "true"],
    ["string", "null", ""],
    ["string", '"a\\u00e9\\n\\ud83d\\ude00"', "aé\n😀"],
    ["string", "{}", "refused"],
    ["INT", "1", "refused"],
  ])("of a column of %s that is %s", (type, text, expected) => {
    expect(cell(type, text)).toEqual(expected);
  });

  it("beyond the safe integers is found exactly", () => {
    const rows = [[9007199254740992], ["9007199254740993"], [-5]];
    const its = tablesOf(load([{ table_name: "x", column_name: ["c"], column_type: ["int"], row_data: rows }]));
    expect(found(its, "x", ["c"], [9007199254740993n])).toEqual({ c: 9007199254740993n });
    expect(found(its, "x", ["c"], [new Float(-5)])).toEqual({ c: -5 });
    expect(its.find("x", ["c"], [9007199254740994n])).toBeNull();
  });
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

  it("tells the mistake that comes first by the rules, not by the place", () => {
    expect(errorsOf({ ...sound, column_type: ["INT"], row_data: [["x"], [1, 2]] })).toEqual([
      "table: t, col: 1, error: len(table.ColumnName) != len(table.RowData[1])",
    ]);
  });

  it("names every bad table", () => {
    expect(
      errorsOf({ ...sound, row_data: [["x"]] }, sound, { ...sound, table_name: "u", column_type: ["x"] }),
    ).toHaveLength(2);
  });

  it("with a name given twice keeps the first table, with a warning", () => {
    const loaded = load([sound, { ...sound, row_data: [[2]] }]);
    expect(loaded).toMatchObject({ warnings: ["table: t, given more than once: the first one counts"] });
    expect(found(tablesOf(loaded), "t", ["a"], [1])).toEqual({ a: 1 });
  });

  it("may have its members in any order, further ones, and null for what is left out", () => {
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

  it("reads the same in pieces of any size", () => {
    const bytes = encoder.encode(
      JSON.stringify([
        { ...t1, note: 'q"\\\\é水' },
        { ...sound, row_data: [[12345], [-6]] },
      ]),
    );
    const whole = parseReferTables(bytes);
    for (const size of [1, 2, 3, 7, 64]) {
      const reading = readReferTables();
      for (let at = 0; at < bytes.length; at += size) reading.push(bytes.slice(at, at + size));
      expect(reading.end()).toEqual(whole);
    }
  });

  it("ends early when a piece is no JSON", () => {
    const reading = readReferTables();
    reading.push(encoder.encode('[{"table_name":'));
    expect(() => reading.push(encoder.encode("}"))).toThrow(JsonError);
  });

  it("lies on shared memory when the host wants that", () => {
    const loaded = parseReferTables(encoder.encode(JSON.stringify([t1])), {
      shared: typeof SharedArrayBuffer === "function",
    });
    const [table] = "tables" in loaded ? loaded.tables : [];
    const shared = table!.columns.every(({ cells }) => !(cells.buffer instanceof ArrayBuffer));
    expect(shared).toBe(typeof SharedArrayBuffer === "function");
    expect(found(tablesOf(loaded), "t1", ["key1"], ["a"])).toEqual(first);
  });
});
