// Stores drafts (projects that the user works on) in IndexedDB. The session storage of a tab holds the id of the tab's
// draft, so that a reload of the page opens this draft again.

import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import { type Project, parseProject } from "./project.ts";
import { tabTexts } from "./storage.ts";

export interface Draft {
  readonly id: string;
  /** Time of the draft's last change, in milliseconds since 1970. */
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

/** Opens the store of drafts. Returns null when the browser provides no storage, as in some private windows. */
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
 * Claims a draft for this tab and releases the draft that the tab claimed before. Resolves to true when this tab may
 * write to the draft, or to false when another tab has the draft open.
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
      // A browser that denies locks also denies storage, so no other tab can store this draft either.
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
