// Reads files that have unread bytes. A lane is a loop that reads one batch of one file at a time, with memory of its
// own. The number of lanes is fixed, so the memory does not grow with the number of files. The position of a file moves
// forward only after the events before the new position are stored.

import type { Metrics } from "../../../telemetry/metrics.ts";
import { EventBody } from "./event-body.ts";
import type { Positions } from "./positions.ts";
import { type Batch, readBytes, type TailedFile } from "./tailed-file.ts";

/** Number of files that are read at the same time. */
const laneCount = 2;
/** Milliseconds from the first change of a file until reading begins. Changes in this time are read together. */
const gatherMs = 50;

export interface Lanes {
  /** Schedules a file to be read within a few milliseconds. */
  wake(file: TailedFile): void;
  /**
   * Schedules files to be read whose last multi-line event now counts as complete, because nothing was written for a
   * while.
   */
  wakeQuiet(): void;
  /** Resolves as soon as no file is being read. */
  whenIdle(): Promise<void>;
}

/**
 * Stores the events in the body, which come from the file. Resolves with true when each event is stored or finally
 * refused, and with false when the input closes earlier.
 */
export type DeliverFrom = (file: TailedFile, body: EventBody) => Promise<boolean>;

export interface LanesOptions {
  /** Largest allowed length of an event in bytes, over all sources. */
  readonly longestEvent: number;
  readonly deliver: DeliverFrom;
  readonly positions: Pick<Positions, "save" | "end">;
  /** Called when a file that nobody writes any more (`isEnding`) was read to its end. */
  readonly onEnd: (file: TailedFile) => Promise<void>;
  readonly onError: (file: TailedFile, error: Error) => Promise<void>;
  readonly now: () => number;
  readonly metrics: Metrics;
  readonly closing: AbortSignal;
}

interface Lane {
  readonly window: Uint8Array;
  readonly body: EventBody;
}

export function createLanes(options: LanesOptions): Lanes {
  const { longestEvent, deliver, positions, onEnd, onError, now, metrics, closing } = options;
  const woken = new Set<TailedFile>();
  const ready = new Set<TailedFile>();
  const busy = new Set<TailedFile>();
  /** Files that were read up to a last multi-line event that the writer may continue. */
  const pending = new Set<TailedFile>();
  const free: Lane[] = [];
  const running = new Set<Promise<void>>();
  /** The gzip file that is being read. Only one is read at a time, since its decompression needs memory. */
  let gzipFile: TailedFile | undefined;
  let gathering: NodeJS.Timeout | undefined;

  const isQuiet = (file: TailedFile) => now() - file.grewAt >= file.source.multilineMs;

  const deliverBatch = async (file: TailedFile, batch: Batch, body: EventBody): Promise<boolean> => {
    const { source } = file.source.settings;
    if (body.events > 0 && !(await deliver(file, body))) return false;
    file.commit(batch);
    await positions.save(file.position);
    metrics.tailBytes.inc({ source }, batch.bytes);
    if (batch.cutEvents > 0) file.noteCut(batch.cutEvents);
    return true;
  };

  /** Reads some events from a file, and stores them before the position of the file moves forward. */
  const readOnce = async (file: TailedFile, { window, body }: Lane): Promise<void> => {
    await file.look();
    const { source } = file.source.settings;
    const before = file.position;
    if (await file.hasRestarted()) {
      if (before.gzip === undefined) await positions.end(before);
      metrics.tailRotations.inc({ source, kind: "truncated" });
      if (file.takeLastEvent(body) && !(await deliver(file, body))) return;
    }
    const isComplete = file.isEnding ? "all" : isQuiet(file) ? "lines" : "no";
    const batch = await file.read(window, body, isComplete);
    if (file.hasMoved(batch) && !(await deliverBatch(file, batch, body))) return;
    if (batch.hasMore) ready.add(file);
    else if (file.isEnding) await onEnd(file);
    else if (file.source.beginsEvent !== undefined && file.unread > 0 && isComplete === "no") pending.add(file);
  };

  /** Returns the next file that may be read; undefined when there is none. */
  const nextFile = (): TailedFile | undefined => {
    for (const file of ready) {
      if (busy.has(file)) continue;
      if (!file.isGzip || gzipFile === undefined || gzipFile === file) return file;
    }
    return undefined;
  };

  const run = async (lane: Lane): Promise<void> => {
    for (;;) {
      const file = nextFile();
      if (file === undefined || closing.aborted) break;
      ready.delete(file);
      pending.delete(file);
      if (file.isClosed) {
        if (gzipFile === file) gzipFile = undefined;
        continue;
      }
      busy.add(file);
      if (file.isGzip) gzipFile = file;
      try {
        await readOnce(file, lane);
      } catch (error) {
        await onError(file, error as Error);
      } finally {
        busy.delete(file);
        if (gzipFile === file && !ready.has(file)) gzipFile = undefined;
      }
    }
  };

  const start = () => {
    while (running.size < laneCount && nextFile() !== undefined && !closing.aborted) {
      const lane = free.pop() ?? { window: new Uint8Array(longestEvent + readBytes), body: new EventBody() };
      const ran = run(lane).then(() => {
        free.push(lane);
        running.delete(ran);
        start();
      });
      running.add(ran);
    }
  };

  const wake = (file: TailedFile) => {
    if (closing.aborted || file.isClosed) return;
    woken.add(file);
    if (gathering !== undefined) return;
    gathering = setTimeout(() => {
      gathering = undefined;
      for (const each of woken) ready.add(each);
      woken.clear();
      start();
    }, gatherMs);
  };
  return {
    wake,
    wakeQuiet: () => {
      for (const file of pending) if (isQuiet(file)) wake(file);
    },
    whenIdle: async () => {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
