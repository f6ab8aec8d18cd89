// Records, which are named documents of a kind (such as `dashboard`) in a workspace. A change is computed from
// the current version of a record, and it is written only if the record still has this version. Otherwise the
// change is computed again from the new version, so that concurrent changes are not lost. Each change is written
// to the audit log.

import { type AuditEntry, auditStep, changeOf } from "./audit.ts";
import type { Scope } from "./scope.ts";
import type { MetadataStore, NewRow, Step, Where } from "./store.ts";
import type { ListedRow } from "./tables.ts";
import { foldedText } from "./text.ts";

export interface StoredRecord<Document> {
  /** The id of the database row in which the record is stored. */
  readonly id: number;
  readonly uuid: string;
  readonly version: number;
  readonly status: number;
  /** Time at which the record was created, in seconds since 1970. */
  readonly createAt: number;
  /** Time of the last change, in seconds since 1970. */
  readonly updateAt: number;
  /**
   * The time of the last change in microseconds since 1970. The clock has a resolution of milliseconds; the last
   * three digits count the changes within the same second. So each change has a later time than the change before
   * it.
   */
  readonly changedUs: number;
  readonly document: Document;
}

/**
 * The parts of a record that a change replaces: the document, and the values by which lists are searched and
 * filtered.
 */
export interface RecordContent<Document> {
  /**
   * The name of the record. A list with the parameter `search` contains only records whose names contain the
   * search text.
   */
  readonly name: string;
  /**
   * A name that only one record of the kind may have in a workspace. Absent for kinds whose names need not be unique.
   */
  readonly uniqueName?: string;
  readonly status?: number;
  /**
   * Filter values, such as tags; a list can be limited to records that have certain terms. When a change does not
   * include terms, the record keeps its old terms.
   */
  readonly terms?: readonly string[];
  readonly document: Document;
  /**
   * A second, larger document of the record, which is not read for lists of records. When a change does not
   * include content, the record keeps its old content.
   */
  readonly content?: unknown;
}

export interface NewRecord<Document> extends RecordContent<Document> {
  readonly uuid: string;
}

export interface RecordChange<Document> extends RecordContent<Document> {
  /** The name of the action in the audit log; `modify` by default. */
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
  /** A text that the name of each listed record must contain; case is ignored. */
  readonly search?: string;
  /** Terms (filter values); each listed record has at least one of them. An empty list means no filter. */
  readonly anyTerm?: readonly string[];
  readonly pageIndex: number;
  readonly pageSize: number;
}

/** Thrown when a record with the same uuid, or with the same unique name, exists already. */
export class DuplicateRecord extends Error {
  readonly member: "uuid" | "name";

  constructor(member: "uuid" | "name") {
    super(`a record with this ${member} exists`);
    this.member = member;
  }
}

export interface Records<Document> {
  /** Creates a record. Throws DuplicateRecord when a record with its uuid or unique name exists already. */
  create(scope: Scope, record: NewRecord<Document>): Promise<StoredRecord<Document>>;
  get(scope: Scope, uuid: string): Promise<StoredRecord<Document> | undefined>;
  byName(scope: Scope, uniqueName: string): Promise<StoredRecord<Document> | undefined>;
  /**
   * Returns a record and its content, both from the same version of the record. The content is undefined when the
   * record has none.
   */
  whole(scope: Scope, uuid: string): Promise<WholeRecord<Document> | undefined>;
  /**
   * Returns the records with the given unique names, without duplicates, in the order of the names. Creates the
   * records that do not exist yet.
   */
  named(
    scope: Scope,
    names: readonly string[],
    make: (name: string) => NewRecord<Document>,
  ): Promise<readonly StoredRecord<Document>[]>;
  /** Returns a page of records, the most recently changed record first. */
  list(
    scope: Scope,
    question: ListQuestion,
  ): Promise<{ readonly rows: readonly StoredRecord<Document>[]; readonly totalCount: number }>;
  /**
   * Changes a record. `decide` receives the current record and returns the change, or undefined to leave the
   * record unchanged. If another request changes the record in the meantime, `decide` is called again. Errors of
   * `decide` reach the caller. Returns undefined when there is no such record. Throws DuplicateRecord.
   */
  change(
    scope: Scope,
    uuid: string,
    decide: (stored: StoredRecord<Document>) => RecordChange<Document> | undefined,
  ): Promise<Changed<Document> | undefined>;
  /** Deletes a record. Returns the deleted record, or undefined when there was none. */
  remove(scope: Scope, uuid: string): Promise<StoredRecord<Document> | undefined>;
}

export function recordsOf<Document extends object>(
  store: MetadataStore,
  kind: string,
  nowMs: () => number,
): Records<Document> {
  return new RecordsOfKind<Document>(store, kind, nowMs);
}

class RecordsOfKind<Document extends object> implements Records<Document> {
  private readonly store: MetadataStore;
  private readonly kind: string;
  private readonly nowMs: () => number;

  constructor(store: MetadataStore, kind: string, nowMs: () => number) {
    this.store = store;
    this.kind = kind;
    this.nowMs = nowMs;
  }

  async create(scope: Scope, record: NewRecord<Document>): Promise<StoredRecord<Document>> {
    const now = this.nowMs();
    const row = newRow(scope, this.kind, record, now);
    const written = await this.store.write([
      { insert: "records", rows: [row] },
      ...termSteps(record.terms ?? []),
      ...contentSteps(record.content),
      auditStep(scope, [creation(this.kind, record)], now),
    ]);
    if (written.done) return storedOf<Document>({ ...row, id: written.ids[0]![0]! });
    throw new DuplicateRecord((await this.get(scope, record.uuid)) === undefined ? "name" : "uuid");
  }

  get(scope: Scope, uuid: string): Promise<StoredRecord<Document> | undefined> {
    return this.one(scope, { uuid });
  }

  byName(scope: Scope, uniqueName: string): Promise<StoredRecord<Document> | undefined> {
    return this.one(scope, { unique_name: uniqueName });
  }

  async whole(scope: Scope, uuid: string): Promise<WholeRecord<Document> | undefined> {
    for (;;) {
      const stored = await this.get(scope, uuid);
      if (stored === undefined) return undefined;
      const [row] = await this.store.find("record_contents", { record_id: stored.id });
      // The record and its content are read one after the other, so another request may change the record in between.
      // The content that was read belongs to the record only if the record still has the same version afterwards.
      const [same] = await this.rowsOf(scope, { uuid });
      if (same?.version !== stored.version) continue;
      return { stored, content: row === undefined ? undefined : (JSON.parse(row.content) as unknown) };
    }
  }

  async named(
    scope: Scope,
    names: readonly string[],
    make: (name: string) => NewRecord<Document>,
  ): Promise<readonly StoredRecord<Document>[]> {
    const wanted = [...new Set(names)];
    const found = new Map<string, StoredRecord<Document>>();
    for (let at = 0; at < wanted.length; at += rowsAtOnce) {
      const some = wanted.slice(at, at + rowsAtOnce);
      for (;;) {
        for (const row of await this.rowsOf(scope, { unique_name: some })) {
          found.set(row.unique_name!, storedOf<Document>(row));
        }
        const missing = some.filter((name) => !found.has(name)).map(make);
        if (missing.length === 0) break;
        // The write fails if another request has created one of these records in the meantime. The loop then reads the
        // records again.
        await this.createAll(scope, missing);
      }
    }
    return wanted.map((name) => found.get(name)!);
  }

  async list(
    scope: Scope,
    { search = "", anyTerm = [], pageIndex, pageSize }: ListQuestion,
  ): Promise<{ readonly rows: readonly StoredRecord<Document>[]; readonly totalCount: number }> {
    const { rows, totalCount } = await this.store.listRecords({
      workspace: scope.workspace,
      kind: this.kind,
      search: foldedText(search),
      anyTerm,
      limit: pageSize,
      offset: (pageIndex - 1) * pageSize,
    });
    return { rows: rows.map((row) => storedOf<Document>(row)), totalCount };
  }

  async change(
    scope: Scope,
    uuid: string,
    decide: (stored: StoredRecord<Document>) => RecordChange<Document> | undefined,
  ): Promise<Changed<Document> | undefined> {
    for (;;) {
      const before = await this.get(scope, uuid);
      if (before === undefined) return undefined;
      const wanted = decide(before);
      if (wanted === undefined) return { before, after: before };
      const after = await writeChange(this.store, scope, this.kind, before, wanted, this.nowMs());
      if (after !== undefined) return { before, after };
    }
  }

  async remove(scope: Scope, uuid: string): Promise<StoredRecord<Document> | undefined> {
    const { store, kind } = this;
    for (;;) {
      const stored = await this.get(scope, uuid);
      if (stored === undefined) return undefined;
      const change = changeOf(stored.document, undefined);
      const written = await store.write([
        { delete: "records", where: { id: stored.id, version: stored.version }, mustBeThere: true },
        { delete: "record_terms", where: { record_id: stored.id } },
        { delete: "record_contents", where: { record_id: stored.id } },
        auditStep(scope, [{ action: "delete", kind, uuid, change }], this.nowMs()),
      ]);
      if (written.done) return stored;
    }
  }

  private rowsOf({ workspace }: Scope, where: Where<"records">) {
    return this.store.find("records", { workspace, kind: this.kind, ...where });
  }

  private async one(scope: Scope, where: Where<"records">): Promise<StoredRecord<Document> | undefined> {
    const [row] = await this.rowsOf(scope, where);
    return row === undefined ? undefined : storedOf<Document>(row);
  }

  /**
   * Creates records that have no terms (filter values) and no content. If one of the records exists already,
   * creates none.
   */
  private async createAll(scope: Scope, records: readonly NewRecord<Document>[]): Promise<void> {
    const now = this.nowMs();
    const rows = records.map((record) => newRow(scope, this.kind, record, now));
    const created = records.map((record) => creation(this.kind, record));
    await this.store.write([{ insert: "records", rows }, auditStep(scope, created, now)]);
  }
}

/** Maximum number of rows in one SQL statement, because databases limit the number of bound values. */
const rowsAtOnce = 1000;

function newRow<Document>(
  { workspace }: Scope,
  kind: string,
  { uuid, name, uniqueName, status = 0, document }: NewRecord<Document>,
  nowMs: number,
): NewRow<"records"> {
  const seconds = Math.floor(nowMs / 1000);
  return {
    workspace,
    kind,
    uuid,
    version: 1,
    status,
    unique_name: uniqueName ?? null,
    folded_name: foldedText(name),
    create_at: seconds,
    update_at: nowMs * 1000,
    document: JSON.stringify(document),
  };
}

function creation<Document extends object>(kind: string, { uuid, document }: NewRecord<Document>): AuditEntry {
  return { action: "create", kind, uuid, change: changeOf(undefined, document) };
}

/** Writes a change of a record. Returns undefined when another request has changed the record in the meantime. */
async function writeChange<Document extends object>(
  store: MetadataStore,
  scope: Scope,
  kind: string,
  before: StoredRecord<Document>,
  { name, uniqueName, status = before.status, terms, document, content, action = "modify" }: RecordChange<Document>,
  nowMs: number,
): Promise<StoredRecord<Document> | undefined> {
  const { id, uuid, createAt } = before;
  const set = {
    version: before.version + 1,
    status,
    unique_name: uniqueName ?? null,
    folded_name: foldedText(name),
    update_at: changeTime(before, nowMs),
    document: JSON.stringify(document),
  };
  const change = { ...changeOf(before.document, document), ...changeOf({ status: before.status }, { status }) };
  const written = await store.write([
    { update: "records", set, where: { id, version: before.version } },
    ...(terms === undefined
      ? []
      : [{ delete: "record_terms", where: { record_id: id } } as const, ...termSteps(terms, id)]),
    ...(content === undefined
      ? []
      : [{ delete: "record_contents", where: { record_id: id } } as const, ...contentSteps(content, id)]),
    auditStep(scope, [{ action, kind, uuid, change }], nowMs),
  ]);
  if (written.done) return storedOf<Document>({ ...set, id, uuid, create_at: createAt });
  if (written.why === "duplicate") throw new DuplicateRecord("name");
  return undefined;
}

/**
 * Returns the time of a change in microseconds. It is always later than the time of the record's previous change, so
 * that lists sorted by time show the changes in their order.
 */
function changeTime({ changedUs }: { readonly changedUs: number }, nowMs: number): number {
  // The time of the previous change may be in the future, if the system clock was set back since then. In this
  // case the new time is counted on from the previous time, not taken from the clock.
  const ms = Math.max(nowMs, Math.floor(changedUs / 1000));
  const isSameSecond = Math.floor(ms / 1000) === Math.floor(changedUs / 1e6);
  return ms * 1000 + (isSameSecond ? Math.min(999, (changedUs % 1000) + 1) : 0);
}

/**
 * Returns the steps that insert the terms (filter values) of a record; the steps are part of a write. `id`: the
 * row id of the record. When `id` is absent, the record is the one that the first step of the same write
 * inserts.
 */
function termSteps(terms: readonly string[], id?: number): readonly Step[] {
  const rows = [...new Set(terms)].map((term) => ({ record_id: id ?? 0, term }));
  const steps: Step[] = [];
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    steps.push({ insert: "record_terms", rows: rows.slice(at, at + rowsAtOnce), ...ofFirst(id) });
  }
  return steps;
}

function contentSteps(content: unknown, id?: number): readonly Step[] {
  if (content === undefined) return [];
  const row = { record_id: id ?? 0, content: JSON.stringify(content) };
  return [{ insert: "record_contents", rows: [row], ...ofFirst(id) }];
}

function ofFirst(id: number | undefined): { readonly of?: number } {
  return id === undefined ? { of: 0 } : {};
}

/**
 * Converts a database row into a record. The JSON document is parsed only when the member `document` is first
 * read.
 */
function storedOf<Document>(row: ListedRow): StoredRecord<Document> {
  const { id, uuid, version, status, create_at: createAt, update_at: changedUs } = row;
  const updateAt = Math.floor(changedUs / 1e6);
  let document: Document | undefined;
  return {
    ...{ id, uuid, version, status, createAt, updateAt, changedUs },
    get document() {
      return (document ??= JSON.parse(row.document) as Document);
    },
  };
}
