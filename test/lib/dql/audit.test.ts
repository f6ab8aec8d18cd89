// Checks that each test query can fail. Its answer must change when there are no points, or when a faulty engine
// ignores or alters a part of the query. In addition, each of the faulty engines must answer at least one test
// query wrongly.

import { expect, it } from "vitest";
import type { Engine } from "../../../lib/dql/index.ts";
import type { ResolvedQuery } from "../../../lib/dql/semantics/resolve.ts";
import { audits, sampleEngine, withoutPoints } from "./audit.ts";
import { statements } from "./statements.ts";
import { answerOf, isAnswer } from "./suite.ts";
import { type Worked, workedSet } from "./worked-set.ts";

const answered = [...workedSet, ...statements].filter(({ error }) => error === undefined);

async function notices(engine: Engine, worked: Worked): Promise<boolean> {
  try {
    return !isAnswer(await answerOf(engine, worked), worked);
  } catch {
    return true;
  }
}

it("the test suite has at least 300 numbered statements besides the worked examples", () => {
  expect(statements.length).toBeGreaterThanOrEqual(300);
  expect(new Set(statements.map(({ number }) => number)).size).toBe(statements.length);
});

it("every test query detects at least one fault, and every fault is detected by at least one test query", async () => {
  const blind: string[] = [];
  const counts = new Map<string, { applied: number; noticed: number }>();
  for (const worked of answered) {
    const asked: ResolvedQuery[] = [];
    const right: Engine = {
      ...sampleEngine,
      answer: (query, scope) => {
        asked.push(query);
        return sampleEngine.answer(query, scope);
      },
    };
    expect(await notices(right, worked)).toBe(false);
    let isNoticed = await notices(withoutPoints, worked);
    for (const { name, engine, breaks } of audits) {
      if (!asked.some(breaks)) continue;
      const noticed = await notices(engine, worked);
      isNoticed ||= noticed;
      const kind = name.replace(/ [0-9]+$/, "");
      const count = counts.get(kind) ?? { applied: 0, noticed: 0 };
      counts.set(kind, count);
      count.applied++;
      if (noticed) count.noticed++;
    }
    if (!isNoticed) blind.push(`${worked.number} ${worked.query}`);
  }
  expect(blind).toEqual([]);
  expect(counts.size).toBe(new Set(audits.map(({ name }) => name.replace(/ [0-9]+$/, ""))).size);
  // A faulty engine may answer some queries correctly, but must answer at least one test query wrongly.
  expect([...counts].filter(([, { noticed }]) => noticed === 0)).toEqual([]);
  const all = [...counts].filter(([kind]) => kind !== "without source").map(([, count]) => count);
  const sum = (of: "applied" | "noticed") => all.reduce((total, count) => total + count[of], 0);
  expect(sum("noticed") / sum("applied")).toBeGreaterThan(0.75);
});
