// Tests how SQL is generated: each SQL dialect quotes names in one function, and passes the strings of a query
// as SQL parameters.

import { describe, expect, it } from "vitest";
import { clickhouse } from "../../../lib/dql/sql/clickhouse.ts";
import type { Dialect } from "../../../lib/dql/sql/dialect.ts";
import { duckdb } from "../../../lib/dql/sql/duckdb.ts";
import { inlined, joined, raw, sql, written } from "../../../lib/dql/sql/fragment.ts";

const shown = (fragment: ReturnType<typeof raw>) => written(fragment, (value, at) => `<${at}:${typeof value}>`);

describe("names", () => {
  it.each([
    [duckdb, "plain", '"plain"'],
    [duckdb, 'a"b', '"a""b"'],
    [duckdb, '"; DROP TABLE x; --', '"""; DROP TABLE x; --"'],
    [duckdb, "a\\", '"a\\"'],
    [duckdb, "a'b`c", '"a\'b`c"'],
    [clickhouse, "plain", "`plain`"],
    [clickhouse, "a`b", "`a\\`b`"],
    [clickhouse, "a\\", "`a\\\\`"],
    [clickhouse, "\\`; DROP TABLE x; --", "`\\\\\\`; DROP TABLE x; --`"],
    [clickhouse, "a'b\"c", "`a'b\"c`"],
  ] as const)("%#: %o", (dialect: Dialect, name, quoted) => {
    expect(dialect.identifier(name)).toBe(quoted);
  });
});

describe("fragments", () => {
  it("number their parameters in order, whatever the surrounding text contains", () => {
    const fragment = joined([sql`a = ${"?"} AND '?' = b`, raw("c = '<0>?'"), sql`${1n} < ${2.5}`], " AND ");
    expect(fragment.parameters).toEqual(["?", 1n, 2.5]);
    expect(shown(fragment)).toBe("a = <0:string> AND '?' = b AND c = '<0>?' AND <1:bigint> < <2:number>");
  });

  it("keep the order of parameters when one fragment contains another", () => {
    const inner = sql`(${"x"} OR ${true})`;
    expect(shown(sql`${1n} ${inner} ${inner} ${2n}`)).toBe(
      "<0:bigint> (<1:string> OR <2:boolean>) (<3:string> OR <4:boolean>) <5:bigint>",
    );
  });

  it("double the quotes of text values when they are shown to people", () => {
    expect(inlined(sql`a = ${"it's ?"} AND b = ${3n}`)).toBe("a = 'it''s ?' AND b = 3");
  });
});

describe("keys of points in ClickHouse", () => {
  it("are sent as parameters, also when they contain quotes", () => {
    const key = "'] OR 1=1 --";
    const fragment = clickhouse.value({ key, kind: "int", column: "ints" });
    expect(fragment.texts.join("")).not.toContain("OR");
    expect(fragment.parameters).toEqual([key, key]);
  });

  it("are read one by one up to eight keys of a map; for more keys the whole map is read", () => {
    const columns = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ key: `k${at}`, kind: "float" as const, column: "floats" }));
    expect(clickhouse.reader(columns(8)).select).toHaveLength(8);
    const many = clickhouse.reader(columns(9));
    expect(many.select.map(shown)).toEqual(["floats"]);
    const values: unknown[] = [];
    many.read(
      [
        "before",
        new Map([
          ["k3", 1.5],
          ["other", 2],
        ]),
      ],
      1,
      ({ key }, value) => values.push([key, value]),
    );
    expect(values).toEqual([["k3", 1.5]]);
  });
});
