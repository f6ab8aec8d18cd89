// `millrace/pipeline`: the script language. Check and compile once, run over many points, add functions of one's own.

export { ReferTables } from "../refer-table/tables.ts";
export type { Code, Wait } from "./code.ts";
export { type Diagnostic, diagnose, rangeAt } from "./diagnose.ts";
export { type PlError, type Position, plErrorText } from "./errors.ts";
export { type Formatted, format } from "./format.ts";
export { controlFunctions } from "./functions/control.ts";
export {
  type ArgumentStyle,
  type Call,
  type Declaration,
  declare,
  type Evaluate,
  type Example,
  type KeyArgument,
  type Linked,
  type Param,
  type Waiting,
} from "./functions/declare.ts";
export { functions } from "./functions/index.ts";
export type { CreatedPoint, Fetch, Host, Place, Run } from "./run.ts";
export {
  type CompiledSet,
  type CompileOptions,
  compileScripts,
  defaultMaxSteps,
  type RunOptions,
  Script,
  type ScriptResult,
  type StepBudget,
} from "./script.ts";
export type { Aggregated } from "./state/aggregation.ts";
export type { StateCounters } from "./state/limits.ts";
export type { Value } from "./value.ts";
