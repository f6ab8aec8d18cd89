// Keeps the project of this tab as a draft: when it is stored, under which id, and which other drafts there are. A
// project that was opened and not edited is no draft, and nothing of it is stored.

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

  /** How the project is kept, for the status bar. */
  get text(): string {
    if (!this.keeps) return "drafts are not kept";
    return { opened: "not edited yet", changed: "draft changed", saved: "draft saved" }[this.state];
  }

  /** Opens the store. Returns the draft, or the project that is no draft, which this tab had open; null for a new tab. */
  async open(): Promise<Draft | Project | null> {
    this.store = await openDrafts();
    this.keeps = this.store !== null;
    const opened = rememberedOpened();
    if (opened !== null) return opened;
    if (this.store === null) return null;
    const id = rememberedDraft();
    return (id === null ? null : await this.store.get(id)) ?? (await this.store.all())[0] ?? null;
  }

  /** Takes a project that was opened; a draft is continued, any other project becomes a draft when it is edited. */
  async take(project: Project, draftId: string | null): Promise<void> {
    await this.save();
    const id = draftId ?? crypto.randomUUID();
    this.id = (await claimDraft(id)) ? id : crypto.randomUUID();
    this.state = draftId === null ? "opened" : "saved";
    rememberDraft(this.id);
    rememberOpened(draftId === null ? project : null);
  }

  /** The project was edited. It is stored after a pause. */
  changed(): void {
    this.edits++;
    if (this.state === "opened") rememberOpened(null);
    this.state = "changed";
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.save(), saveDelayMs);
  }

  /** Another view of the project was chosen, which makes no draft of a project that was not edited. */
  viewChanged(): void {
    if (this.state === "opened") rememberOpened(this.project());
    else this.changed();
  }

  async save(): Promise<void> {
    clearTimeout(this.timer);
    if (this.state !== "changed") return;
    const { edits, id } = this;
    await this.store?.put(this.draft());
    // An edit that was made meanwhile needs a further save, and its copy in the local storage has to stay.
    if (edits === this.edits) {
      forgetLeft(id);
      if (this.state === "changed") this.state = "saved";
    }
    await this.list();
  }

  /** The page may be left: stores the draft before this method returns, and in IndexedDB if there is still time. */
  leave(): void {
    if (this.state !== "changed" || this.store === null) return;
    leaveDraft(this.draft());
    void this.save();
  }

  /** Deletes a draft. Returns a function that brings it back. */
  async remove(draft: Draft): Promise<() => void> {
    await this.store?.remove(draft.id);
    await this.list();
    return () => void this.store?.put(draft).then(() => this.list());
  }

  isCurrent(id: string): boolean {
    return id === this.id;
  }

  async list(): Promise<void> {
    this.drafts = (await this.store?.all()) ?? [];
  }

  private draft(): Draft {
    // The project is a raw state, not a proxy, so that it can be stored as it is.
    return { id: this.id, changed: Date.now(), project: this.project() };
  }
}
