// The Open API in a browser page, without a server, on the metadata store in memory.

import { createMemoryStore } from "../../server/platform/metadata/memory-store.ts";
import { describeDispatch } from "../server/platform/open-api/protocol/dispatch-suite.ts";

describeDispatch("memory", true, async () => createMemoryStore());
