// The tests of the scripts in the page's project. They run again after every change of the scripts or of the tests. The
// user can add, change and remove tests.

import { t } from "../../text/translate.ts";
import type { SideWorker } from "../../worker/client.ts";
import type { PointRecord } from "../../worker/protocol.ts";
import type { TestAnswer, TestEdit, TestJob } from "../../worker/tests/test-job.ts";
import { type Project, parseMoment } from "../project.ts";

const delayMs = 300;
/** Time in milliseconds that all tests together may take. */
const limitMs = 10_000;

/** The parts of the session (the state of the page) that the tests use. */
export interface TestedSession {
  readonly project: Project;
  change(part: Partial<Project>): void;
  say(toast: { readonly tone: "info" | "error"; readonly text: string; readonly undo?: () => void }): void;
}

export class ScriptTests {
  /** The results of the last run; null before the first one. */
  answer = $state.raw<TestAnswer | null>(null);
  /** Whether scripts or tests have changed since the tests ran. */
  isStale = $state(false);

  private readonly session: TestedSession;
  private readonly worker: SideWorker;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private runs = 0;
  private lastEdit: Promise<void> = Promise.resolve();

  constructor(session: TestedSession, worker: SideWorker) {
    this.session = session;
    this.worker = worker;
  }

  get failed(): number {
    return this.answer?.kind === "ran"
      ? this.answer.outcomes.filter(({ differences }) => differences.length > 0).length
      : 0;
  }

  /** Runs the tests after a pause, because scripts or tests have changed. */
  changed(): void {
    clearTimeout(this.timer);
    this.runs++;
    if (this.session.project.tests.trim() === "") {
      this.answer = null;
      this.isStale = false;
      return;
    }
    this.isStale = true;
    this.timer = setTimeout(() => void this.run(), delayMs);
  }

  private async run(): Promise<void> {
    const own = ++this.runs;
    const answer = await this.worker.call(limitMs, (api) => api.runTests(this.job()));
    if (own !== this.runs) return;
    this.answer = answer ?? {
      kind: "wrong",
      message: t("The tests did not end within 10 seconds, so they were stopped."),
    };
    this.isStale = false;
  }

  /** Adds a test whose input is the input point of a row. The test expects the result that the scripts have now. */
  async keep(record: PointRecord): Promise<void> {
    const { before, category, number } = record;
    if (before === null) {
      this.session.say({ tone: "error", text: t("This row has no input of its own, so it cannot become a test.") });
      return;
    }
    const { now, timeZone } = this.session.project;
    const message = before.entries.find(({ key }) => key === "message")?.text.trim() ?? "";
    const name = message === "" ? `point ${number}` : message.replaceAll(/\s+/g, " ").slice(0, 60);
    const zone = timeZone === "" ? Intl.DateTimeFormat().resolvedOptions().timeZone : timeZone;
    const kept = { name, point: before, category, now: parseMoment(now), timeZone: zone };
    await this.edit(t("The test is added."), (job) => this.worker.call(limitMs, (api) => api.addTest(job, kept)));
  }

  /** Changes a test so that it expects the result that the scripts have now. */
  async accept(index: number): Promise<void> {
    await this.edit(t("The test expects the present result."), (job) =>
      this.worker.call(limitMs, (api) => api.acceptTest(job, index)),
    );
  }

  async remove(index: number): Promise<void> {
    await this.edit(t("The test is removed."), (job) => this.worker.call(limitMs, (api) => api.removeTest(job, index)));
  }

  /** Replaces the tests by the text of a test file. */
  import(text: string): void {
    this.replace(text, t("The tests are read from the file."));
  }

  /**
   * Runs an edit of the tests after all earlier edits have ended, so that the edit starts from the result of the
   * earlier edits.
   */
  private edit(done: string, edit: (job: TestJob) => Promise<TestEdit | null>): Promise<void> {
    this.lastEdit = this.lastEdit.catch(() => {}).then(() => this.editNow(done, edit));
    return this.lastEdit;
  }

  private async editNow(done: string, edit: (job: TestJob) => Promise<TestEdit | null>): Promise<void> {
    const job = this.job();
    const answer = await edit(job);
    const problem = answer === null ? t("it took too long") : "problem" in answer ? answer.problem : null;
    if (problem !== null)
      this.session.say({ tone: "error", text: t("The tests stay as they are: {problem}.", { problem }) });
    // If the user has changed the tests while the worker edited them, the worker's edit is dropped.
    else if (this.session.project.tests === job.text) this.replace((answer as { readonly text: string }).text, done);
  }

  private replace(text: string, done: string): void {
    const before = this.session.project.tests;
    this.session.change({ tests: text });
    const undo = () => {
      if (this.session.project.tests === text) this.session.change({ tests: before });
    };
    this.session.say({ tone: "info", text: done, undo });
  }

  private job(): TestJob {
    const { tests, scripts, tables } = this.session.project;
    return { text: tests, scripts, tables };
  }
}
