// Records: named documents of a kind, each of one workspace. A change is computed from the record as it is and written only
// if it still is so, else computed again: of changes made at the same time none is lost. Each is told to the audit log.

import { type Kysely, sql, type Transaction } from "kysely";
import { changeOf, writeAudit } from "./audit.ts";
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
  /** What was kept apart; undefined for none. */
  content(scope: Scope, uuid: string): Promise<unknown>;
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
    content: async (scope, uuid) => {
      const row = await own(scope)
        .where("uuid", "=", uuid)
        .innerJoin("record_contents", "record_contents.record_id", "records.id")
        .select("content")
        .executeTakeFirst();
      return row === undefined ? undefined : (JSON.parse(row.content) as unknown);
    },
    list: async (scope, { search = "", anyTerm = [], pageIndex, pageSize }) => {
      let matching = own(scope);
      if (search !== "") matching = matching.where(nameContains(search));
      if (anyTerm.length > 0) {
        matching = matching.where("id", "in", (from) =>
          from.selectFrom("record_terms").select("record_id").where("term", "in", anyTerm),
        );
      }
      const { count } = await matching
        .select((each) => each.fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      const offset = (pageIndex - 1) * pageSize;
      if (offset >= count) return { rows: [], totalCount: count };
      const rows = await matching
        .selectAll()
        .orderBy("update_at", "desc")
        .orderBy("id", "desc")
        .limit(pageSize)
        .offset(offset)
        .execute();
      return { rows: rows.map((row) => storedOf<Document>(row)), totalCount: count };
    },
    create: async (scope, record) => {
      const now = nowMs();
      const seconds = Math.floor(now / 1000);
      try {
        return await db.transaction().execute(async (transaction) => {
          const row = await transaction
            .insertInto("records")
            .values({
              workspace: scope.workspace,
              kind,
              uuid: record.uuid,
              version: 1,
              status: record.status ?? 0,
              unique_name: record.uniqueName ?? null,
              folded_name: foldedText(record.name),
              create_at: seconds,
              update_at: seconds,
              document: JSON.stringify(record.document),
            })
            .returningAll()
            .executeTakeFirstOrThrow();
          await writeTerms(transaction, row.id, record.terms ?? []);
          await writeContent(transaction, row.id, record.content);
          const change = changeOf(undefined, record.document);
          await writeAudit(transaction, scope, { action: "create", kind, uuid: record.uuid, change }, now);
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
        await writeAudit(transaction, scope, { action: "delete", kind, uuid, change }, nowMs());
        return stored;
      }),
  };
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
      await writeAudit(transaction, scope, { action, kind, uuid: before.uuid, change }, nowMs);
      return storedOf<Document>(row);
    });
  } catch (error) {
    if (isDuplicate(error)) throw new DuplicateRecord("name");
    throw error;
  }
}

async function writeTerms(db: Transaction<Tables>, id: number, terms: readonly string[]): Promise<void> {
  const values = [...new Set(terms)].map((term) => ({ record_id: id, term }));
  if (values.length > 0) await db.insertInto("record_terms").values(values).execute();
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
