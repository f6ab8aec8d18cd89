// A cache of objects as JSON text. Each version of a record is written once and kept while there is room. A version
// never changes, so the cache is never stale. It helps lists, which are read often and spend most of their time on
// parsing and writing.

import type { StoredRecord } from "../../metadata/records.ts";
import { JsonText } from "./exact-json.ts";

/** Maximum length of all cached texts together, in UTF-16 units. */
const maxKept = 16 * 1024 * 1024;

export interface WrittenObjects {
  /**
   * Returns the text of a record. `form`: the answer that it is part of, such as `dashboard list`. `make` is called
   * when the text is not in the cache.
   */
  text<Document>(
    form: string,
    stored: StoredRecord<Document>,
    make: (stored: StoredRecord<Document>) => object,
  ): JsonText;
}

/** Returns a cache for one metadata store. */
export function createWrittenObjects(most = maxKept): WrittenObjects {
  /** The last read text comes last. */
  const kept = new Map<string, JsonText>();
  let length = 0;
  return {
    text: (form, stored, make) => {
      const name = `${form} ${stored.id} ${stored.version}`;
      const known = kept.get(name);
      if (known !== undefined) {
        kept.delete(name);
        kept.set(name, known);
        return known;
      }
      const written = new JsonText(JSON.stringify(make(stored)));
      kept.set(name, written);
      length += written.text.length;
      for (const [oldest, { text }] of kept) {
        if (length <= most) break;
        kept.delete(oldest);
        length -= text.length;
      }
      return written;
    },
  };
}
