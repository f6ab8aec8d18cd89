// The metadata store for request handlers: workspaces, API keys, records of any kind, the audit log, and first
// answers for repeated requests. It runs in any JavaScript runtime; the store that holds the rows is passed in.

import { type KeyStore, keyStore } from "./keys.ts";
import { type Records, recordsOf } from "./records.ts";
import { type Replays, replaysOf } from "./replays.ts";
import { plantSeed, type Seed } from "./seed.ts";
import type { AuditQuestion, MetadataStore, RowPage } from "./store.ts";
import type { AuditRow } from "./tables.ts";
import { type WorkspaceStore, workspaceStore } from "./workspaces.ts";

export interface Metadata {
  readonly kind: MetadataStore["kind"];
  readonly workspaces: WorkspaceStore;
  readonly keys: KeyStore;
  readonly replays: Replays;
  /** Returns the records of a kind, such as `dashboard`; the documents of a kind have one type. */
  records<Document extends object>(kind: string): Records<Document>;
  audit(question: AuditQuestion): Promise<RowPage<AuditRow>>;
  /** Deletes entries of the audit log of all workspaces from before this time (ms since 1970). */
  forgetAudit(beforeMs: number): Promise<void>;
  /** Makes the missing workspaces and keys of the seed, all or nothing. Throws SeedConflict. */
  plant(seed: Seed): Promise<void>;
  close(): Promise<void>;
}

/** Returns the metadata in `store`. `now`: milliseconds since 1970. */
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
    plant: (seed) => plantSeed(store, seed, now()),
    close: () => store.close(),
  };
}
