// Records: named documents of a kind, each of one workspace. A change is computed from the record as it is and written only
// if it still is so, else computed again: of changes made at the same time none is lost. Each is told to the audit log.

import { type AuditEntry, auditStep, changeOf } from "./audit.ts";
import type { Scope } from "./scope.ts";
import type { MetadataStore, NewRow, Step, Where } from "./store.ts";
import type { ListedRow } from "./tables.ts";
import { foldedText } from "./text.ts";

export interface StoredRecord<Document> {
  /** The row's number. */
  readonly id: number;
  readonly uuid: string;
  readonly version: number;
  readonly status: number;
  /** Seconds since 1970. */
  readonly createAt: number;
  /** The same. */
  readonly updateAt: number;
  /** Microseconds since 1970; the last three digits count the earlier states of the same second, up to 999. */
  readonly changedUs: number;
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
  store: MetadataStore,
  kind: string,
  nowMs: () => number,
): Records<Document> {
  const rowsOf = ({ workspace }: Scope, where: Where<"records">) =>
    store.find("records", { workspace, kind, ...where });

  const one = async (scope: Scope, where: Where<"records">) => {
    const [row] = await rowsOf(scope, where);
    return row === undefined ? undefined : storedOf<Document>(row);
  };
  const get = (scope: Scope, uuid: string) => one(scope, { uuid });

  return {
    get,
    byName: (scope, uniqueName) => one(scope, { unique_name: uniqueName }),
    whole: async (scope, uuid) => {
      for (;;) {
        const stored = await get(scope, uuid);
        if (stored === undefined) return undefined;
        const [row] = await store.find("record_contents", { record_id: stored.id });
        // Both are of one moment when the record has not changed since.
        const [same] = await rowsOf(scope, { uuid });
        if (same?.version !== stored.version) continue;
        return { stored, content: row === undefined ? undefined : (JSON.parse(row.content) as unknown) };
      }
    },
    named: async (scope, names, make) => {
      const wanted = [...new Set(names)];
      const found = new Map<string, StoredRecord<Document>>();
      for (let at = 0; at < wanted.length; at += rowsAtOnce) {
        const some = wanted.slice(at, at + rowsAtOnce);
        for (;;) {
          for (const row of await rowsOf(scope, { unique_name: some })) {
            found.set(row.unique_name!, storedOf<Document>(row));
          }
          const missing = some.filter((name) => !found.has(name)).map(make);
          if (missing.length === 0) break;
          const now = nowMs();
          // Not done where another request has made one of them in between: they are looked for again.
          await store.write([
            { insert: "records", rows: missing.map((record) => newRow(scope, kind, record, now)) },
            auditStep(
              scope,
              missing.map((record) => creation(kind, record)),
              now,
            ),
          ]);
        }
      }
      return wanted.map((name) => found.get(name)!);
    },
    list: async (scope, { search = "", anyTerm = [], pageIndex, pageSize }) => {
      const { rows, totalCount } = await store.listRecords({
        workspace: scope.workspace,
        kind,
        search: foldedText(search),
        anyTerm,
        limit: pageSize,
        offset: (pageIndex - 1) * pageSize,
      });
      return { rows: rows.map((row) => storedOf<Document>(row)), totalCount };
    },
    create: async (scope, record) => {
      const now = nowMs();
      const row = newRow(scope, kind, record, now);
      const written = await store.write([
        { insert: "records", rows: [row] },
        ...termSteps(record.terms ?? []),
        ...contentSteps(record.content),
        auditStep(scope, [creation(kind, record)], now),
      ]);
      if (written.done) return storedOf<Document>({ ...row, id: written.ids[0]![0]! });
      throw new DuplicateRecord((await get(scope, record.uuid)) === undefined ? "name" : "uuid");
    },
    change: async (scope, uuid, decide) => {
      for (;;) {
        const before = await get(scope, uuid);
        if (before === undefined) return undefined;
        const wanted = decide(before);
        if (wanted === undefined) return { before, after: before };
        const after = await writeChange(store, scope, kind, before, wanted, nowMs());
        if (after !== undefined) return { before, after };
      }
    },
    remove: async (scope, uuid) => {
      for (;;) {
        const stored = await get(scope, uuid);
        if (stored === undefined) return undefined;
        const change = changeOf(stored.document, undefined);
        const written = await store.write([
          { delete: "records", where: { id: stored.id, version: stored.version }, mustBeThere: true },
          { delete: "record_terms", where: { record_id: stored.id } },
          { delete: "record_contents", where: { record_id: stored.id } },
          auditStep(scope, [{ action: "delete", kind, uuid, change }], nowMs()),
        ]);
        if (written.done) return stored;
      }
    },
  };
}

/** Of one statement: databases bind a bounded number of values. */
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

/** Undefined when the record is no longer as it was. */
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

/** Later than that of the state before, so that lists have the order of the changes. */
function changeTime({ changedUs }: { readonly changedUs: number }, nowMs: number): number {
  // A clock may be set back.
  const ms = Math.max(nowMs, Math.floor(changedUs / 1000));
  const isSameSecond = Math.floor(ms / 1000) === Math.floor(changedUs / 1e6);
  return ms * 1000 + (isSameSecond ? Math.min(999, (changedUs % 1000) + 1) : 0);
}

/** Without an id: of the record that the first step makes. */
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

/** The document is parsed when it is asked for. */
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
