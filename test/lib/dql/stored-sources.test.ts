// A query returns a warning about each of its sources that no stored point has. When 20,000 sources are stored,
// this check must need few queries to the store, and the answers of the store must stay small.

import { expect, it } from "vitest";
import { type Engine, memoryEngine, plainQuery, type Row, runQuery } from "../../../lib/dql/index.ts";

const now = 1_700_000_000_000;

const span = (service: string, at: number): Row => ({
  time: BigInt(now - at) * 1_000_000n,
  name: "spans",
  docid: `S${String(at).padStart(6, "0")}`,
  index: "default",
  received: now,
  tags: new Map([["service", service]]),
  fields: new Map(),
});

/**
 * One span for each service. The span of each service is older than that of the service before, so the last service has
 * only one very old point.
 */
const rows = Array.from({ length: 20_000 }, (_, at) => span(`service-${at}`, at));

/** Runs a query. Returns its warnings, and the number of rows in each answer of the store. */
async function asked(statement: string) {
  const memory = memoryEngine((category) => (category === "tracing" ? rows : []));
  const answers: number[] = [];
  const engine: Engine = {
    ...memory,
    answer: async (query, scope) => {
      const answer = await memory.answer(query, scope);
      answers.push(answer.series.reduce((sum, { values }) => sum + values.length, 0));
      return answer;
    },
  };
  const { warnings } = await runQuery(plainQuery(statement), engine, { now });
  return { warnings, answers };
}

it("sends no further query to the store for a source that has points", async () => {
  expect(await asked("T::`service-7`:(count(*))")).toEqual({ warnings: [], answers: [1] });
});

it("reads at most 1,000 points to find a source with a similar name", async () => {
  expect(await asked("T::`servise-7`:(count(*))")).toEqual({
    warnings: ['no stored point of T has the source "servise-7"; did you mean "service-7"?'],
    answers: [0, 0, 1000],
  });
});

it("finds a source that only old points have", async () => {
  const { warnings, answers } = await asked("T::`service-19999`,`servise-7`:(count(*))");
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toMatch(/^no stored point of T has the source "servise-7"; did you mean /);
  expect(answers).toEqual([1, 1, 1000]);
});
