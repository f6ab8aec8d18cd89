// Tests that every store of reference tables must pass: finding rows, and converting the cells of a JSON document.

import { describe, expect, it } from "vitest";
import { Float, type PointValue } from "../../../lib/point/value.ts";
import type { TableLookup } from "../../../lib/refer-table/tables.ts";

export const t1 = {
  table_name: "t1",
  column_name: ["key1", "key2", "f1", "f2"],
  column_type: ["string", "float", "int", "bool"],
  row_data: [
    ["a", 123, "123", "false"],
    ["ab", "1234.", "123", true],
    ["ab", "1234", 123, "0"],
  ],
};
export const first = { key1: "a", key2: { float: 123 }, f1: 123, f2: false };
export const second = { key1: "ab", key2: { float: 1234 }, f1: 123, f2: true };
const third = { key1: "ab", key2: { float: 1234 }, f1: 123, f2: false };

function plain(value: PointValue): unknown {
  return value instanceof Float ? { float: value.value } : value;
}

export function found(tables: TableLookup, table: string, columns: string[], values: PointValue[]): unknown {
  const row = tables.find(table, columns, values);
  return row === null ? null : Object.fromEntries(row.map(({ key, value }) => [key.text, plain(value)]));
}

/** Registers the tests. `open` loads a JSON document into the store; it returns null when the document is refused. */
export function lookupSuite(store: string, open: (document: string) => TableLookup | null): void {
  const opened = (tables: unknown): TableLookup => {
    const its = open(JSON.stringify(tables));
    if (its === null) throw new Error("the document is refused");
    return its;
  };

  describe(`${store}: a look-up`, () => {
    const tables = opened([t1]);

    it.each([
      [["key1"], ["ab"], second],
      [["f1"], [123], first],
      [["f1"], [new Float(123)], first],
      [["f1"], [new Float(123.5)], null],
      [["f1"], [2n ** 60n], null],
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

    it("finds nothing in a table that does not exist or has no rows", () => {
      expect(tables.find("t2", ["key1"], ["a"])).toBeNull();
      const empty = opened([{ ...t1, row_data: [] }]);
      for (const [column, value] of [
        ["key1", "a"],
        ["f1", 1],
        ["f2", true],
      ] as [string, PointValue][]) {
        expect(empty.find("t1", [column], [value])).toBeNull();
      }
    });

    it("finds each of many values, and returns the first row of each", () => {
      const rows = Array.from({ length: 5000 }, (_, at) => [`text ${at % 1700}`, at % 900, (at % 300) / 7]);
      const many = opened([
        { table_name: "m", column_name: ["t", "i", "f"], column_type: ["string", "int", "float"], row_data: rows },
      ]);
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

    it("finds texts with any characters and of any length", () => {
      const texts = ["", "é", "水位 é 😀", "x".repeat(200), `${"é".repeat(100)}\n"`, "a\0b", "a\0c", "\0", "a"];
      const its = opened([
        {
          table_name: "t",
          column_name: ["s", "n"],
          column_type: ["string", "int"],
          row_data: texts.map((s, n) => [s, n]),
        },
      ]);
      for (const [n, s] of texts.entries()) expect(found(its, "t", ["s"], [s])).toEqual({ s, n });
    });

    it("returns the first matching row, also when most rows share a value", () => {
      const rows = Array.from({ length: 6000 }, (_, at) => [at % 2 === 0, at % 3000, `k${at % 5}`]);
      const its = opened([
        { table_name: "b", column_name: ["b", "n", "k"], column_type: ["bool", "int", "string"], row_data: rows },
      ]);
      expect(found(its, "b", ["b"], [false])).toEqual({ b: false, n: 1, k: "k1" });
      expect(found(its, "b", ["b", "n"], [false, 2999])).toEqual({ b: false, n: 2999, k: "k4" });
      expect(found(its, "b", ["k", "b"], ["k4", false])).toEqual({ b: false, n: 9, k: "k4" });
      expect(its.find("b", ["b", "n"], [true, 2999])).toBeNull();
    });

    it("returns the right row of a table with two rows", () => {
      const its = opened([
        {
          table_name: "t",
          column_name: ["b", "s", "n"],
          column_type: ["bool", "string", "int"],
          row_data: [
            [true, "x", 1],
            [false, "y", 0],
          ],
        },
      ]);
      for (const [b, s, n] of [
        [true, "x", 1],
        [false, "y", 0],
      ] as const) {
        expect(found(its, "t", ["b"], [b])).toEqual({ b, s, n });
        expect(found(its, "t", ["s"], [s])).toEqual({ b, s, n });
        expect(found(its, "t", ["n"], [n])).toEqual({ b, s, n });
        expect(found(its, "t", ["n", "b", "s"], [n, b, s])).toEqual({ b, s, n });
      }
      expect(its.find("t", ["b", "n"], [true, 0])).toBeNull();
    });

    it("distinguishes tables and columns by their exact names, with any characters", () => {
      const names = [
        "a",
        "A",
        'x"; DROP TABLE rows_0; --',
        "select",
        "sqlite_master",
        "b c",
        "é",
        "a\0",
        "rowid",
        "catalogue",
      ];
      const its = opened(
        names.map((table_name, t) => ({
          table_name,
          column_name: names,
          column_type: names.map(() => "int"),
          row_data: [names.map((_, c) => t * 100 + c)],
        })),
      );
      for (const [t, table] of names.entries()) {
        const row = Object.fromEntries(names.map((name, c) => [name, t * 100 + c]));
        for (const [c, column] of names.entries()) expect(found(its, table, [column], [t * 100 + c])).toEqual(row);
      }
      expect(its.find("a' OR 1=1 --", ["a"], [0])).toBeNull();
      expect(its.find("a", ["a = a --"], [0])).toBeNull();
      expect(its.find("a", ["A"], [0])).toBeNull();
    });

    it("keeps floats that are whole, negative zero, NaN or infinite", () => {
      const cells = [5, "-0.0", "NaN", "Inf", "-Inf", 1e300, 0.1];
      const its = opened([
        {
          table_name: "t",
          column_name: ["f", "n"],
          column_type: ["float", "int"],
          row_data: cells.map((cell, n) => [cell, n]),
        },
      ]);
      const floats = [5, -0, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e300, 0.1];
      for (const [n, float] of floats.entries()) {
        expect(found(its, "t", ["n"], [n])).toEqual({ f: { float }, n });
        expect(found(its, "t", ["f"], [new Float(float)])).toEqual(Number.isNaN(float) ? null : { f: { float }, n });
      }
      expect(found(its, "t", ["f"], [0])).toEqual({ f: { float: -0 }, n: 1 });
    });

    it("is exact for an int in a float column, and for a float in an int column", () => {
      const its = opened([
        {
          table_name: "t",
          column_name: ["f", "i"],
          column_type: ["float", "int"],
          row_data: [
            [9007199254740992, "9007199254740993"],
            [3, 9007199254740992],
          ],
        },
      ]);
      expect(found(its, "t", ["f"], [3])).toEqual({ f: { float: 3 }, i: 9007199254740992n });
      expect(found(its, "t", ["i"], [new Float(2 ** 53)])).toEqual({ f: { float: 3 }, i: 9007199254740992n });
      expect(found(its, "t", ["i"], [9007199254740993n])).toEqual({ f: { float: 2 ** 53 }, i: 9007199254740993n });
      expect(its.find("t", ["i"], [new Float(1e30)])).toBeNull();
      expect(its.find("t", ["f"], [null])).toBeNull();
    });

    it("is not disturbed by a table that was given twice", () => {
      const table = (n: number, rows: number) => ({
        table_name: "t",
        column_name: ["a"],
        column_type: ["int"],
        row_data: Array.from({ length: rows }, () => [n]),
      });
      const its = opened([table(1, 3000), table(2, 3000), { ...table(3, 1), table_name: "u" }]);
      expect(found(its, "t", ["a"], [1])).toEqual({ a: 1 });
      expect(its.find("t", ["a"], [2])).toBeNull();
      expect(found(its, "u", ["a"], [3])).toEqual({ a: 3 });
    });

    it("uses the last list of rows when a table has two lists", () => {
      const rows = (n: number) => JSON.stringify(Array.from({ length: 3000 }, (_, at) => [n + at]));
      const its = open(
        `[{"table_name":"t","column_name":["a"],"column_type":["int"],"row_data":${rows(0)},"row_data":${rows(10000)}}]`,
      )!;
      expect(its.find("t", ["a"], [5])).toBeNull();
      expect(found(its, "t", ["a"], [10005])).toEqual({ a: 10005 });
    });
  });

  describe(`${store}: a cell`, () => {
    const cell = (type: string, text: string): unknown => {
      const document = `[{"table_name":"x","column_name":["c","n"],"column_type":["${type}","int"],"row_data":[[${text},1]]}]`;
      const tables = open(document);
      return tables === null ? "refused" : plain(tables.find("x", ["n"], [1])![0]!.value);
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
    ])("of type %s is converted or refused: %s", (type, text, expected) => {
      expect(cell(type, text)).toEqual(expected);
    });

    it("beyond the safe integers is found exactly", () => {
      const rows = [[9007199254740992], ["9007199254740993"], [-5]];
      const its = opened([{ table_name: "x", column_name: ["c"], column_type: ["int"], row_data: rows }]);
      expect(found(its, "x", ["c"], [9007199254740993n])).toEqual({ c: 9007199254740993n });
      expect(found(its, "x", ["c"], [new Float(-5)])).toEqual({ c: -5 });
      expect(its.find("x", ["c"], [9007199254740994n])).toBeNull();
    });
  });
}
