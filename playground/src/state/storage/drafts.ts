// Stores drafts (projects that the user works on) in IndexedDB. The session storage of a tab holds the id of the tab's
// draft, so that a reload of the page opens this draft again. A page that is left writes its last changes to the local
// storage, because it cannot wait for IndexedDB; the next page moves them to IndexedDB.

import { type DBSchema, openDB } from "idb";
import { type Project, parseProject } from "../project.ts";
import { tabTexts, visitTexts } from "./storage.ts";

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

/** Largest number of drafts. When there is one more, the draft that was changed least recently is deleted. */
export const mostDrafts = 50;

/** Functions that are called when something happens to the database of drafts, while it is opened or later. */
export interface StoreEvents {
  /**
   * Called when another tab, with an older version of the page, has the database open. The database opens in this tab
   * as soon as the other tab closes it.
   */
  readonly blocked: () => void;
  /**
   * Called when another tab, with a newer version of the page, wants to open the database. This tab closes the database
   * after the call.
   */
  readonly outdated: () => void;
  /** Called when the browser has closed the database. */
  readonly lost: () => void;
}

/** Opens the database of drafts. Throws when the browser provides no storage, as in some private windows. */
export async function openDrafts({ blocked, outdated, lost }: StoreEvents): Promise<Drafts> {
  const db = await openDB<Schema>("millrace-playground", 1, {
    upgrade: (fresh) => void fresh.createObjectStore("drafts", { keyPath: "id" }),
    blocked,
    blocking: (_current, _next, { target }) => {
      outdated();
      // Writes that have begun still complete after `close` was called.
      (target as IDBDatabase).close();
    },
    terminated: lost,
  });
  const all = async () =>
    (await db.getAll("drafts"))
      .map(readDraft)
      .filter((draft) => draft !== null)
      .sort((a, b) => b.changed - a.changed);
  const drafts: Drafts = {
    all,
    get: async (id) => readDraft(await db.get("drafts", id)),
    put: async (draft) => {
      await db.put("drafts", { ...draft });
      for (const old of (await all()).slice(mostDrafts)) await db.delete("drafts", old.id);
    },
    remove: async (id) => void (await db.delete("drafts", id)),
  };
  await moveLeft(drafts);
  return drafts;
}

function readDraft(stored: unknown): Draft | null {
  const { id, changed, project } = (stored ?? {}) as Record<string, unknown>;
  const read = parseProject(project);
  if (read === null || typeof id !== "string" || typeof changed !== "number") return null;
  return { id, changed, project: read };
}

const leftPrefix = "millrace-left-";

/**
 * Stores a draft at once, before this function returns. Returns whether it is stored: a draft that is too large for the
 * local storage is not.
 */
export function leaveDraft(draft: Draft): boolean {
  return visitTexts.set(leftPrefix + draft.id, JSON.stringify(draft));
}

/**
 * Returns the drafts that `leaveDraft` has stored in the local storage and that are not in IndexedDB yet, the newest
 * first.
 */
export function leftDrafts(): Draft[] {
  return visitTexts
    .keys(leftPrefix)
    .map((key) => readLeft(visitTexts.get(key)))
    .filter((draft) => draft !== null)
    .sort((a, b) => b.changed - a.changed);
}

/** Removes the copy of a draft that `leaveDraft` has stored, because IndexedDB holds the draft now. */
export function forgetLeft(id: string): void {
  visitTexts.set(leftPrefix + id, null);
}

/**
 * Moves drafts from the local storage, where `leaveDraft` has put them, to IndexedDB. Discards a draft when IndexedDB
 * holds a newer version of it.
 */
async function moveLeft(drafts: Drafts): Promise<void> {
  for (const key of visitTexts.keys(leftPrefix)) {
    const left = readLeft(visitTexts.get(key));
    try {
      const stored = left === null ? null : await drafts.get(left.id);
      if (left !== null && (stored === null || stored.changed <= left.changed)) await drafts.put(left);
      visitTexts.set(key, null);
    } catch {
      // The draft stays in the local storage until IndexedDB has space for it.
    }
  }
}

function readLeft(text: string | null): Draft | null {
  try {
    return readDraft(JSON.parse(text ?? "null"));
  } catch {
    return null;
  }
}

const lockPrefix = "millrace-draft-";
let release: (() => void) | null = null;

/** Returns whether any tab, this one or another one, has the draft open. */
export async function isOpenAnywhere(id: string): Promise<boolean> {
  const { held = [] } = (await navigator.locks?.query().catch(() => null)) ?? {};
  return held.some(({ name }) => name === lockPrefix + id);
}

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
      .request(lockPrefix + id, { ifAvailable: true }, (lock) => {
        resolve(lock !== null);
        return lock === null
          ? undefined
          : new Promise<void>((end) => {
              release = end;
            });
      })
      // A browser that denies locks also denies storage. Then no other tab can store this draft, so this tab may use
      // it.
      .catch(() => resolve(true));
  });
}

const draftKey = "millrace-draft";
const openedKey = "millrace-opened";

export function rememberedDraft(): string | null {
  return tabTexts.get(draftKey);
}

export function rememberDraft(id: string): void {
  tabTexts.set(draftKey, id);
}

/**
 * Remembers, for a reload of this tab, the project that was opened and not edited; null removes the remembered project.
 * Such a project is no draft.
 */
export function rememberOpened(project: Project | null): void {
  tabTexts.set(openedKey, project === null ? null : JSON.stringify(project));
}

export function rememberedOpened(): Project | null {
  try {
    return parseProject(JSON.parse(tabTexts.get(openedKey) ?? "null"));
  } catch {
    return null;
  }
}
