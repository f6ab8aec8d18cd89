// Shows in the metrics, for each source (entry of the setting `inputs.tail`), how many files the agent reads, how many
// of their bytes are unread, and how many paths cannot be read.

import { shownText } from "../../../../lib/text/index.ts";
import type { Log } from "../../../telemetry/log.ts";
import type { Metrics } from "../../../telemetry/metrics.ts";
import type { Source } from "./source.ts";
import type { TailedFile } from "./tailed-file.ts";

export interface TailGauges {
  /**
   * Records the reason why a path cannot be read, and logs the reason when it differs from the recorded one.
   * If `reason` is `undefined`, the path can be read, and its recorded reason is removed.
   */
  problem(source: Source, path: string, reason: string | undefined): void;
  show(files: Iterable<TailedFile>): void;
}

export function createTailGauges(
  sources: readonly Source[],
  { tailFiles, tailUnread, tailUnreadable }: Metrics,
  log: Pick<Log, "warn">,
): TailGauges {
  const names = new Set(sources.map(({ settings }) => settings.source));
  /** The reasons why paths cannot be read, by source (entry of `inputs.tail`) and by path. */
  const problems = new Map([...names].map((name) => [name, new Map<string, string>()]));
  return {
    problem: ({ settings }, path, reason) => {
      const ofSource = problems.get(settings.source)!;
      if (reason === undefined) ofSource.delete(path);
      else if (ofSource.get(path) !== reason) {
        ofSource.set(path, reason);
        log.warn(`tail: ${shownText(path)}: ${shownText(reason)}`);
      }
    },
    show: (files) => {
      const sums = new Map([...names].map((name) => [name, { files: 0, unread: 0 }]));
      for (const { source, unread } of files) {
        const sum = sums.get(source.settings.source)!;
        sum.files++;
        sum.unread += unread;
      }
      for (const [source, sum] of sums) {
        tailFiles.set({ source }, sum.files);
        tailUnread.set({ source }, sum.unread);
        tailUnreadable.set({ source }, problems.get(source)!.size);
      }
    },
  };
}
