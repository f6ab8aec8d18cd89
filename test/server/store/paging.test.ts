// Pages through 100,000 logs in DuckDB.

import { createMillrace } from "../../../lib/index.ts";
import { openedStore } from "./opened.ts";
import { describePages } from "./paging-suite.ts";

describePages("pages in DuckDB", async (now) => openedStore({ memoryLimit: "1GB", now, mill: await createMillrace() }));
