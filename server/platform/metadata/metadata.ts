// The metadata store: workspaces, API keys, records of any kind, and the audit log of what changed them.

import { type AuditQuestion, forgetAudit, readAudit } from "./audit.ts";
import { type DatabaseKind, type DatabasePlace, openDatabase } from "./database.ts";
import { type KeyStore, keyStore } from "./keys.ts";
import { type Records, recordsOf } from "./records.ts";
import { plantSeed, type Seed } from "./seed.ts";
import type { AuditRow } from "./tables.ts";
import { type WorkspaceStore, workspaceStore } from "./workspaces.ts";

export interface Metadata {
  readonly kind: DatabaseKind;
  readonly workspaces: WorkspaceStore;
  readonly keys: KeyStore;
  /** `kind` such as `dashboard`; the documents of a kind are of one type. */
  records<Document extends object>(kind: string): Records<Document>;
  audit(question: AuditQuestion): Promise<{ readonly rows: readonly AuditRow[]; readonly totalCount: number }>;
  /** Entries of the audit log, of all workspaces, made before this time. */
  forgetAudit(beforeMs: number): Promise<void>;
  /** Makes the workspaces and keys that are not there yet, all or nothing. Throws SeedConflict. */
  plant(seed: Seed): Promise<void>;
  close(): Promise<void>;
}

export interface MetadataPlace extends DatabasePlace {
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** Throws when the database cannot be used. */
export async function openMetadata({ now = Date.now, ...place }: MetadataPlace): Promise<Metadata> {
  const { kind, db, close } = await openDatabase(place);
  const known = new Map<string, Records<object>>();
  return {
    kind,
    workspaces: workspaceStore(db, now),
    keys: keyStore(db, now),
    records: <Document extends object>(kindOf: string) => {
      let records = known.get(kindOf);
      if (records === undefined) known.set(kindOf, (records = recordsOf<object>(db, kindOf, now)));
      return records as unknown as Records<Document>;
    },
    audit: (question) => readAudit(db, question),
    forgetAudit: (beforeMs) => forgetAudit(db, beforeMs),
    plant: (seed) => plantSeed(db, seed, now()),
    close,
  };
}
