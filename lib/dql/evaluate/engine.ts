// The interface of query engines. One engine computes over rows in memory; the others ask a database in the
// language of this database. All engines return the same answers.

import type { CategoryName } from "../../point/category.ts";
import type { ResolvedQuery } from "../semantics/resolve.ts";
import { countSteps, type StepBudget } from "../semantics/step-budget.ts";
import type { EvaluationScope } from "./base-rows.ts";
import { type Answer, evaluate } from "./evaluate.ts";
import type { Row } from "./row.ts";

/** The type of a field's values. */
export type KeyKind = "int" | "uint" | "float" | "bool" | "string" | "binary" | "array";

/**
 * The labels of an object. `key` and `value` are the key and value of the object's field to which the labels were
 * attached.
 */
export interface ObjectLabels {
  readonly objectClass: string;
  readonly objectName: string;
  readonly key: string;
  readonly value: string;
  readonly labels: readonly string[];
}

/** A key that stored points of one category have. */
export interface StoredKey {
  /** Name (measurement) of the points that have the key. */
  readonly name: string;
  readonly key: string;
  /** Type of the field's values; null when the key is a tag. */
  readonly kind: KeyKind | null;
}

export interface WantedRows {
  /** Names (measurements) of the points to return; empty means any name. */
  readonly names: readonly string[];
  readonly work: StepBudget;
}

/** A query engine: answers queries over stored points. */
export interface Engine {
  /** Name of the engine, as the member `query_type` of answers shows it. */
  readonly name: string;
  /**
   * Answers a query over stored points. The query has no sub-query as its source, because the caller answers
   * sub-queries.
   */
  answer(query: ResolvedQuery, scope: EvaluationScope): Promise<Answer>;
  /**
   * Returns the keys of the category's points, one element for each combination of key, name and type. `names` says
   * that the caller needs only the keys of points with these names. The engine may also return keys of points with
   * other names.
   */
  keys(category: CategoryName, names?: readonly string[]): Promise<readonly StoredKey[]>;
  /**
   * Returns stored points of all times. Statements need them when the stored keys are not enough, for example to
   * list the values of tags.
   */
  rows(category: CategoryName, wanted: WantedRows): Promise<Iterable<Row>>;
  labels(category: "object" | "custom_object"): Promise<readonly ObjectLabels[]>;
  /** Returns how the engine would ask the database for the given query. */
  explain?(query: ResolvedQuery): Promise<ExplainedQuery>;
}

/**
 * How much of a query the database computes. `groups`: it computes all groups and their aggregates. `page`: it
 * only chooses the rows that are returned. `rows`: it computes nothing, but only reads rows.
 */
export type PushdownLevel = "groups" | "page" | "rows";

/** The part of a query that a database computes, and the statement for the database. */
export interface ExplainedQuery {
  readonly way: PushdownLevel;
  /** The SQL statement with its parameters inserted. It is for people to read and must not be run. */
  readonly statement: string;
}

/**
 * Makes an engine over rows that are all in memory.
 *
 * @example
 * const rows = rowsOfPoints([new Point("cpu", 0n)]);
 * const engine = memoryEngine((category) => (category === "metric" ? rows : []));
 */
export function memoryEngine(
  rowsOf: (category: CategoryName) => Iterable<Row>,
  labelsOf: (category: "object" | "custom_object") => readonly ObjectLabels[] = () => [],
): Engine {
  return {
    name: "memory",
    rows: async (category, { names, work }) =>
      [...countSteps(rowsOf(category), work)].filter(({ name }) => names.length === 0 || names.includes(name)),
    labels: async (category) => labelsOf(category),
    answer: async (query, scope) => evaluate(query, rowsOf(query.namespace.category), scope),
    keys: async (category) => {
      const keys = new Map<string, StoredKey>();
      for (const { name, tags, fields } of rowsOf(category)) {
        for (const key of tags.keys()) keys.set(JSON.stringify([name, key]), { name, key, kind: null });
        for (const [key, value] of fields) {
          const kind = kindOf(value);
          keys.set(JSON.stringify([name, key, kind]), { name, key, kind });
        }
      }
      return [...keys.values()];
    },
  };
}

function kindOf(value: unknown): KeyKind {
  if (typeof value === "bigint") return value < 2n ** 63n ? "int" : "uint";
  if (typeof value === "number") return "float";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string") return "string";
  return value instanceof Uint8Array ? "binary" : "array";
}
