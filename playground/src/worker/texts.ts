// Translates the texts that a worker makes for the page into the language of the page. The page calls
// `speak` to tell the worker this language.

import { useTexts } from "../text/translate.ts";

/** A worker that can write its texts in the language of the page. */
export interface Speaking {
  /** Receives the language of the page, such as `zh`. The worker answers all later calls in this language. */
  speak(language: string): void;
}

type Methods = Readonly<Record<string, (...values: unknown[]) => unknown>>;

/**
 * Returns the methods of a worker and, in addition, the method `speak`, which sets the language. Each method waits
 * until the texts of this language are loaded.
 */
export function speaking<Api extends object>(api: Api): Api & Speaking {
  let ready = Promise.resolve();
  const waiting = Object.entries(api as Methods).map(([name, call]) => {
    const later = async (...values: unknown[]) => {
      await ready;
      return call(...values);
    };
    return [name, later] as const;
  });
  const speak = (language: string): void => {
    ready = ready.then(async () => useTexts(language === "zh" ? await chinese() : null));
  };
  return { ...Object.fromEntries(waiting), speak } as unknown as Api & Speaking;
}

/** Returns the Chinese texts; null when their file could not be fetched: the worker then makes English texts. */
async function chinese() {
  return (await import("../text/zh/worker.ts").catch(() => null))?.texts ?? null;
}
