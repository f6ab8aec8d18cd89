// Properties of the DQL parser that must hold for every string: the parser accepts or refuses the string and
// never crashes, and its work grows linearly with the length of the string.

import fc from "fast-check";
import { DqlError, memoryEngine, type Row, readRequest, runQuery } from "../../lib/dql/index.ts";
import { parse } from "../../lib/dql/syntax/grammar.js";
import { isKeyword } from "../../lib/dql/syntax/keywords.ts";
import { bytesText, durationNs, numberOf, stringText } from "../../lib/dql/syntax/literals.ts";
import { parseStatement } from "../../lib/dql/syntax/parse.ts";
import { divisionByZero } from "../../lib/dql/syntax/zero-divisor.ts";
import { printQuery } from "./dql-print.ts";
import { queries } from "./dql-statements.ts";
import type { Property } from "./properties.ts";
import { ensure } from "./same.ts";

const now = 1_672_531_800_000;
const rows: readonly Row[] = Array.from({ length: 6 }, (_, at) => ({
  ...{ time: BigInt(now - at * 60_000) * 1_000_000n, name: at % 2 ? "a" : "cpu", docid: `L${at}` },
  ...{ index: "default", received: now, tags: new Map([["host", `h${at % 2}`]]) },
  fields: new Map<string, Row["fields"] extends ReadonlyMap<string, infer Value> ? Value : never>([
    ["a", BigInt(at)],
    ["b", at / 2],
    ["message", "GET /a 200"],
  ]),
}));
const engine = memoryEngine(() => rows);

const words =
  "a b cpu host message `a b` `#1` * ( ) [ ] { } , ; : :: . @ = != > >= < <= =~ !~ == + - * / % ^ && || ! & | # ' \" ` \\ ~ 1 0 2.5 .5 1e3 0x1f 007 9223372036854775808 1h 5m 1m30s 5m1h 12abc inf nan true false nil 'x' \"y\" re('a') re`.*` RE('(') b64'YQ==' b64'*' and or not as asc auto by desc distinct filter group having identifier('q') in limit linear link notin offset order previous slimit soffset sorder tz('+8') with match notmatch today now M:: L:: O:: T:: X:: show_measurement() eval count avg( sum( max( last( top( fill( percentile( histogram( distinct( regexp_extract( derivative( wildcard('*') match('a') query_string('a OR -b') exists() cidr('::/0') 温度 👍 \u0000 \ud800 2023-01-01 10m::1m BY LIMIT".split(
    " ",
  );
const statements = [
  "M::cpu:(avg(a) AS x, max(b) - min(b)) {host = 'h1', a > 1 OR NOT b IN [1, nil]} [10m::1m] BY host HAVING x > 1 ORDER BY time ASC LIMIT 5",
  "L::re(`.*`):(count(*)) {message = match('get') AND message != re('x+')} [10m::2m] BY host SORDER BY host DESC SLIMIT 3 SOFFSET 1",
  "M::(M::cpu:(sum(a) AS s) [10m] BY host):(fill(avg(s), LINEAR)) [10m::1m:avg]",
  "L::a,cpu:(top(b, 2), message, regexp_extract(message, '[A-Z]+') AS m) {message = query_string('get -post')} [2023-01-01 00:00:00:]",
  "eval(A.x / B.y, A='M::cpu:(avg(a) AS x) [10m::1m]', B='M::cpu:(max(b) AS y) [10m::1m]')",
  "difference(dql=`M::cpu:(a) [10m] LIMIT 3`).abs()",
  "O::*:(`*`) [today:now] LIMIT 2 OFFSET 1 tz('Asia/Shanghai')",
];

const soup = fc.array(fc.constantFrom(...words), { maxLength: 40 }).map((list) => list.join(" "));
const glued = fc.array(fc.constantFrom(...words), { maxLength: 25 }).map((list) => list.join(""));
const mutated = fc
  .tuple(
    fc.constantFrom(...statements),
    fc.array(fc.tuple(fc.nat(), fc.nat(6), fc.constantFrom(...words)), { minLength: 1, maxLength: 4 }),
  )
  .map(([statement, changes]) =>
    changes.reduce((text, [place, gone, word]) => {
      const at = place % (text.length + 1);
      return text.slice(0, at) + word + text.slice(at + gone);
    }, statement),
  );
/** A query whose condition repeats one fragment many times, with or without the same number of closing brackets. */
const repeated = fc
  .tuple(
    fc.constantFrom(
      ..."( [ { - + ! NOT f(a= f(x, a+ a^ a/ a.b. a=1, a=1|| (M:: ` ' ; 1 1s # \\ , [1,".split(" "),
      "a OR ",
    ),
    fc.constantFrom(1, 50, 101, 600, 20_000),
    fc.constantFrom("", "a", "!", ")"),
    fc.constantFrom("", ")", "]", "}"),
  )
  .map(([piece, count, middle, end]) => `M::cpu {${`${piece} `.repeat(count)}${middle}${end.repeat(count)}`);

/** Pairs of fragments that can be nested inside each other: the opening fragment and the closing one. */
const growing: readonly (readonly [string, string])[] = [
  ...([
    ["(", ")"],
    ["[", "]"],
    ["f(", ")"],
    ["f(a=", ")"],
    ["f(x, a = ", " as y)"],
    ["a in (", ")"],
    ["a and (", ")"],
  ] as const),
  ...([
    ["not ", ""],
    ["-", ""],
    ["a ^ ", ""],
    ["a + ", ""],
    ["a or ", ""],
    ["a, ", ""],
    ["a in [b, ", "]"],
  ] as const),
  ...([
    ["(M::a:(", "))"],
    ["count(distinct(", "))"],
    ["max(a) {", "}"],
  ] as const),
];

/**
 * Returns how many times the parser asks whether a word is a keyword, as a measure of its work. When the parser
 * reads a part of the text again, the words in this part count again.
 */
function worked(source: string): number {
  let asked = 0;
  const counting = (word: string) => {
    asked++;
    return isKeyword(word);
  };
  try {
    parse(source, { startRule: "Start", words: { bytesText, durationNs, isKeyword: counting, numberOf, stringText } });
  } catch (error) {
    if (error instanceof RangeError) throw error;
  }
  return asked;
}

/** Returns the syntax tree without source positions, with the members of each node in sorted order. */
function bare(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(bare);
  if (typeof node !== "object" || node === null) return node;
  const members = Object.entries(node).filter(([key]) => key !== "at");
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, value]) => [key, bare(value)]));
}

/** Returns the error message for a query that the parser refuses; empty when the query can be parsed. */
function refusalOf(query: string): string {
  try {
    parseStatement(query);
    return "";
  } catch (error) {
    if (!(error instanceof DqlError)) throw error;
    return error.message;
  }
}

export const dqlProperties: readonly Property[] = [
  {
    name: "a statement made by the rules of the grammar is read as it was made, and answered or refused with a reason",
    runs: 500,
    property: fc.asyncProperty(queries, async (made) => {
      const query = printQuery(made);
      if (divisionByZero(made) !== undefined) {
        ensure(/division or modulo by zero$/.test(refusalOf(query)), query);
        return;
      }
      const [wanted, given] = [made, parseStatement(query)].map((each) => fc.stringify(bare(each)));
      ensure(given === wanted, `${query}\nmade: ${wanted}\nread: ${given}`);
      try {
        await runQuery(readRequest({ queries: [{ query }] }).queries[0]!, engine, { now });
      } catch (error) {
        if (!(error instanceof DqlError) || error.message === "") throw error;
      }
    }) as fc.IRawProperty<unknown>,
  },
  {
    name: "any text is a question that is answered, or refused with a reason",
    runs: 500,
    property: fc.asyncProperty(fc.oneof(soup, glued, mutated, mutated, repeated, fc.string()), async (query) => {
      for (const member of [{ query }, { query: "M::cpu", conditions: query }]) {
        try {
          const { queries } = readRequest({ queries: [member] });
          await runQuery(queries[0]!, engine, { now });
        } catch (error) {
          if (!(error instanceof DqlError)) throw error;
          if (error.message === "") throw new Error("refused without a reason");
        }
      }
    }) as fc.IRawProperty<unknown>,
  },
  {
    name: "reading a question takes as much work as it is long",
    runs: 100,
    property: fc.property(
      fc.constantFrom(...growing),
      fc.integer({ min: 5, max: 45 }),
      fc.constantFrom("", "!", "a", "a b"),
      ([open, close], depth, middle) => {
        const work = (count: number) => worked(`M::cpu:(${open.repeat(count)}${middle}${close.repeat(count)})`);
        // When a fragment is repeated twice as often, the parser may take at most twice the steps. The text around the
        // repeated fragments occurs only once and may take up to 50 steps in addition.
        const [once, twice] = [work(depth), work(2 * depth)];
        ensure(twice <= 2 * once + 50, `${open} ${depth} times: ${once}, twice as often: ${twice}`);
      },
    ),
  },
];
