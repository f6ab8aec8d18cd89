// The column types of the database tables, in the form that the query builder kysely expects.

import type { Generated } from "kysely";
import type { Tables } from "./tables.ts";

export type DatabaseKind = "sqlite" | "postgres";

type Columns<Row> = { [C in keyof Row]: C extends "id" ? Generated<number> : Row[C] };

export type SqlTables = { [T in keyof Tables]: Columns<Tables[T]> } & {
  record_counts: { workspace: string; kind: string; count: number };
  migrations: { name: string; applied_at: number };
};
