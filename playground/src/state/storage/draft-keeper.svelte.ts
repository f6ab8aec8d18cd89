// Stores the project of this tab as a draft, and lists all drafts. A project that was opened and not edited is not a
// draft, and no part of it is stored.

import { t } from "../../text/translate.ts";
import type { Project } from "../project.ts";
import {
  claimDraft,
  type Draft,
  type Drafts,
  forgetLeft,
  leaveDraft,
  leftDrafts,
  openDrafts,
  rememberDraft,
  rememberedDraft,
  rememberedOpened,
  rememberOpened,
} from "./drafts.ts";
import { faultOf, type StorageFault, triesAgain } from "./storage-fault.ts";

const saveDelayMs = 400;
/** When the database of drafts has not opened after this many milliseconds, the page continues without it. */
const patienceMs = 2000;
/** Time in milliseconds after which a draft that could not be stored is stored again. */
const retryMs = 10_000;

export class DraftKeeper {
  drafts = $state.raw<readonly Draft[]>([]);
  /** The reason why drafts are not stored; null while they are stored. */
  fault = $state.raw<StorageFault | null>(null);
  /**
   * Whether the project of this tab is stored. `opened`: not stored, because the user has not edited it. `changed`: the
   * last edit is not stored yet. `saved`: all edits are stored.
   */
  state = $state<"opened" | "changed" | "saved">("opened");

  private readonly project: () => Project;
  private store: Drafts | null = null;
  private id: string = crypto.randomUUID();
  private isOpening = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /**
   * Number of edits of the project so far. Code that stores the project compares the number before and after storing,
   * and so notices an edit that was made meanwhile.
   */
  private edits = 0;

  /** `project` returns the current project of this tab. */
  constructor(project: () => Project) {
    this.project = project;
  }

  /** Whether this browser stores drafts now. */
  get keeps(): boolean {
    return this.fault === null;
  }

  /** A text for the status bar that says whether the project is stored as a draft. */
  get text(): string {
    if (!this.keeps) return t("drafts are not kept");
    return { opened: t("not edited yet"), changed: t("draft changed"), saved: t("draft saved") }[this.state];
  }

  /**
   * Opens the database of drafts. Returns the project that this tab had open before a reload (unedited, or as a draft),
   * or else the newest draft; null when there is none.
   */
  async open(): Promise<Draft | Project | null> {
    await this.openStore();
    const opened = rememberedOpened();
    if (opened !== null) return opened;
    const drafts = await this.all();
    const id = rememberedDraft();
    return drafts.find((each) => each.id === id) ?? drafts[0] ?? null;
  }

  /**
   * Opens the database of drafts. When this fails or takes too long, the page goes on without it, and uses the database
   * if it opens later.
   */
  private openStore(): Promise<void> {
    if (this.isOpening) return Promise.resolve();
    this.isOpening = true;
    return new Promise((resolve) => {
      const goOn = (fault: StorageFault | null) => {
        clearTimeout(timer);
        this.fault = fault;
        resolve();
      };
      const timer = setTimeout(() => goOn({ kind: "failed", reason: t("It does not answer.") }), patienceMs);
      openDrafts({
        blocked: () => goOn({ kind: "blocked", reason: "" }),
        outdated: () => {
          // The database of drafts is closed after this call, so the last edits are stored first.
          void this.save();
          this.lose({ kind: "outdated", reason: "" });
        },
        lost: () => this.lose({ kind: "failed", reason: t("It was closed.") }),
      })
        .then(
          (store) => {
            this.store = store;
            goOn(null);
            // The database may have opened late. Edits that the user made before it opened are not stored yet, so they
            // are stored now.
            if (this.state === "changed") void this.save();
            void this.list();
          },
          (error) => goOn(faultOf(error)),
        )
        .finally(() => {
          this.isOpening = false;
        });
    });
  }

  private lose(fault: StorageFault): void {
    this.store = null;
    this.fault = fault;
  }

  /** Tries again to store the project of this tab as a draft. */
  async retry(): Promise<void> {
    if (this.store === null) await this.openStore();
    await this.save();
  }

  /**
   * Runs `work` on the database of drafts. Returns true on success; on failure returns false and stores the reason in
   * `fault`.
   */
  private async within(work: (store: Drafts) => Promise<void>): Promise<boolean> {
    if (this.store === null && this.fault !== null && triesAgain(this.fault)) await this.openStore();
    if (this.store === null) return false;
    try {
      await work(this.store);
      // The browser may have closed the database while `work` ran. Then `store` is null, and `fault` has the reason for
      // the closing, which must not be cleared.
      if (this.store !== null) this.fault = null;
      return true;
    } catch (error) {
      this.fault = faultOf(error);
      // A database that the browser has closed is opened again.
      if ((error as Error).name === "InvalidStateError") this.store = null;
      return false;
    }
  }

  /** Returns all drafts that can be read, the newest first. */
  private async all(): Promise<readonly Draft[]> {
    let stored: readonly Draft[] = [];
    try {
      stored = (await this.store?.all()) ?? [];
    } catch (error) {
      this.fault ??= faultOf(error);
    }
    const left = leftDrafts().filter(
      ({ id, changed }) => !stored.some((each) => each.id === id && each.changed > changed),
    );
    const others = stored.filter(({ id }) => !left.some((each) => each.id === id));
    return [...left, ...others].sort((a, b) => b.changed - a.changed);
  }

  /**
   * Called after a project was opened. An opened draft stays the same draft; any other project becomes a new draft when
   * it is edited.
   */
  async take(project: Project, draftId: string | null): Promise<void> {
    await this.save();
    if (this.state === "changed") {
      leaveDraft(this.draft());
      await this.list();
    }
    const id = draftId ?? crypto.randomUUID();
    this.id = (await claimDraft(id)) ? id : crypto.randomUUID();
    this.state = draftId === null ? "opened" : "saved";
    rememberDraft(this.id);
    rememberOpened(draftId === null ? project : null);
  }

  /** Called after the project was edited; stores it after a pause. */
  changed(): void {
    this.edits++;
    if (this.state === "opened") rememberOpened(null);
    this.state = "changed";
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.save(), saveDelayMs);
  }

  /**
   * Called when the user has chosen another view of the project. Changing the view does not count as an edit, so it
   * does not turn an unedited project into a draft.
   */
  viewChanged(): void {
    if (this.state === "opened") rememberOpened(this.project());
    else this.changed();
  }

  async save(): Promise<void> {
    clearTimeout(this.timer);
    if (this.state !== "changed") return;
    const { edits, id } = this;
    if (!(await this.within((store) => store.put(this.draft())))) {
      if (this.fault !== null && triesAgain(this.fault)) this.timer = setTimeout(() => void this.save(), retryMs);
      return;
    }
    // An edit that was made during the save is saved later. Until then, the copy of the project in the local storage
    // must stay.
    if (edits === this.edits) {
      forgetLeft(id);
      if (this.state === "changed") this.state = "saved";
    }
    await this.list();
  }

  /**
   * Called when the user may be leaving the page. Stores the draft in the local storage before this method
   * returns, and also in IndexedDB if there is still time. Returns false when the last edits are lost, because
   * both storages refuse them.
   */
  leave(): boolean {
    if (this.state !== "changed") return true;
    const isLeft = leaveDraft(this.draft());
    if (this.store !== null) void this.save();
    return isLeft || this.keeps;
  }

  /** Deletes a draft. Returns a function that brings it back. */
  async remove(draft: Draft): Promise<() => void> {
    forgetLeft(draft.id);
    await this.within((store) => store.remove(draft.id));
    await this.list();
    // Deleting the draft has freed space, which may be enough for the draft of this tab that could not be stored.
    void this.save();
    return () => void this.put(draft);
  }

  /** Stores a draft that is not the draft of this tab. */
  async put(draft: Draft): Promise<void> {
    if (!(await this.within((store) => store.put(draft)))) leaveDraft(draft);
    await this.list();
  }

  isCurrent(id: string): boolean {
    return id === this.id;
  }

  async list(): Promise<void> {
    this.drafts = await this.all();
  }

  private draft(): Draft {
    // The page holds the project as a plain object (`$state.raw`), because IndexedDB cannot store a proxy.
    return { id: this.id, changed: Date.now(), project: this.project() };
  }
}
