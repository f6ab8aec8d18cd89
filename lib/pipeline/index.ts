// `millrace/pipeline`: the script language. Check and compile once, run over many points, add functions of one's own.

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
  type Param,
} from "./functions/declare.ts";
export { functions } from "./functions/index.ts";
export type { CreatedPoint, Host, Run } from "./run.ts";
export {
  type CompiledSet,
  type CompileOptions,
  compileScripts,
  defaultMaxSteps,
  type RunOptions,
  Script,
  type ScriptResult,
} from "./script.ts";
export type { Value } from "./value.ts";
