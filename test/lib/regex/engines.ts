// Every tier of the engine, by name: what the suites hold to the same answers.

import type { Engine } from "../../../lib/regex/engine.ts";
import { simulation, tables } from "../../../lib/regex/regex.ts";
import type { Parsed } from "../../../lib/regex/syntax.ts";

export const engines: Readonly<Record<string, (parsed: Parsed) => Engine>> = { simulation, tables };
