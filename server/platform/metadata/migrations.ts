// The migrations, which create and change the database tables. They are a list of steps. A step that was
// released is never edited; a later change of the tables is a new step. All steps that a database lacks run in
// one transaction, so that processes that start at the same time never see a half-migrated database.

import { type ColumnDefinitionBuilder, type Kysely, sql, type Transaction } from "kysely";
import type { DatabaseKind, SqlTables } from "./sql-tables.ts";

interface Step {
  readonly name: string;
  up(db: Transaction<SqlTables>, kind: DatabaseKind): Promise<void>;
}

/**
 * The id of the advisory lock in PostgreSQL that a process holds while it migrates the database. The number is
 * arbitrary; nothing else uses it.
 */
const migrationLock = 4_902_611_330;

const steps: readonly Step[] = [
  {
    name: "001-workspaces-keys-records-audit",
    up: async (db, kind) => {
      await createWorkspaces(db, kind);
      await createKeys(db, kind);
      await createRecords(db, kind);
      await createRecordParts(db);
      await createAudit(db, kind);
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
  {
    name: "003-counts-of-records",
    up: async (db, kind) => {
      await db.schema
        .createTable("record_counts")
        .addColumn("workspace", "text", required)
        .addColumn("kind", "text", required)
        .addColumn("count", "bigint", required)
        .addPrimaryKeyConstraint("record_counts_key", ["workspace", "kind"])
        .execute();
      await sql`insert into record_counts select workspace, kind, count(*) from records group by workspace, kind`.execute(
        db,
      );
      for (const trigger of kind === "sqlite" ? countingInSqlite : countingInPostgres) {
        await sql.raw(trigger).execute(db);
      }
    },
  },
  {
    name: "004-replays",
    up: async (db, kind) => {
      await db.schema
        .createTable("replays")
        .addColumn("id", kind === "sqlite" ? "integer" : "bigserial", (column) => column.primaryKey())
        .addColumn("at", "bigint", required)
        .addColumn("actor", "text", required)
        .addColumn("name", "text", required)
        .addColumn("request", "text", required)
        .addColumn("status", "integer", required)
        .addColumn("answer", "text", required)
        .execute();
      await db.schema.createIndex("replays_by_name").on("replays").columns(["actor", "name"]).unique().execute();
      await db.schema.createIndex("replays_by_time").on("replays").columns(["at"]).execute();
    },
  },
  {
    name: "005-microseconds-of-records",
    up: async (db) => {
      // An earlier version of Millrace stored a change time in the future when a record was changed several times
      // within a second. This step sets such times to the current time.
      const now = Math.floor(Date.now() / 1000);
      await sql`update records set update_at = case when update_at > ${now} then ${now} else update_at end * 1000000`.execute(
        db,
      );
    },
  },
  {
    name: "006-etag-of-replays",
    up: async (db) => {
      await db.schema
        .alterTable("replays")
        .addColumn("etag", "text", (column) => column.notNull().defaultTo(""))
        .execute();
    },
  },
];

const required = (column: ColumnDefinitionBuilder) => column.notNull();

function rowId(kind: DatabaseKind): "integer" | "bigserial" {
  return kind === "sqlite" ? "integer" : "bigserial";
}

/** Returns a function that turns a column into the primary key, which the database fills with increasing numbers. */
function numberedKey(kind: DatabaseKind): (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder {
  return (column) => (kind === "sqlite" ? column.primaryKey().autoIncrement() : column.primaryKey());
}

// Functions that create the tables of the migration step 001. The step is released, so the functions must not be
// changed.

async function createWorkspaces(db: Transaction<SqlTables>, kind: DatabaseKind): Promise<void> {
  await db.schema
    .createTable("workspaces")
    .addColumn("id", rowId(kind), numberedKey(kind))
    .addColumn("uuid", "text", (column) => column.notNull().unique())
    .addColumn("name", "text", (column) => column.notNull().unique())
    .addColumn("points_id", "text", (column) => column.notNull().unique())
    .addColumn("create_at", "bigint", required)
    .execute();
}

async function createKeys(db: Transaction<SqlTables>, kind: DatabaseKind): Promise<void> {
  await db.schema
    .createTable("keys")
    .addColumn("id", rowId(kind), numberedKey(kind))
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
}

async function createRecords(db: Transaction<SqlTables>, kind: DatabaseKind): Promise<void> {
  await db.schema
    .createTable("records")
    .addColumn("id", rowId(kind), numberedKey(kind))
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
  // The index contains the name of each record, so that a search by name need not read the documents.
  await db.schema
    .createIndex("records_by_time")
    .on("records")
    .columns(["workspace", "kind", "update_at", "id", "folded_name"])
    .execute();
}

/** Creates the tables for the terms (filter values) and for the content of records. */
async function createRecordParts(db: Transaction<SqlTables>): Promise<void> {
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
}

async function createAudit(db: Transaction<SqlTables>, kind: DatabaseKind): Promise<void> {
  await db.schema
    .createTable("audit")
    .addColumn("id", rowId(kind), numberedKey(kind))
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
}

const counted = "on conflict (workspace, kind) do update set count = record_counts.count";

/**
 * Database triggers that update the number of records whenever a process adds or removes a record. So a list of
 * records need not count the rows.
 */
const countingInSqlite = [
  `create trigger record_added after insert on records begin
     insert into record_counts (workspace, kind, count) values (new.workspace, new.kind, 1) ${counted} + 1;
   end`,
  `create trigger record_removed after delete on records begin
     update record_counts set count = count - 1 where workspace = old.workspace and kind = old.kind;
   end`,
];
const countingInPostgres = [
  `create function count_record() returns trigger language plpgsql as $$
   begin
     if tg_op = 'INSERT' then
       insert into record_counts (workspace, kind, count) values (new.workspace, new.kind, 1) ${counted} + 1;
     else
       update record_counts set count = count - 1 where workspace = old.workspace and kind = old.kind;
     end if;
     return null;
   end $$`,
  "create trigger record_counted after insert or delete on records for each row execute function count_record()",
];

export async function migrate(db: Kysely<SqlTables>, kind: DatabaseKind): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    // In PostgreSQL a lock prevents two processes from migrating at once. SQLite needs no such lock, because a write
    // transaction locks the whole database.
    if (kind === "postgres") await sql`select pg_advisory_xact_lock(${sql.lit(migrationLock)})`.execute(transaction);
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
