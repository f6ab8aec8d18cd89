// The tables, step by step. A step that was released is never changed; what comes later is a further step. All that are
// missing are made in one transaction, so that processes which start at the same time do not see each other's half.

import type { ColumnDefinitionBuilder, Kysely, Transaction } from "kysely";
import type { DatabaseKind } from "./database.ts";
import type { Tables } from "./tables.ts";

interface Step {
  readonly name: string;
  up(db: Transaction<Tables>, kind: DatabaseKind): Promise<void>;
}

const required = (column: ColumnDefinitionBuilder) => column.notNull();

const steps: readonly Step[] = [
  {
    name: "001-workspaces-keys-records-audit",
    up: async (db, kind) => {
      const rowId = kind === "sqlite" ? "integer" : "bigserial";
      const id = (column: ColumnDefinitionBuilder) =>
        kind === "sqlite" ? column.primaryKey().autoIncrement() : column.primaryKey();
      await db.schema
        .createTable("workspaces")
        .addColumn("id", rowId, id)
        .addColumn("uuid", "text", (column) => column.notNull().unique())
        .addColumn("name", "text", (column) => column.notNull().unique())
        .addColumn("points_id", "text", (column) => column.notNull().unique())
        .addColumn("create_at", "bigint", required)
        .execute();
      await db.schema
        .createTable("keys")
        .addColumn("id", rowId, id)
        .addColumn("uuid", "text", (column) => column.notNull().unique())
        .addColumn("workspace", "text", required)
        .addColumn("name", "text", required)
        .addColumn("remark", "text", required)
        .addColumn("digest", "text", (column) => column.notNull().unique())
        .addColumn("roles", "text", required)
        .addColumn("status", "integer", required)
        .addColumn("creator", "text", required)
        .addColumn("creator_name", "text", required)
        .addColumn("create_at", "bigint", required)
        .addColumn("update_at", "bigint", required)
        .addColumn("delete_at", "bigint", required)
        .execute();
      await db.schema.createIndex("keys_of_workspace").on("keys").columns(["workspace", "update_at", "id"]).execute();
      await db.schema
        .createTable("records")
        .addColumn("id", rowId, id)
        .addColumn("workspace", "text", required)
        .addColumn("kind", "text", required)
        .addColumn("uuid", "text", required)
        .addColumn("version", "bigint", required)
        .addColumn("status", "integer", required)
        .addColumn("unique_name", "text")
        .addColumn("folded_name", "text", required)
        .addColumn("create_at", "bigint", required)
        .addColumn("update_at", "bigint", required)
        .addColumn("document", "text", required)
        .execute();
      await db.schema
        .createIndex("records_by_uuid")
        .on("records")
        .columns(["workspace", "kind", "uuid"])
        .unique()
        .execute();
      await db.schema
        .createIndex("records_by_name")
        .on("records")
        .columns(["workspace", "kind", "unique_name"])
        .unique()
        .execute();
      // With the name, so that a search reads no documents.
      await db.schema
        .createIndex("records_by_time")
        .on("records")
        .columns(["workspace", "kind", "update_at", "id", "folded_name"])
        .execute();
      await db.schema
        .createTable("record_terms")
        .addColumn("record_id", "bigint", required)
        .addColumn("term", "text", required)
        .addPrimaryKeyConstraint("record_terms_key", ["record_id", "term"])
        .execute();
      await db.schema.createIndex("record_terms_by_term").on("record_terms").columns(["term", "record_id"]).execute();
      await db.schema
        .createTable("record_contents")
        .addColumn("record_id", "bigint", (column) => column.primaryKey())
        .addColumn("content", "text", required)
        .execute();
      await db.schema
        .createTable("audit")
        .addColumn("id", rowId, id)
        .addColumn("at", "bigint", required)
        .addColumn("workspace", "text", required)
        .addColumn("actor", "text", required)
        .addColumn("trace_id", "text", required)
        .addColumn("action", "text", required)
        .addColumn("kind", "text", required)
        .addColumn("uuid", "text", required)
        .addColumn("change", "text", required)
        .execute();
      await db.schema.createIndex("audit_of_workspace").on("audit").columns(["workspace", "id"]).execute();
    },
  },
  {
    name: "002-description-of-workspaces",
    up: async (db) => {
      await db.schema
        .alterTable("workspaces")
        .addColumn("description", "text", (column) => column.notNull().defaultTo(""))
        .execute();
    },
  },
];

/** `lock`: nobody else migrates until the transaction ends. */
export async function migrate(
  db: Kysely<Tables>,
  kind: DatabaseKind,
  lock: (transaction: Transaction<Tables>) => Promise<void>,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await lock(transaction);
    await transaction.schema
      .createTable("migrations")
      .ifNotExists()
      .addColumn("name", "text", (column) => column.primaryKey())
      .addColumn("applied_at", "bigint", required)
      .execute();
    const applied = await transaction.selectFrom("migrations").select("name").execute();
    const known = new Set(applied.map(({ name }) => name));
    for (const { name, up } of steps) {
      if (known.delete(name)) continue;
      await up(transaction, kind);
      await transaction.insertInto("migrations").values({ name, applied_at: Date.now() }).execute();
    }
    if (known.size > 0) {
      throw new Error(`the metadata store was made by a later version: it has ${[...known].join(", ")}`);
    }
  });
}
