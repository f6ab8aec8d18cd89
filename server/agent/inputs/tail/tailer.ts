// Runs the input `tail`: scans folders for files, reads the files that have changed, and closes the files that are
// finished.

import path from "node:path";
import type { TailSettings } from "../../../config/settings/inputs-tail.ts";
import { createRepeated, type Repeated } from "../../../time/repeated.ts";
import { within } from "../../../time/within.ts";
import { createDeliver, type Origin } from "../delivery/deliver.ts";
import type { FetchingAgent, InputHost, OpenInput } from "../input.ts";
import { podTags } from "./container/pod-tags.ts";
import { createFolderWatch, type FolderWatch } from "./folder-watch.ts";
import { createTailGauges, type TailGauges } from "./gauges.ts";
import { Lanes } from "./lanes.ts";
import { OpenFiles } from "./open-files.ts";
import { openPositions, type Positions } from "./positions.ts";
import { type Source, sourceOf } from "./source.ts";
import { renamedMs, type TailedFile } from "./tailed-file.ts";

/** Least number of milliseconds between two regular scans for new and renamed files. */
const lookMs = 10_000;
/**
 * Longest time in milliseconds between two regular scans. It applies when many files make a scan slow. The operating
 * system reports changes in watched folders at once, so a regular scan seldom finds anything new.
 */
const longestLookMs = 300_000;
/**
 * Length of the pause after a regular scan, as a multiple of the duration of the scan. So scans take 0.1 % of
 * the time.
 */
const pausePerScan = 1000;
/** Milliseconds from the creation, renaming or removal of a file in a watched folder to the next scan for files. */
const soonMs = 200;
/** Milliseconds between two checks of whether the open files have changed. */
const tickMs = 1000;
/** Milliseconds for which a file with the setting `poll` is checked every second after it has changed. */
const recentMs = 60_000;
/** Milliseconds without a change after which a deleted file counts as finished. */
const deletedMs = 2000;
const closeMs = 10_000;

/**
 * Starts to read the files of all entries of `inputs.tail`. Throws when the positions up to which files were read
 * cannot be saved.
 */
export async function openTail(
  entries: readonly TailSettings[],
  agent: FetchingAgent,
  { dataDir, keptFiles }: InputHost,
): Promise<OpenInput> {
  const folder = path.join(dataDir, "tail");
  const positions = await openPositions({ folder, log: agent.log, now: () => Date.now() });
  return new Tailer(entries.map(sourceOf), agent, positions, keptFiles);
}

class Tailer implements OpenInput {
  private readonly sources: readonly Source[];
  private readonly agent: FetchingAgent;
  private readonly positions: Positions;
  private readonly gauges: TailGauges;
  private readonly files: OpenFiles;
  private readonly lanes: Lanes;
  private readonly watch: FolderWatch;
  /** Repeats the scans for files at intervals. */
  private readonly scans: Repeated;
  /** Repeats at intervals the check of whether the open files have changed. */
  private readonly ticks: Repeated;
  /** The controller of a signal that aborts when the tailer closes, so that no further file is read. */
  private readonly closing = new AbortController();
  /**
   * The controller of a signal that aborts the attempts to store events. It aborts when these attempts delay the
   * closing of the tailer for too long.
   */
  private readonly aborted = new AbortController();
  /**
   * Pause between a change of file names and the scan that the change causes. The pause grows with the duration of a
   * scan, so that scans take little of the total time.
   */
  private pauseMs = soonMs;
  /** The pause before the next regular scan. */
  private regularMs = lookMs;

  constructor(sources: readonly Source[], agent: FetchingAgent, positions: Positions, kept: InputHost["keptFiles"]) {
    this.sources = sources;
    this.agent = agent;
    this.positions = positions;
    this.gauges = createTailGauges(sources, agent.metrics, agent.log);
    this.lanes = this.createLanes();
    const wake = (file: TailedFile) => this.lanes.wake(file);
    this.files = new OpenFiles({ sources, agent, positions, kept, gauges: this.gauges, wake, now });
    this.watch = createFolderWatch({
      onWritten: (at) => {
        const file = this.files.at(at);
        if (file !== undefined) wake(file);
      },
      onNames: () => this.scans.soon(this.pauseMs),
      log: agent.log,
    });
    this.scans = createRepeated(
      () => this.scan(),
      () => this.regularMs,
    );
    this.ticks = createRepeated(
      () => this.checkFiles(),
      () => tickMs,
    );
  }

  async close(isReload: boolean): Promise<void> {
    this.closing.abort();
    this.watch.close();
    const idle = Promise.all([this.scans.close(), this.ticks.close(), this.lanes.whenIdle()]);
    if ((await within(idle, closeMs)) === undefined) {
      this.aborted.abort();
      await within(idle, closeMs);
    }
    await this.positions.close();
    await this.files.closeAll(isReload);
  }

  private createLanes(): Lanes {
    const { sources, agent, positions, closing } = this;
    const { metrics } = agent;
    const deliver = createDeliver({
      input: "tail",
      ingest: agent.ingest,
      now: agent.now,
      log: agent.log,
      onWait: (source) => metrics.tailWaits.inc({ source }),
      onSkip: (source) => metrics.tailSkipped.inc({ source }),
      closing: closing.signal,
      aborted: this.aborted.signal,
    });
    return new Lanes({
      longestEvent: Math.max(...sources.map(({ settings }) => settings.max_line_bytes)),
      deliver: (file, body) => deliver(originOf(file), body),
      positions,
      onEnd: async (file) => {
        if (file.isDeleted) metrics.tailRotations.inc({ source: file.source.settings.source, kind: "deleted" });
        await this.files.close(file);
      },
      onError: async (file, error) => {
        this.gauges.problem(file.source, file.path, `reading failed, it is opened again: ${error.message}`);
        await this.files.close(file);
      },
      now,
      metrics,
      closing: closing.signal,
    });
  }

  /** Whether the operating system reports the changes of all files. It reports no changes of network folders. */
  private get isTold(): boolean {
    return this.watch.isComplete && this.sources.every(({ settings }) => !settings.poll);
  }

  /** Scans for new, renamed and deleted files once, and watches the folders in which files may appear or change. */
  private async scan(): Promise<void> {
    const { signal } = this.closing;
    const began = now();
    try {
      const folders = await this.files.look(() => signal.aborted);
      const scanMs = now() - began;
      this.pauseMs = Math.min(lookMs, Math.max(soonMs, 20 * scanMs));
      // Lines may have been written before their folder was watched. So another scan follows soon when folders were
      // added.
      if (!signal.aborted && this.watch.setFolders(folders)) this.scans.soon(this.pauseMs);
      this.regularMs = this.isTold ? regularPauseMs(scanMs) : lookMs;
      this.gauges.show(this.files.all());
    } catch (error) {
      this.agent.log.error(`tail: files cannot be looked for: ${(error as Error).message}`);
    }
  }

  /** Schedules the reading of open files that have changed without a report from the operating system. */
  private async checkFiles(): Promise<void> {
    const began = now();
    for (const file of this.files.all()) {
      if (isLookedAt(file, began)) await lookAt(file, (changed) => this.lanes.wake(changed), now());
    }
    this.lanes.wakeQuiet();
    // Showing the gauges means adding up the numbers of all files. With ten thousand files, doing so every second would
    // be most of the work of an idle agent. So the gauges are shown only after a file was scheduled or read.
    if (this.lanes.takeActivity()) this.gauges.show(this.files.all());
  }
}

/** Returns the pause after a scan of `scanMs` milliseconds when the operating system reports changes of all files. */
export function regularPauseMs(scanMs: number): number {
  return Math.min(longestLookMs, Math.max(lookMs, pausePerScan * scanMs));
}

function now(): number {
  return performance.now();
}

function originOf({ path, source }: TailedFile): Origin {
  const ofPod = source.records === undefined ? [] : podTags(path);
  return { source: source.settings.source, tags: [["filename", path], ...source.tags, ...ofPod], place: path };
}

/**
 * Returns whether the size of a file must be checked every second: the system does not report its changes, or the file
 * is a gzip file that is read when it has not changed for a while.
 */
function isLookedAt({ source, grewAt, detachedAt, isDue }: TailedFile, now: number): boolean {
  return detachedAt !== undefined || isDue || (source.settings.poll && now - grewAt < recentMs);
}

/**
 * Checks whether a file has changed. If so, schedules the file to be read. When nobody writes the file any more,
 * schedules it to be read to its end.
 */
async function lookAt(file: TailedFile, wake: (file: TailedFile) => void, now: number): Promise<void> {
  const hasChanged = await file.look().catch(() => true);
  const { detachedAt, isDeleted, grewAt } = file;
  const idleMs = detachedAt === undefined ? 0 : now - Math.max(detachedAt, grewAt);
  if (detachedAt !== undefined && !hasChanged && idleMs > (isDeleted ? deletedMs : renamedMs)) file.isEnding = true;
  if (hasChanged || file.isEnding || file.isDue) wake(file);
}
