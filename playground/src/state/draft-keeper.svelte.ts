// Stores the project of this tab as a draft, and lists all drafts. A project that was opened and not edited is not a
// draft, and no part of it is stored.

import {
  claimDraft,
  type Draft,
  type Drafts,
  forgetLeft,
  leaveDraft,
  openDrafts,
  rememberDraft,
  rememberedDraft,
  rememberedOpened,
  rememberOpened,
} from "./drafts.ts";
import type { Project } from "./project.ts";

const saveDelayMs = 400;

export class DraftKeeper {
  drafts = $state.raw<readonly Draft[]>([]);
  /** Whether this browser can store drafts. */
  keeps = $state(true);
  /** `opened`: not edited, so nothing is stored. `changed`: edited, and not yet stored. `saved`: stored as it is. */
  state = $state<"opened" | "changed" | "saved">("opened");

  private readonly project: () => Project;
  private store: Drafts | null = null;
  private id: string = crypto.randomUUID();
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Counts the edits, so that a save knows whether the project was edited while the save ran. */
  private edits = 0;

  /** `project` returns the project of this tab as it is now. */
  constructor(project: () => Project) {
    this.project = project;
  }

  /** A text for the status bar that says whether the project is stored as a draft. */
  get text(): string {
    if (!this.keeps) return "drafts are not kept";
    return { opened: "not edited yet", changed: "draft changed", saved: "draft saved" }[this.state];
  }

  /**
   * Opens the store. Returns what this tab had open (an unedited project or a draft), or else the newest draft; null
   * when there is none.
   */
  async open(): Promise<Draft | Project | null> {
    this.store = await openDrafts();
    this.keeps = this.store !== null;
    const opened = rememberedOpened();
    if (opened !== null) return opened;
    if (this.store === null) return null;
    const id = rememberedDraft();
    return (id === null ? null : await this.store.get(id)) ?? (await this.store.all())[0] ?? null;
  }

  /**
   * Called after a project was opened. An opened draft stays the same draft; any other project becomes a new draft when
   * it is edited.
   */
  async take(project: Project, draftId: string | null): Promise<void> {
    await this.save();
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
   * Called when the user has chosen another view of the project. This does not make a draft of a project that was not
   * edited.
   */
  viewChanged(): void {
    if (this.state === "opened") rememberOpened(this.project());
    else this.changed();
  }

  async save(): Promise<void> {
    clearTimeout(this.timer);
    if (this.state !== "changed") return;
    const { edits, id } = this;
    await this.store?.put(this.draft());
    // When the project was edited during the save, it is saved again later, and until then its copy in the local
    // storage must stay.
    if (edits === this.edits) {
      forgetLeft(id);
      if (this.state === "changed") this.state = "saved";
    }
    await this.list();
  }

  /**
   * Called when the user may be leaving the page. Stores the draft in the local storage before this method returns, and
   * in IndexedDB if there is still time.
   */
  leave(): void {
    if (this.state !== "changed" || this.store === null) return;
    leaveDraft(this.draft());
    void this.save();
  }

  /** Deletes a draft. Returns a function that brings it back. */
  async remove(draft: Draft): Promise<() => void> {
    await this.store?.remove(draft.id);
    await this.list();
    return () => void this.put(draft);
  }

  /** Stores a draft other than the one of this tab. */
  async put(draft: Draft): Promise<void> {
    await this.store?.put(draft);
    await this.list();
  }

  isCurrent(id: string): boolean {
    return id === this.id;
  }

  async list(): Promise<void> {
    this.drafts = (await this.store?.all()) ?? [];
  }

  private draft(): Draft {
    // The page holds the project as a plain object (`$state.raw`), because IndexedDB cannot store a proxy.
    return { id: this.id, changed: Date.now(), project: this.project() };
  }
}
