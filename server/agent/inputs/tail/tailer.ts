// Runs the input `tail`: scans folders for files, reads the files that have changed, and closes the files that are
// finished.

import path from "node:path";
import type { TailSettings } from "../../../config/settings/inputs-tail.ts";
import { within } from "../../../time/within.ts";
import { createDeliver, type Origin } from "../delivery/deliver.ts";
import type { FetchingAgent, InputHost, OpenInput } from "../input.ts";
import { podTags } from "./container/pod-tags.ts";
import { createFolderWatch } from "./folder-watch.ts";
import { createTailGauges } from "./gauges.ts";
import { createLanes } from "./lanes.ts";
import { OpenFiles } from "./open-files.ts";
import { openPositions } from "./positions.ts";
import { createRepeated } from "./repeated.ts";
import { sourceOf } from "./source.ts";
import { renamedMs, type TailedFile } from "./tailed-file.ts";

/** Milliseconds between two regular scans for new and renamed files. */
const lookMs = 10_000;
/** Milliseconds from the creation, renaming or removal of a file in a watched folder to the next scan for files. */
const soonMs = 200;
/** Milliseconds between two checks of whether the open files have changed. */
const tickMs = 1000;
/** Milliseconds for which a file with the setting `poll` is checked every second after it has changed. */
const recentMs = 60_000;
/** Milliseconds without a change after which a deleted file counts as finished. */
const deletedMs = 2000;
const closeMs = 10_000;

/** Starts to read the files of all entries. Throws when positions cannot be saved. */
export async function openTail(
  entries: readonly TailSettings[],
  agent: FetchingAgent,
  { dataDir, keptFiles }: InputHost,
): Promise<OpenInput> {
  const { ingest, log, metrics } = agent;
  const sources = entries.map(sourceOf);
  const positions = await openPositions({ folder: path.join(dataDir, "tail"), log, now: () => Date.now() });
  const now = () => performance.now();
  const closing = new AbortController();
  const aborted = new AbortController();
  const gauges = createTailGauges(sources, metrics, log);
  const deliver = createDeliver({
    input: "tail",
    ingest,
    now: agent.now,
    log,
    onWait: (source) => metrics.tailWaits.inc({ source }),
    onSkip: (source) => metrics.tailSkipped.inc({ source }),
    closing: closing.signal,
    aborted: aborted.signal,
  });
  const lanes = createLanes({
    longestEvent: Math.max(...sources.map(({ settings }) => settings.max_line_bytes)),
    deliver: (file, body) => deliver(originOf(file), body),
    positions,
    onEnd: async (file) => {
      if (file.isDeleted) metrics.tailRotations.inc({ source: file.source.settings.source, kind: "deleted" });
      await files.close(file);
    },
    onError: async (file, error) => {
      gauges.problem(file.source, file.path, `reading failed, it is opened again: ${error.message}`);
      await files.close(file);
    },
    now,
    metrics,
    closing: closing.signal,
  });
  const files = new OpenFiles({
    sources,
    agent,
    positions,
    kept: keptFiles,
    gauges,
    wake: lanes.wake,
    now,
  });
  const watch = createFolderWatch({
    onWritten: (at) => {
      const file = files.at(at);
      if (file !== undefined) lanes.wake(file);
    },
    onNames: () => looks.soon(pauseMs),
    log,
  });
  /**
   * The pause before a scan that was caused by a change of file names. It grows with the duration of a scan, so that
   * scans take little of the total time.
   */
  let pauseMs = soonMs;
  const looks = createRepeated(async () => {
    const began = now();
    try {
      const folders = await files.look(() => closing.signal.aborted);
      pauseMs = Math.min(lookMs, Math.max(soonMs, 20 * (now() - began)));
      // Lines may have been written before their folder was watched. So another scan follows soon when folders were
      // added.
      if (!closing.signal.aborted && watch.setFolders(folders)) looks.soon(pauseMs);
      gauges.show(files.all());
    } catch (error) {
      log.error(`tail: files cannot be looked for: ${(error as Error).message}`);
    }
  }, lookMs);
  const ticks = createRepeated(async () => {
    for (const file of files.all()) if (isLookedAt(file, now())) await lookAt(file, lanes.wake, now());
    lanes.wakeQuiet();
    gauges.show(files.all());
  }, tickMs);

  return {
    close: async (isReload) => {
      closing.abort();
      watch.close();
      const idle = Promise.all([looks.close(), ticks.close(), lanes.whenIdle()]);
      if ((await within(idle, closeMs)) === undefined) {
        aborted.abort();
        await within(idle, closeMs);
      }
      await positions.close();
      await files.closeAll(isReload);
    },
  };
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
 * Checks whether a file has changed. Schedules it to be read when it has, and to be read to its end when nobody writes
 * it any more.
 */
async function lookAt(file: TailedFile, wake: (file: TailedFile) => void, now: number): Promise<void> {
  const hasChanged = await file.look().catch(() => true);
  const { detachedAt, isDeleted, grewAt } = file;
  const idleMs = detachedAt === undefined ? 0 : now - Math.max(detachedAt, grewAt);
  if (detachedAt !== undefined && !hasChanged && idleMs > (isDeleted ? deletedMs : renamedMs)) file.isEnding = true;
  if (hasChanged || file.isEnding || file.isDue) wake(file);
}
