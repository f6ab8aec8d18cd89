// A cache of objects as JSON text. The JSON of each version of a record is written once and kept until the cache
// is full. A version of a record never changes, so an entry of the cache never becomes outdated. The cache makes
// requests for lists of records (such as all dashboards) faster: without it, most of their time is spent on
// parsing and writing JSON.

import type { StoredRecord } from "../../metadata/records.ts";
import { JsonText } from "./exact-json.ts";

/** Maximum total length of all JSON texts in the cache, in UTF-16 code units. */
const maxKept = 16 * 1024 * 1024;

export interface WrittenObjects {
  /**
   * Returns the JSON of a record. `form`: the kind of the answer for which the JSON is needed, such as
   * `dashboard list`; different kinds of answers show the same record in different ways. `make`: creates the
   * JSON when it is not in the cache.
   */
  text<Document>(
    form: string,
    stored: StoredRecord<Document>,
    make: (stored: StoredRecord<Document>) => object,
  ): JsonText;
}

/** Returns a cache for the objects of one metadata store. */
export function createWrittenObjects(most = maxKept): WrittenObjects {
  /** The cached JSON texts, ordered by their last use; the entry that was used last is at the end. */
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
