// Messages and positions of the errors in refused queries (docs/errors.md#queries).

import { expect, it } from "vitest";
import {
  memoryEngine,
  parseConditions,
  parseStatement,
  plainQuery,
  readRequest,
  runQuery,
} from "../../../lib/dql/index.ts";
import { now } from "./sample-data.ts";

const engine = memoryEngine(() => []);

it.each([
  ["{a = }", '1:6 parse error: unexpected: "}"'],
  ["{a = 'x'", "1:9 parse error: unclosed left brace"],
  ["{ a = 12abc }", '1:7 parse error: bad duration: "12"'],
  ["{ host = cloudserver01andmore more }", '1:31 parse error: unexpected: id "more"'],
  ["{ by = 1 }", "1:3 parse error: unexpected: <by>"],
  ["{ a = 'x' b = 'y' }", '1:11 parse error: unexpected: id "b"'],
  ["{\n a = 1,\n  = 2 }", '3:3 parse error: unexpected: "="'],
  ["{a = 1) ", "1:8 parse error: unexpected right parenthesis ')'"],
])("rejects the conditions %s", (conditions, message) => {
  expect(() => parseConditions(conditions)).toThrow(new RegExp(`^conditions: ${escaped(message)}$`));
});

it.each([
  ["M::cpu LIMIT -1", "1:14 parse error: unexpected: <op:'-'>"],
  ["M::ops-tools", "1:7 parse error: unexpected: <op:'-'>"],
  ["M::cpu:(a", "1:10 parse error: unclosed left parenthesis"],
  ["", "1:1 parse error: unexpected: end of input"],
  ["M::cpu:(a) [5m", "1:15 parse error: unclosed left bracket"],
  ["M::cpu {a = 'x}", "1:13 parse error: unterminated quoted string"],
  ["M::`cpu", "1:4 parse error: unterminated raw string"],
  ["M::cpu {a = '\\q'}", "1:13 parse error: unknown escape sequence U+0071 'q'"],
  ["M::cpu [1m5h]", '1:9 parse error: bad duration: "1m5h"'],
  ["M::cpu {a = 1 & b = 2}", "1:15 parse error: unexpected character `'&'' after `!'"],
  ["M::cpu ~", "1:8 parse error: unexpected character: '~'"],
  ["M::cpu:(a / 0)", "1:13 parse error: division or modulo by zero"],
  ["M::cpu {a = b64'***'}", "1:13 parse error: invalid base64 string"],
  ["M::温度:(a b)", '1:14 parse error: unexpected: id "b"'],
  // In a query that ends too early, the error is at the end of the query.
  ["M::cpu BY", "1:10 parse error: unexpected: end of input"],
  ["M::cpu BY  # and", "1:17 parse error: unexpected: end of input"],
  ["M::cpu:(a) BY host,", "1:20 parse error: unexpected: end of input"],
  ["M::cpu ORDER", "1:13 parse error: unexpected: end of input"],
  ["M::cpu ORDER BY", "1:16 parse error: unexpected: end of input"],
  ["M::cpu ORDER BY\n  ", "2:3 parse error: unexpected: end of input"],
  ["M::cpu SORDER BY", "1:17 parse error: unexpected: end of input"],
  ["M::cpu LIMIT", "1:13 parse error: unexpected: end of input"],
  ["M::cpu SLIMIT ", "1:15 parse error: unexpected: end of input"],
  ["M::cpu:(a AS", "1:13 parse error: unclosed left parenthesis"],
  ["M::cpu:(a) HAVING", "1:18 parse error: unexpected: end of input"],
  ["M::cpu:(a) HAVING a >", "1:22 parse error: unexpected: end of input"],
  ["M::cpu:(a) HAVING a > 1 AND", "1:28 parse error: unexpected: end of input"],
  ["M::cpu:(a) HAVING NOT", "1:22 parse error: unexpected: end of input"],
  ["M::cpu:(a) HAVING a IN", "1:23 parse error: unexpected: end of input"],
  ["M::cpu:", "1:8 parse error: unexpected: end of input"],
  ["M::", "1:4 parse error: unexpected: end of input"],
  ["M::cpu tz", "1:10 parse error: unexpected: end of input"],
  ["M::cpu FILTER", "1:14 parse error: unexpected: end of input"],
  ["M::cpu LINK M::a WITH", "1:22 parse error: unexpected: end of input"],
  // The parser refuses a keyword at a place where it expects a name.
  ["M::by", "1:4 parse error: unexpected: <by>"],
  ["M::cpu BY by", "1:11 parse error: unexpected: <by>"],
  ["M::cpu:a BY limit", "1:13 parse error: unexpected: <limit>"],
  ["M::cpu [::1mo2]", '1:11 parse error: bad duration: "1"'],
  ["M::cpu [1mo]", '1:9 parse error: unexpected: duration "1mo"'],
  ["M::cpu [::1mo1y]", '1:11 parse error: bad duration: "1mo1y"'],
])("rejects the statement %s", (statement, message) => {
  expect(() => parseStatement(statement)).toThrow(new RegExp(`^${escaped(message)}$`));
});

it.each([
  ["M::a; M::b", "only one statement allowed, got 2"],
  ["X::cpu", 'unknown namespace "X"'],
  ["F::cpu", "namespace func is not supported"],
  ["M::cpu:(foo(a))", 'unknown function "foo"'],
  ["M::cpu:(histogram(a, 0, 1, 1))", 'function "histogram" not supported in namespace "M"'],
  ["L::a:(derivative(a))", 'function "derivative" not supported in namespace "L"'],
  ["M::cpu:(avg(a, b))", 'function "avg" expects 1 arguments, got 2'],
  [
    "M::cpu:(fill(avg(a)))",
    "fill function only accept 2 parameter, left value and (Nil,NumberLiteral,StringLiteral,PREVIOUS,LINEAR)",
  ],
  [
    "M::cpu:(fill(avg(a), b))",
    "unknown fill function parameter, only accept (Nil,NumberLiteral,StringLiteral,PREVIOUS,LINEAR)",
  ],
  ["M::cpu:(abs(fill(avg(a), 1)))", "fill must be outermost"],
  ["M::cpu {a = re('(')}", "invalid regex: error parsing regexp: missing closing ): `(`: ("],
  ["M::cpu [5m:10m]", "time range: start must be before end"],
  ["M::cpu [2y]", "time range should less than 8760h0m0s"],
  ["M::cpu:(avg(a)) [10m::1m:foo]", 'unknown rollup function "foo"'],
  ["M::cpu:(avg(a)) [10m:::avg]", "rollup requires interval"],
  ["M::cpu:(a > 1)", "boolean expression not allowed in target"],
  ["M::cpu:(a and b)", "boolean expression not allowed in target"],
  ["M::cpu:(percentile(a, 101))", "percentile must be between 0 and 100"],
  ["M::cpu:(first(time))", "first does not take the column time"],
  ["M::cpu LIMIT 100001", "limit out of range, max 100000"],
  ["M::cpu:(avg(a)) [1d::1h] tz('Mars/Phobos')", 'unknown timezone "Mars/Phobos"'],
  ["nothing(`M::cpu`)", 'unknown function "nothing"'],
  ["eval(A.a, A='M::cpu').abs()", "eval cannot be followed by another function"],
])("rejects the query %s", async (statement, reason) => {
  await expect(runQuery(plainQuery(statement), engine, { now })).rejects.toThrow(
    new RegExp(`^parse error: ${escaped(reason)}$`),
  );
});

it("reports a duplicate clause at the position of the second one", async () => {
  const run = runQuery(plainQuery("M::cpu LIMIT 1 LIMIT 2"), engine, { now });
  await expect(run).rejects.toThrow(/^1:16 parse error: duplicate LIMIT clause$/);
});

it("accepts nesting of 90 levels and refuses 100,000 levels", () => {
  const nested = (depth: number) => `M::cpu:(${"(".repeat(depth)}a${")".repeat(depth)})`;
  expect(parseStatement(nested(90)).type).toBe("query");
  expect(() => parseStatement(nested(100_000))).toThrow("nesting too deep");
});

it.each([
  [{ queries: [{ query: 1 }] }, "queries[0].query is not a string"],
  [{ queries: [{ query: "M::a", limit: 1.5 }] }, "queries[0].limit is not a whole number"],
  [{ queries: {} }, "queries is not a list"],
  [{ queries: [] }, "no query"],
  [[], "the body is not an object"],
])("rejects the request %j", (body, message) => {
  expect(() => readRequest(body)).toThrow(message);
});

it("treats null members of a request as absent, and ignores unknown members", () => {
  const { queries } = readRequest({
    queries: [{ query: "M::a", limit: null, slimit: 0, what: {} }],
    echo_explain: true,
  });
  expect(queries[0]).toMatchObject({ limit: null, slimit: null, echoExplain: true });
});

function escaped(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}]/g, "\\$&");
}
