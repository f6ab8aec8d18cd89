// Pages through 100,000 logs in DuckDB.

import { createMillrace } from "../../../lib/index.ts";
import { DuckStore } from "../../../server/store/duckdb.ts";
import { describePages } from "./paging-suite.ts";

describePages("pages in DuckDB", async (now) =>
  DuckStore.open({ file: ":memory:", memoryLimit: "1GB", now, mill: await createMillrace() }),
);
