// Runs the same queries over random data in a database and in memory, and compares the answers.

import { evaluate } from "../../../../lib/dql/evaluate/evaluate.ts";
import {
  DqlError,
  type DqlValue,
  type Engine,
  memoryEngine,
  type Outcome,
  type Row,
  readRequest,
  runQuery,
  valueJson,
} from "../../../../lib/dql/index.ts";
import { docidOf } from "../../../../lib/dql/sql/rows.ts";
import { type CategoryName, categories } from "../../../../lib/point/category.ts";
import type { PointsDatabase } from "../../../../server/store/points-database.ts";
import { Random } from "../../../properties/random.ts";
import { type RandomPoint, randomPoints } from "./rows.ts";
import { differenceOf } from "./same-answer.ts";
import { type RandomQuestion, randomQuestion } from "./statement.ts";

export const epoch = 1_672_531_200_000;
export const now = epoch + 600_000;

/**
 * A database to compare with the evaluator in memory. The database gives each of its points a number: `first` is the
 * number of the first point, and each next number is larger by `step`.
 */
export interface Compared {
  readonly name: string;
  readonly store: Pick<PointsDatabase, "engine" | "ingest">;
  readonly first: bigint;
  readonly step: bigint;
}

interface Engines {
  readonly memory: Engine;
  readonly database: Engine;
}

export interface Counts {
  asked: number;
  /** The number of queries whose answer has rows. */
  answered: number;
  refused: number;
  /** The number of queries for which the database itself computed groups. */
  computed: number;
}

/**
 * Runs random queries in the database and in memory. Returns a description of each difference between the answers. Adds
 * to `counts` how many queries were asked, answered with rows, refused, and computed by the database itself.
 */
export async function compareEngines(
  compared: Compared,
  seed: number,
  questions: number,
  counts: Counts,
): Promise<string[]> {
  const random = new Random(seed);
  const { memory, database } = await filled(compared, `seed${seed}`, random);
  const counting: Engine = {
    ...database,
    answer: async (query, scope) => {
      if ((await database.explain!(query)).way === "groups") counts.computed++;
      return await database.answer(query, scope);
    },
  };
  const engines = { memory, database: counting };
  const differences: string[] = [];
  for (let at = 0; at < questions; at++) {
    const difference = await compare(randomQuestion(random, epoch), engines, counts);
    if (difference !== undefined) differences.push(`${compared.name}, seed ${seed}: ${difference}`);
  }
  return differences;
}

async function filled({ store, first, step }: Compared, workspace: string, random: Random): Promise<Engines> {
  const rows = new Map<CategoryName, (RandomPoint & { readonly sequence: bigint })[]>();
  let sequence = first;
  for (const category of categories) {
    if (random.chance(0.05)) continue;
    const points = randomPoints(random, category, epoch, 25);
    await store.ingest(
      workspace,
      category,
      category,
      points.map(({ point }) => point),
    );
    rows.set(
      category,
      points.map((each, at) => ({ ...each, sequence: sequence + BigInt(at) * step })),
    );
    sequence += BigInt(points.length) * step;
  }
  const rowsOf = (query: Parameters<Engine["answer"]>[0]): Row[] =>
    (rows.get(query.namespace.category) ?? []).map(({ time, name, tags, fields, sequence }) => ({
      ...{ time, name, tags, fields, index: "default", received: now },
      docid: docidOf(query.namespace, time, sequence),
    }));
  const memory = memoryEngine((category) =>
    (rows.get(category) ?? []).map((each) => ({ ...each, index: "default", received: now, docid: "" })),
  );
  return {
    memory: { ...memory, answer: async (query, scope) => evaluate(query, rowsOf(query), scope) },
    database: await store.engine(workspace),
  };
}

async function compare(question: RandomQuestion, engines: Engines, counts: Counts): Promise<string | undefined> {
  let member = question.member;
  // Compares the answers of both engines page after page, up to the empty page after the last one.
  for (let page = 0; page < 20; page++) {
    counts.asked++;
    const [wanted, given] = [
      await outcome(question, member, engines.memory),
      await outcome(question, member, engines.database),
    ];
    const difference =
      typeof wanted === "string" || typeof given === "string"
        ? wanted === given
          ? undefined
          : `${typeof wanted === "string" ? wanted : "an answer"} and ${typeof given === "string" ? given : "an answer"}`
        : (differenceOf(wanted, given) ?? differentWarnings(wanted, given));
    if (difference !== undefined)
      return `in memory and in the database: ${difference}\n${JSON.stringify({ query: question.query, ...member }, (_, value) => (typeof value === "bigint" ? Number(value) : value))}`;
    if (typeof wanted === "string") {
      counts.refused++;
      return undefined;
    }
    if (wanted.series.length > 0) counts.answered++;
    if (wanted.searchAfter === null || wanted.series.length === 0) return undefined;
    // The test sends back the value of `search_after` as a client does: it converts the value to JSON and parses it.
    member = {
      ...member,
      search_after: JSON.parse(`[${wanted.searchAfter.map((each) => valueJson(each as DqlValue))}]`),
    };
  }
  return undefined;
}

function differentWarnings(one: Outcome, other: Outcome): string | undefined {
  const [wanted, given] = [one.warnings.join("; "), other.warnings.join("; ")];
  return wanted === given ? undefined : `warnings ${wanted} and ${given}`;
}

/** Returns the answer of a query, or the error's message if the query fails. */
async function outcome(
  { query }: RandomQuestion,
  member: RandomQuestion["member"],
  engine: Engine,
): Promise<Outcome | string> {
  try {
    const { queries } = readRequest({ queries: [{ query, ...member }] });
    return await runQuery(queries[0]!, engine, { now });
  } catch (error) {
    return error instanceof DqlError ? error.message : `${(error as Error).stack}`;
  }
}
