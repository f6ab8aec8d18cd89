// A stored point as queries see it, and the columns that a query can name
// (docs/reference/query.md#namespaces-and-sources).

import type { DqlNamespace } from "../syntax/namespaces.ts";
import { namespaceName } from "../syntax/namespaces.ts";
import { jsonPath } from "./values/json-path.ts";
import type { DqlValue } from "./values/value.ts";

/** A stored point, as a row that queries read. */
export interface Row {
  /** Time of the point in nanoseconds since 1970. */
  readonly time: bigint;
  readonly name: string;
  /** Unique id of the row; ids sort in the order of arrival. */
  readonly docid: string;
  readonly index: string;
  /** Time when the point arrived, in milliseconds since 1970. */
  readonly received: number;
  readonly tags: ReadonlyMap<string, string>;
  readonly fields: ReadonlyMap<string, DqlValue>;
}

export type Reader = (row: Row) => DqlValue;

/**
 * Returns a function that reads the column from a row. When the key is both a tag and a field, the function
 * reads the field. A missing value is null; unlike in SQL, it is not an unknown value.
 */
export function columnReader(name: string, namespace: DqlNamespace): Reader {
  const system = name === "time" ? timeMs : namespace.category === "metric" ? undefined : systemReader(name, namespace);
  if (system !== undefined) return system;
  const path = /^(.+)@json\.(.+)$/s.exec(name);
  const plain: Reader = (row) => row.fields.get(name) ?? row.tags.get(name) ?? null;
  if (path === null) return plain;
  const [, field, steps] = path as unknown as readonly [string, string, string];
  const read = jsonPath(steps);
  return (row) => {
    const value = row.fields.get(field) ?? row.tags.get(field) ?? null;
    return plain(row) ?? (typeof value === "string" ? read(value) : null);
  };
}

function timeMs(row: Row): DqlValue {
  return row.time / 1_000_000n;
}

/** Keys that every stored point has, except points of metrics. */
export const systemKeys = ["__docid", "__source", "__namespace", "create_time", "date_ns", "time_us", "index"] as const;

function systemReader(name: string, namespace: DqlNamespace): Reader | undefined {
  switch (name) {
    case "__docid":
      return (row) => row.docid;
    case "__source":
      return (row) => row.name;
    case "__namespace":
      return () => namespaceName(namespace);
    case "create_time":
      return (row) => BigInt(row.received);
    case "date_ns":
      return (row) => row.time % 1_000_000n;
    case "time_us":
      return (row) => row.time / 1_000n;
    case "index":
      return (row) => row.index;
    case "source":
      // The source of a point is the value that the source clause of a query names. In some categories the value of a
      // key is the source; a point without this key has its name (measurement) as source.
      return (row) => row.fields.get(name) ?? row.tags.get(name) ?? row.name;
    case "class":
      return namespace.category.endsWith("object")
        ? (row) => row.fields.get(name) ?? row.tags.get(name) ?? row.name
        : undefined;
    case "rule":
      return namespace.category === "security"
        ? (row) => row.fields.get(name) ?? row.tags.get(name) ?? row.name
        : undefined;
  }
  return undefined;
}

/** Returns a function that reads a point's source: the value that the source clause of a query is compared with. */
export function sourceReader(namespace: DqlNamespace): (row: Row) => string {
  const readers = namespace.sourceKeys.filter((key) => key !== "__source").map((key) => columnReader(key, namespace));
  return (row) => {
    for (const read of readers) {
      const value = read(row);
      if (value !== null) return String(value);
    }
    return row.name;
  };
}
