// The metadata store as request handlers use it. It contains workspaces, API keys, records (named documents such
// as dashboards), the audit log, and stored answers for repeated requests. It runs in any JavaScript runtime;
// the caller passes in the store with the table rows.

import { type KeyStore, keyStore } from "./keys.ts";
import { type Records, recordsOf } from "./records.ts";
import { type Replays, replaysOf } from "./replays.ts";
import { applySeed, type Seed } from "./seed.ts";
import type { AuditQuestion, MetadataStore, RowPage } from "./store.ts";
import type { AuditRow } from "./tables.ts";
import { type WorkspaceStore, workspaceStore } from "./workspaces.ts";

export interface Metadata {
  readonly kind: MetadataStore["kind"];
  readonly workspaces: WorkspaceStore;
  readonly keys: KeyStore;
  readonly replays: Replays;
  /**
   * Returns the store for all records of one kind, such as `dashboard`. The documents of these records have the
   * same type.
   */
  records<Document extends object>(kind: string): Records<Document>;
  audit(question: AuditQuestion): Promise<RowPage<AuditRow>>;
  /** Deletes, in all workspaces, the audit log entries that are older than this time (ms since 1970). */
  forgetAudit(beforeMs: number): Promise<void>;
  /**
   * Creates the workspaces and keys of the seed (a list in a file of the operator) that do not exist yet. Creates
   * all of them or, if one cannot be created, none. Throws SeedConflict.
   */
  plant(seed: Seed): Promise<void>;
  close(): Promise<void>;
}

/** Returns the metadata store whose table rows are in `store`. `now`: returns the current time in ms since 1970. */
export function createMetadata(store: MetadataStore, now: () => number): Metadata {
  const known = new Map<string, Records<object>>();
  return {
    kind: store.kind,
    workspaces: workspaceStore(store, now),
    keys: keyStore(store, now),
    replays: replaysOf(store, now),
    records: <Document extends object>(kindOf: string) => {
      let records = known.get(kindOf);
      if (records === undefined) known.set(kindOf, (records = recordsOf<object>(store, kindOf, now)));
      return records as unknown as Records<Document>;
    },
    audit: (question) => store.listAudit(question),
    forgetAudit: (beforeMs) => store.forget("audit", beforeMs),
    plant: (seed) => applySeed(store, seed, now()),
    close: () => store.close(),
  };
}
