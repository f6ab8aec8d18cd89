// Watches a text file: by events of its folder where the system sends them, and by a look at time and size every few
// seconds. A file that is replaced by another of the same name is seen too.

import { type FSWatcher, readFileSync, statSync, watch } from "node:fs";
import path from "node:path";

export interface RuleFile {
  /** Reads the file now, and tells of it even when nothing changed. */
  reload(): void;
  close(): void;
}

export interface RuleFileOptions {
  readonly file: string;
  /** Of what is read first, and of each change after that. */
  readonly onText: (text: string) => void;
  /** Once for each reason in a row. */
  readonly onFailure: (reason: Error) => void;
}

const pollMs = 5_000;
/** Programs write a file in several steps. */
const settleMs = 30;

export function watchRuleFile({ file, onText, onFailure }: RuleFileOptions): RuleFile {
  let last: string | undefined;
  let lastFailure = "";
  let stamp = "";
  let settling: NodeJS.Timeout | undefined;

  const look = (isForced: boolean): void => {
    stamp = stampOf(file);
    try {
      const text = readFileSync(file, "utf8");
      if (text === last && lastFailure === "" && !isForced) return;
      last = text;
      lastFailure = "";
      onText(text);
    } catch (error) {
      const { message } = error as Error;
      if (message === lastFailure && !isForced) return;
      lastFailure = message;
      onFailure(error as Error);
    }
  };

  look(true);
  const poll = setInterval(() => {
    if (stampOf(file) !== stamp) look(false);
  }, pollMs);
  poll.unref();
  let watcher: FSWatcher | undefined;
  try {
    watcher = watch(path.dirname(path.resolve(file)), { persistent: false }, (_event, name) => {
      if (name !== null && name !== path.basename(file)) return;
      clearTimeout(settling);
      settling = setTimeout(() => look(false), settleMs);
      settling.unref();
    });
    // Without events the looks remain.
    watcher.on("error", () => watcher?.close());
  } catch {
    // The folder is not there yet.
  }
  return {
    reload: () => look(true),
    close: () => {
      clearInterval(poll);
      clearTimeout(settling);
      watcher?.close();
    },
  };
}

function stampOf(file: string): string {
  try {
    const { mtimeMs, size, ino } = statSync(file);
    return `${mtimeMs} ${size} ${ino}`;
  } catch {
    return "";
  }
}
