// The words that a completion offers at the cursor. In the test queries, `|` marks the cursor.

import { expect, it } from "vitest";
import { type DqlNames, dqlCompletions } from "../../../lib/dql/index.ts";

const stored: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  M: { cpu: ["host", "usage_total", "by"], "my disk": ["used", "a`b"], memory: ["used"] },
  L: { nginx: ["message", "status_code"] },
};

const names: DqlNames = {
  sources: async ({ short }) => Object.keys(stored[short] ?? {}),
  keys: async ({ short }, sources) =>
    Object.entries(stored[short] ?? {}).flatMap(([source, keys]) =>
      sources.length === 0 || sources.includes(source) ? keys : [],
    ),
};

/** Returns the query with the word at the cursor replaced by each of its completions. */
async function completed(text: string): Promise<string[]> {
  const before = text.replace("|", "");
  const { from, items } = await dqlCompletions(before, names);
  return items.map((item) => before.slice(0, from) + item.text);
}

it.each<[string, readonly string[]]>([
  ["M::|", ["M::cpu", "M::`my disk`", "M::memory"]],
  ["M::m|", ["M::memory", "M::`my disk`"]],
  ["m::cpu,m|", ["m::cpu,memory", "m::cpu,`my disk`"]],
  ["metric::`my|", ["metric::`my disk`"]],
  ["L::|", ["L::nginx"]],
  ["L('default')::n|", ["L('default')::nginx"]],
  ["M::cpu:(us|", ["M::cpu:(usage_total"]],
  ["M::cpu:(last(us|", ["M::cpu:(last(usage_total"]],
  ["M::cpu:(avg(usage_total), b|", ["M::cpu:(avg(usage_total), `by`", "M::cpu:(avg(usage_total), bottom("]],
  ["M::`my disk`:(`a|", ['M::`my disk`:(`identifier("a`b")`']],
  ["cpu:(usa|", ["cpu:(usage_total"]],
  ["M::cpu:(hist|", []],
  ["L::nginx:(hist|", ["L::nginx:(histogram("]],
  ["L::nginx {sta|", ["L::nginx {status_code"]],
  ["L::nginx {message = wil|", ["L::nginx {message = wildcard("]],
  ["L::nginx {message = 'st|", []],
  ["L::nginx {status_code = 200} [1h] BY sta|", ["L::nginx {status_code = 200} [1h] BY status_code"]],
  ["L::nginx B|", ["L::nginx BY"]],
  [
    "L::nginx:(count(*)) [1h] BY message SO|",
    ["SORDER BY", "SOFFSET"].map((word) => `L::nginx:(count(*)) [1h] BY message ${word}`),
  ],
  ["M::cpu [1h::au|", ["M::cpu [1h::auto"]],
  ["M::cpu:(avg(used)) [1h::1m:ir|", ["M::cpu:(avg(used)) [1h::1m:irate"]],
  ["M::(L::nginx:(mes|", ["M::(L::nginx:(message"]],
  ["M::cpu {host IN (L::nginx:(stat|", ["M::cpu {host IN (L::nginx:(status_code"]],
  ["M::cpu ORDER BY us|", ["M::cpu ORDER BY usage_total"]],
  ["M::cpu LIMIT |", []],
  ["show_meas|", ["show_measurement("]],
  ["ev|", ["eval("]],
  ["M::cpu; L::n|", ["M::cpu; L::nginx"]],
  ["M::cpu # L::n|", []],
  ["M::cpu FI|", ["M::cpu FILTER"]],
  ["M::cpu LINK L|", ["M::cpu LINK L::"]],
  ["M::cpu LINK L::n|", ["M::cpu LINK L::nginx"]],
  ["M::cpu LINK L::nginx:(mes|", ["M::cpu LINK L::nginx:(message"]],
  ["M::cpu LINK L::nginx WI|", ["M::cpu LINK L::nginx WITH"]],
  ["M::cpu WI|", []],
  ["M::cpu LINK L::nginx WITH {ho|", ["M::cpu LINK L::nginx WITH {host"]],
  ["M::cpu LINK L::nginx WITH {host = mes|", ["M::cpu LINK L::nginx WITH {host = message"]],
  ["M::cpu LINK L::nginx WITH {host = message} BY us|", ["M::cpu LINK L::nginx WITH {host = message} BY usage_total"]],
  [
    "M::cpu FILTER (L::nginx:(message)) WITH {host = sta|",
    ["M::cpu FILTER (L::nginx:(message)) WITH {host = status_code"],
  ],
  ["M::cpu FILTER (L::nginx:(mes|", ["M::cpu FILTER (L::nginx:(message"]],
  ["M::cpu FILTER (L::nginx:(message)) WI|", ["M::cpu FILTER (L::nginx:(message)) WITH"]],
])("%s", async (text, wanted) => {
  expect(new Set(await completed(text))).toEqual(new Set(wanted));
});

it("offers namespaces and functions at the beginning of a query", async () => {
  const { items } = await dqlCompletions("", names);
  expect(items.map(({ text }) => text)).toEqual(
    expect.arrayContaining(["M::", "L::", "show_logging_source(", "cumsum("]),
  );
});

it("returns a start position at or before the cursor for every prefix of a query", async () => {
  const text =
    "M::(L::`a`:(count(*) AS n) {a = re('x') OR b IN [1, 'y']} [1h::5m:avg] BY a HAVING n > 1):(max(n)); eval(A.x, A='M::cpu')";
  for (let at = 0; at <= text.length; at++) {
    const { from } = await dqlCompletions(text.slice(0, at), names);
    expect(from).toBeLessThanOrEqual(at);
  }
});
