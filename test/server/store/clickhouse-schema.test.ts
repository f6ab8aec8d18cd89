// The SQL statements that make the ClickHouse tables equal those in the documentation, and the URL of a ClickHouse
// server is parsed strictly.

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { bytesIn } from "../../../server/store/bytes-in.ts";
import { serverAddress } from "../../../server/store/clickhouse/connection.ts";
import { schemaStatements } from "../../../server/store/clickhouse/schema.ts";
import { decoderOf, parameterType } from "../../../server/store/clickhouse/values.ts";

/** Normalizes white space: a single space between words, and none around brackets and commas. */
const plain = (text: string) => text.replace(/\s+/g, " ").replace(/\s?([(),])\s?/g, "$1");

it("the documentation shows the log tables of a cluster as they are created", () => {
  const page = plain(readFileSync(new URL("../../../docs/scaling.md", import.meta.url), "utf8"));
  const statements = schemaStatements({ database: "millrace", cluster: "main" });
  const shown = statements.filter((statement) => statement.includes("points_logging"));
  expect(shown).toHaveLength(2);
  for (const statement of shown) expect(page).toContain(`${plain(statement)};`);
});

it("existing tables are not created again", () => {
  const all = schemaStatements({ database: "d", cluster: "" });
  const some = schemaStatements({ database: "d", cluster: "" }, new Set(["keys", "points_metric"]));
  expect(some).toHaveLength(all.length - 2);
  expect(some.join("\n")).not.toMatch(/`keys`|`points_metric`/);
});

it.each([
  ["clickhouse://ch:8123", "http://ch:8123", "default", "", "millrace"],
  ["clickhouses://u:p%40ss@ch:8443/points", "https://ch:8443", "u", "p@ss", "points"],
  ["clickhouse://u@[::1]:8123/a%60b", "http://[::1]:8123", "u", "", "a`b"],
])("%s", (text, url, username, password, database) => {
  expect(serverAddress(text)).toEqual({ url, username, password, database });
});

it.each(["ch:8123", "http://ch:8123/x", "clickhouse:///db", "clickhouse://ch/a/b", "clickhouse://ch/a%2Fb"])(
  "refuses %s without showing a password",
  (text) => {
    expect(() => serverAddress(text)).toThrow(/^platform\.store\.url: /);
  },
);

it("a refused address does not show its password", () => {
  expect(() => serverAddress("http://user:hidden@ch:8123/x")).toThrow(/^(?!.*hidden)/);
});

it.each([
  ["", 0],
  ["1GB", 1e9],
  ["512MiB", 2 ** 29],
  ["1.5 kb", 1500],
  ["100", 100],
])("memory %o is %d bytes", (text, bytes) => {
  expect(bytesIn(text)).toBe(bytes);
});

it("a memory limit that is no size is refused", () => {
  expect(() => bytesIn("much")).toThrow('platform.memory_limit: "much" is no size');
});

it("parameters have a type that can hold their value", () => {
  const values = ["x", true, 1.5, 1n, 2n ** 63n - 1n, 2n ** 63n, -(2n ** 64n), 2n ** 127n];
  expect(values.map(parameterType)).toEqual([
    ...["String", "Bool", "Float64", "Int64", "Int64", "Int128", "Int128", "Int256"],
  ]);
});

it.each([
  ["Int64", "-9223372036854775808", -(2n ** 63n)],
  ["UInt8", 7, 7n],
  ["Nullable(Int128)", "18446744073709551615", 2n ** 64n - 1n],
  ["Nullable(Int128)", null, null],
  ["Float64", "-inf", Number.NEGATIVE_INFINITY],
  ["Float64", "-nan", Number.NaN],
  ["LowCardinality(Nullable(String))", "x", "x"],
  [
    "Map(LowCardinality(String), UInt64)",
    { a: "1", __proto__x: "2" },
    new Map([
      ["a", 1n],
      ["__proto__x", 2n],
    ]),
  ],
])("decodes %s from %o", (type, json, value) => {
  expect(decoderOf(type)(json)).toEqual(value);
});

it("an unexpected type is an error", () => {
  expect(() => decoderOf("DateTime")).toThrow("ClickHouse answered with the type DateTime");
});
