// Records: named documents of a kind, each of one workspace. A change is computed from the record as it is and written only
// if it still is so, else computed again: of changes made at the same time none is lost. Each is told to the audit log.

import { type Kysely, sql, type Transaction } from "kysely";
import { type AuditEntry, changeOf, writeAudit } from "./audit.ts";
import { isDuplicate } from "./database.ts";
import type { Scope } from "./scope.ts";
import type { RecordRow, Tables } from "./tables.ts";
import { foldedText } from "./text.ts";

export interface StoredRecord<Document> {
  /** The row's number. */
  readonly id: number;
  readonly uuid: string;
  readonly version: number;
  readonly status: number;
  /** Seconds since 1970. */
  readonly createAt: number;
  readonly updateAt: number;
  readonly document: Document;
}

/** What a record is found by and what it holds. */
export interface RecordContent<Document> {
  /** What `search` looks in. */
  readonly name: string;
  /** Where names of the kind are unique in a workspace: it again. */
  readonly uniqueName?: string;
  readonly status?: number;
  /** What lists filter by; without it a change leaves them. */
  readonly terms?: readonly string[];
  readonly document: Document;
  /** What lists do not read; without it a change leaves it. */
  readonly content?: unknown;
}

export interface NewRecord<Document> extends RecordContent<Document> {
  readonly uuid: string;
}

export interface RecordChange<Document> extends RecordContent<Document> {
  /** For the audit log; `modify` without it. */
  readonly action?: string;
}

export interface Changed<Document> {
  readonly before: StoredRecord<Document>;
  readonly after: StoredRecord<Document>;
}

export interface WholeRecord<Document> {
  readonly stored: StoredRecord<Document>;
  readonly content: unknown;
}

export interface ListQuestion {
  /** Part of the name, in upper or lower case. */
  readonly search?: string;
  /** Records with any of these; an empty list does not filter. */
  readonly anyTerm?: readonly string[];
  readonly pageIndex: number;
  readonly pageSize: number;
}

/** A record with this uuid, or with this unique name, is there already. */
export class DuplicateRecord extends Error {
  readonly member: "uuid" | "name";

  constructor(member: "uuid" | "name") {
    super(`a record with this ${member} exists`);
    this.member = member;
  }
}

export interface Records<Document> {
  /** Throws DuplicateRecord. */
  create(scope: Scope, record: NewRecord<Document>): Promise<StoredRecord<Document>>;
  get(scope: Scope, uuid: string): Promise<StoredRecord<Document> | undefined>;
  byName(scope: Scope, uniqueName: string): Promise<StoredRecord<Document> | undefined>;
  /** With what is kept apart, undefined where that is nothing; both are of one moment. */
  whole(scope: Scope, uuid: string): Promise<WholeRecord<Document> | undefined>;
  /**
   * The records with these unique names, in their order, each name once; those that are missing are made.
   */
  named(
    scope: Scope,
    names: readonly string[],
    make: (name: string) => NewRecord<Document>,
  ): Promise<readonly StoredRecord<Document>[]>;
  /** Changed last comes first. */
  list(
    scope: Scope,
    question: ListQuestion,
  ): Promise<{ readonly rows: readonly StoredRecord<Document>[]; readonly totalCount: number }>;
  /**
   * `decide` gives the change, or undefined for none; it may be called again, with the record as another has left it. What
   * it throws is thrown. Undefined when there is no such record. Throws DuplicateRecord.
   */
  change(
    scope: Scope,
    uuid: string,
    decide: (stored: StoredRecord<Document>) => RecordChange<Document> | undefined,
  ): Promise<Changed<Document> | undefined>;
  /** The record as it was; undefined when there was none. */
  remove(scope: Scope, uuid: string): Promise<StoredRecord<Document> | undefined>;
}

export function recordsOf<Document extends object>(
  db: Kysely<Tables>,
  kind: string,
  nowMs: () => number,
): Records<Document> {
  const own = ({ workspace }: Scope) =>
    db.selectFrom("records").where("workspace", "=", workspace).where("kind", "=", kind);

  const get = async (scope: Scope, uuid: string) => {
    const row = await own(scope).where("uuid", "=", uuid).selectAll().executeTakeFirst();
    return row === undefined ? undefined : storedOf<Document>(row);
  };

  return {
    get,
    byName: async (scope, uniqueName) => {
      const row = await own(scope).where("unique_name", "=", uniqueName).selectAll().executeTakeFirst();
      return row === undefined ? undefined : storedOf<Document>(row);
    },
    whole: async (scope, uuid) => {
      const row = await own(scope)
        .where("uuid", "=", uuid)
        .leftJoin("record_contents", "record_contents.record_id", "records.id")
        .selectAll("records")
        .select("record_contents.content")
        .executeTakeFirst();
      if (row === undefined) return undefined;
      return {
        stored: storedOf<Document>(row),
        content: row.content === null ? undefined : (JSON.parse(row.content) as unknown),
      };
    },
    named: async (scope, names, make) => {
      const wanted = [...new Set(names)];
      const found = new Map<string, StoredRecord<Document>>();
      for (let at = 0; at < wanted.length; at += rowsAtOnce) {
        const some = wanted.slice(at, at + rowsAtOnce);
        const read = async () => {
          for (const row of await own(scope).where("unique_name", "in", some).selectAll().execute()) {
            found.set(row.unique_name!, storedOf<Document>(row));
          }
        };
        await read();
        const missing = some.filter((name) => !found.has(name));
        if (missing.length === 0) continue;
        await createMissing(db, scope, kind, missing.map(make), nowMs());
        await read();
      }
      return wanted.map((name) => found.get(name)!);
    },
    list: async (scope, { search = "", anyTerm = [], pageIndex, pageSize }) => {
      let matching = own(scope);
      if (search !== "") matching = matching.where(nameContains(search));
      if (anyTerm.length > 0) {
        matching = matching.where("id", "in", (from) =>
          from.selectFrom("record_terms").select("record_id").where("term", "in", anyTerm),
        );
      }
      // Asked together, so that the one does not wait for the other's answer.
      const [{ count }, rows] = await Promise.all([
        matching.select((each) => each.fn.countAll<number>().as("count")).executeTakeFirstOrThrow(),
        matching
          .selectAll()
          .orderBy("update_at", "desc")
          .orderBy("id", "desc")
          .limit(pageSize)
          .offset((pageIndex - 1) * pageSize)
          .execute(),
      ]);
      return { rows: rows.map((row) => storedOf<Document>(row)), totalCount: count };
    },
    create: async (scope, record) => {
      const now = nowMs();
      try {
        return await db.transaction().execute(async (transaction) => {
          const row = await transaction
            .insertInto("records")
            .values(newRow(scope, kind, record, now))
            .returningAll()
            .executeTakeFirstOrThrow();
          await writeTerms(transaction, row.id, record.terms ?? []);
          await writeContent(transaction, row.id, record.content);
          await writeAudit(transaction, scope, [creation(kind, record)], now);
          return storedOf<Document>(row);
        });
      } catch (error) {
        if (!isDuplicate(error)) throw error;
        throw new DuplicateRecord((await get(scope, record.uuid)) === undefined ? "name" : "uuid");
      }
    },
    change: async (scope, uuid, decide) => {
      for (;;) {
        const before = await get(scope, uuid);
        if (before === undefined) return undefined;
        const wanted = decide(before);
        if (wanted === undefined) return { before, after: before };
        const after = await writeChange(db, scope, kind, before, wanted, nowMs());
        if (after !== undefined) return { before, after };
      }
    },
    remove: (scope, uuid) =>
      db.transaction().execute(async (transaction) => {
        const row = await transaction
          .deleteFrom("records")
          .where("workspace", "=", scope.workspace)
          .where("kind", "=", kind)
          .where("uuid", "=", uuid)
          .returningAll()
          .executeTakeFirst();
        if (row === undefined) return undefined;
        await transaction.deleteFrom("record_terms").where("record_id", "=", row.id).execute();
        await transaction.deleteFrom("record_contents").where("record_id", "=", row.id).execute();
        const stored = storedOf<Document>(row);
        const change = changeOf(stored.document, undefined);
        await writeAudit(transaction, scope, [{ action: "delete", kind, uuid, change }], nowMs());
        return stored;
      }),
  };
}

/** Of one statement: databases bind a bounded number of values. */
const rowsAtOnce = 1000;

function newRow<Document>(
  { workspace }: Scope,
  kind: string,
  {
    uuid,
    name,
    uniqueName = null,
    status = 0,
    document,
  }: Omit<NewRecord<Document>, "uniqueName"> & { uniqueName?: string | null },
  nowMs: number,
) {
  const seconds = Math.floor(nowMs / 1000);
  return {
    workspace,
    kind,
    uuid,
    version: 1,
    status,
    unique_name: uniqueName,
    folded_name: foldedText(name),
    create_at: seconds,
    update_at: seconds,
    document: JSON.stringify(document),
  };
}

function creation<Document extends object>(kind: string, { uuid, document }: NewRecord<Document>): AuditEntry {
  return { action: "create", kind, uuid, change: changeOf(undefined, document) };
}

/** Those whose name another has taken meanwhile are left out. */
async function createMissing<Document extends object>(
  db: Kysely<Tables>,
  scope: Scope,
  kind: string,
  records: readonly NewRecord<Document>[],
  nowMs: number,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const made = await transaction
      .insertInto("records")
      .values(records.map((record) => newRow(scope, kind, record, nowMs)))
      .onConflict((conflict) => conflict.doNothing())
      .returning("uuid")
      .execute();
    const uuids = new Set(made.map(({ uuid }) => uuid));
    const entries = records.filter(({ uuid }) => uuids.has(uuid)).map((record) => creation(kind, record));
    await writeAudit(transaction, scope, entries, nowMs);
  });
}

/** Undefined when the record is no longer as it was. */
async function writeChange<Document extends object>(
  db: Kysely<Tables>,
  scope: Scope,
  kind: string,
  before: StoredRecord<Document>,
  { name, uniqueName, status = before.status, terms, document, content, action = "modify" }: RecordChange<Document>,
  nowMs: number,
): Promise<StoredRecord<Document> | undefined> {
  try {
    return await db.transaction().execute(async (transaction) => {
      const row = await transaction
        .updateTable("records")
        .set({
          version: before.version + 1,
          status,
          unique_name: uniqueName ?? null,
          folded_name: foldedText(name),
          // Two changes of one second differ, so that `If-Match` tells them apart.
          update_at: Math.max(Math.floor(nowMs / 1000), before.updateAt + 1),
          document: JSON.stringify(document),
        })
        .where("id", "=", before.id)
        .where("version", "=", before.version)
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) return undefined;
      if (terms !== undefined) {
        await transaction.deleteFrom("record_terms").where("record_id", "=", row.id).execute();
        await writeTerms(transaction, row.id, terms);
      }
      if (content !== undefined) {
        await transaction.deleteFrom("record_contents").where("record_id", "=", row.id).execute();
        await writeContent(transaction, row.id, content);
      }
      const change = {
        ...changeOf(before.document, document),
        ...changeOf({ status: before.status }, { status }),
      };
      await writeAudit(transaction, scope, [{ action, kind, uuid: before.uuid, change }], nowMs);
      return storedOf<Document>(row);
    });
  } catch (error) {
    if (isDuplicate(error)) throw new DuplicateRecord("name");
    throw error;
  }
}

async function writeTerms(db: Transaction<Tables>, id: number, terms: readonly string[]): Promise<void> {
  const values = [...new Set(terms)].map((term) => ({ record_id: id, term }));
  for (let at = 0; at < values.length; at += rowsAtOnce) {
    await db
      .insertInto("record_terms")
      .values(values.slice(at, at + rowsAtOnce))
      .execute();
  }
}

async function writeContent(db: Transaction<Tables>, id: number, content: unknown): Promise<void> {
  if (content === undefined) return;
  await db
    .insertInto("record_contents")
    .values({ record_id: id, content: JSON.stringify(content) })
    .execute();
}

function nameContains(search: string) {
  const pattern = `%${foldedText(search).replace(/[\\%_]/g, "\\$&")}%`;
  return sql<boolean>`folded_name like ${pattern} escape '\\'`;
}

function storedOf<Document>(row: RecordRow): StoredRecord<Document> {
  const { id, uuid, version, status, create_at: createAt, update_at: updateAt, document } = row;
  return { id, uuid, version, status, createAt, updateAt, document: JSON.parse(document) as Document };
}
