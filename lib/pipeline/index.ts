// The public entry point `millrace/pipeline`, the script language: checks and compiles scripts once, runs them over
// many points, and accepts additional functions.

export { ReferTables } from "../refer-table/tables.ts";
export { type CompiledSet, type CompileOptions, compileScripts } from "./compile/scripts.ts";
export { type Diagnostic, diagnose, rangeAt } from "./editor/diagnose.ts";
export { type Formatted, format } from "./editor/format.ts";
export { controlFunctions } from "./functions/control.ts";
export {
  type ArgumentStyle,
  type Call,
  type Declaration,
  declare,
  type Example,
  type KeyArgument,
  type Linked,
  type Param,
  type Waiting,
} from "./functions/declare.ts";
export { functions } from "./functions/index.ts";
export { cidrLookup, parseCidrTable } from "./functions/lookup/cidr-table.ts";
export { mmdbPlace } from "./functions/lookup/mmdb-place.ts";
export { layoutPrinter, localTime } from "./functions/time/date-layout.ts";
export { mappedStatus } from "./runtime/after-run.ts";
export type { Code, Evaluate, Wait } from "./runtime/code.ts";
export type { CreatedPoint, Fetch, Host, Place, Run } from "./runtime/run.ts";
export { Script, type ScriptResult } from "./runtime/script.ts";
export { defaultMaxSteps, type RunOptions, type StepBudget } from "./runtime/start-run.ts";
export type { Aggregated } from "./runtime/state/aggregation.ts";
export type { StateCounters } from "./runtime/state/limits.ts";
export type { Value } from "./runtime/value.ts";
export { type PlError, type Position, plErrorText } from "./syntax/errors.ts";
