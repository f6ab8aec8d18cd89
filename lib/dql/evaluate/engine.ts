// The interface of what answers queries: rows in memory, or a database with its own language. Both give the same
// answers.

import type { CategoryName } from "../../point/category.ts";
import type { ResolvedQuery } from "../semantics/resolve.ts";
import { type StepBudget, stepped } from "../semantics/step-budget.ts";
import type { EvaluationScope } from "./base-rows.ts";
import { type Answer, evaluate } from "./evaluate.ts";
import type { Row } from "./row.ts";

/** The kind of a field's values. */
export type KeyKind = "int" | "uint" | "float" | "bool" | "string" | "binary" | "array";

/** Labels that were attached to an object through one of its fields. */
export interface ObjectLabels {
  readonly objectClass: string;
  readonly objectName: string;
  readonly key: string;
  readonly value: string;
  readonly labels: readonly string[];
}

/** A key of the stored points of one category. */
export interface StoredKey {
  /** Name (measurement) of the points. */
  readonly name: string;
  readonly key: string;
  /** Kind of the field; null for a tag. */
  readonly kind: KeyKind | null;
}

export interface WantedRows {
  /** Names of the wanted points; empty means any name. */
  readonly names: readonly string[];
  readonly work: StepBudget;
}

/** Answers queries over stored points. */
export interface Engine {
  /** Name of the engine for `query_type` in answers. */
  readonly name: string;
  /** Answers a query over stored points; sub-queries of the source clause do not come here. */
  answer(query: ResolvedQuery, scope: EvaluationScope): Promise<Answer>;
  /**
   * Returns the keys of the category's points, each with every name and kind it occurs with. With `names`, the caller needs the keys of points
   * with these names only; the engine may return others, too.
   */
  keys(category: CategoryName, names?: readonly string[]): Promise<readonly StoredKey[]>;
  /** Returns stored points of any time, for questions that the keys alone do not answer. */
  rows(category: CategoryName, wanted: WantedRows): Promise<Iterable<Row>>;
  labels(category: "object" | "custom_object"): Promise<readonly ObjectLabels[]>;
  /** Returns how the engine asks the database for a query. */
  explain?(query: ResolvedQuery): Promise<Explained>;
}

/** The part of a query that a database does: all of its groups, the choice of rows, or only reading them. */
export type Way = "groups" | "page" | "rows";

/** The way in which a database answers a query. */
export interface Explained {
  readonly way: Way;
  /** The statement with its parameters inserted: for people to read, not to be run. */
  readonly statement: string;
}

/**
 * Makes an engine for rows that are all in memory.
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
      [...stepped(rowsOf(category), work)].filter(({ name }) => names.length === 0 || names.includes(name)),
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
