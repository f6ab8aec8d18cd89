// Objects as answers show them, as JSON text: written once for each version of a record, kept while there is room. A version
// never changes, so that what is kept is never wrong; lists are read again and again, and parsing and writing is most of their work.

import type { StoredRecord } from "../../metadata/records.ts";
import { JsonText } from "./exact-json.ts";

/** What is kept of all texts together, in UTF-16 units. */
const maxKept = 16 * 1024 * 1024;

export interface WrittenObjects {
  /** `form`: which answer it is part of, such as `dashboard list`. `make` is called for what is not kept. */
  text<Document>(
    form: string,
    stored: StoredRecord<Document>,
    make: (stored: StoredRecord<Document>) => object,
  ): JsonText;
}

/** Those of one metadata store. */
export function createWrittenObjects(most = maxKept): WrittenObjects {
  /** Read last comes last. */
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
