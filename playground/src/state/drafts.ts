// Stores drafts in IndexedDB. The tab's session storage holds the id of its draft, so that a reload finds it again.

import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import { type Project, parseProject } from "./project.ts";
import { tabTexts } from "./storage.ts";

export interface Draft {
  readonly id: string;
  /** Time of the last change, in milliseconds since 1970. */
  readonly changed: number;
  readonly project: Project;
}

interface Schema extends DBSchema {
  drafts: { key: string; value: { id: string; changed: number; project: unknown } };
}

export interface Drafts {
  /** Returns all drafts, the newest first. */
  all(): Promise<Draft[]>;
  get(id: string): Promise<Draft | null>;
  put(draft: Draft): Promise<void>;
  remove(id: string): Promise<void>;
}

const most = 50;

/** Opens the store; null where the browser provides no storage, as in some private windows. */
export async function openDrafts(): Promise<Drafts | null> {
  let db: IDBPDatabase<Schema>;
  try {
    db = await openDB<Schema>("millrace-playground", 1, {
      upgrade: (fresh) => void fresh.createObjectStore("drafts", { keyPath: "id" }),
    });
  } catch {
    return null;
  }
  const read = (stored: Schema["drafts"]["value"] | undefined): Draft | null => {
    const project = stored === undefined ? null : parseProject(stored.project);
    return stored === undefined || project === null ? null : { id: stored.id, changed: stored.changed, project };
  };
  const all = async () =>
    (await db.getAll("drafts"))
      .map(read)
      .filter((draft) => draft !== null)
      .sort((a, b) => b.changed - a.changed);
  return {
    all,
    get: async (id) => read(await db.get("drafts", id)),
    put: async (draft) => {
      await db.put("drafts", { ...draft });
      for (const old of (await all()).slice(most)) await db.delete("drafts", old.id);
    },
    remove: async (id) => void (await db.delete("drafts", id)),
  };
}

let release: (() => void) | null = null;

/**
 * Claims a draft for this tab. Resolves to whether the tab may write to the draft, which is so when no other tab has it
 * open. Releases the draft that the tab claimed before.
 */
export function claimDraft(id: string): Promise<boolean> {
  release?.();
  release = null;
  if (navigator.locks === undefined) return Promise.resolve(true);
  return new Promise((resolve) => {
    navigator.locks
      .request(`millrace-draft-${id}`, { ifAvailable: true }, (lock) => {
        resolve(lock !== null);
        return lock === null
          ? undefined
          : new Promise<void>((end) => {
              release = end;
            });
      })
      // The browser denies locks together with the storage, so no other tab stores this draft either.
      .catch(() => resolve(true));
  });
}

const sessionKey = "millrace-draft";

export function rememberedDraft(): string | null {
  return tabTexts.get(sessionKey);
}

export function rememberDraft(id: string): void {
  tabTexts.set(sessionKey, id);
}
