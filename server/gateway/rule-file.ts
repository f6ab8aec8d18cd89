// Watches a text file for changes. Changes are noticed by file system events of the file's folder, and by
// checking the file's time and size every few seconds. A new file that replaces the watched file under the same
// name is noticed too.

import { type FSWatcher, readFileSync, statSync, watch } from "node:fs";
import path from "node:path";

export interface RuleFile {
  /** Reads the watched file now, and calls `onText` or `onFailure` even when nothing has changed. */
  reload(): void;
  close(): void;
}

export interface RuleFileOptions {
  readonly file: string;
  /** Called with the file's content at the start and after each change. */
  readonly onText: (text: string) => void;
  /** Called when the file cannot be read. It is not called again as long as the error message stays the same. */
  readonly onFailure: (reason: Error) => void;
}

const pollMs = 5_000;
/** Time to wait in ms before a changed file is read, because programs write a file in several steps. */
const debounceMs = 30;

export function watchRuleFile({ file, onText, onFailure }: RuleFileOptions): RuleFile {
  let last: string | undefined;
  let lastFailure = "";
  let stamp = "";
  let debounce: NodeJS.Timeout | undefined;

  const readIfChanged = (isForced: boolean): void => {
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

  readIfChanged(true);
  const poll = setInterval(() => {
    if (stampOf(file) !== stamp) readIfChanged(false);
  }, pollMs);
  poll.unref();
  let watcher: FSWatcher | undefined;
  try {
    watcher = watch(path.dirname(path.resolve(file)), { persistent: false }, (_event, name) => {
      if (name !== null && name !== path.basename(file)) return;
      clearTimeout(debounce);
      debounce = setTimeout(() => readIfChanged(false), debounceMs);
      debounce.unref();
    });
    // When file system events fail, the regular checks of time and size still notice changes.
    watcher.on("error", () => watcher?.close());
  } catch {
    // The folder of the watched file does not exist yet, so its events cannot be watched. The regular checks of time
    // and size notice when the file appears.
  }
  return {
    reload: () => readIfChanged(true),
    close: () => {
      clearInterval(poll);
      clearTimeout(debounce);
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
