// Test queries about outer functions over complete inner answers, warnings and calendar days, over rows in memory.

import { memoryEngine } from "../../../lib/dql/index.ts";
import { rows } from "./whole-data.ts";
import { describeWhole } from "./whole-suite.ts";

describeWhole("whole answers from memory", () => memoryEngine((category) => rows[category] ?? []));
