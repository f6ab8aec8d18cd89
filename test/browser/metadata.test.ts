// The metadata store in memory, in a browser. It must pass the test suite that the stores on SQLite and PostgreSQL pass
// in Node.

import { createMemoryStore } from "../../server/platform/metadata/memory-store.ts";
import { describeMetadata } from "../server/platform/metadata/metadata-suite.ts";

describeMetadata("memory", true, async () => ({
  newPlace: () => {
    const store = createMemoryStore();
    return { open: async () => store };
  },
  stop: async () => {},
}));
