// `millrace/grok`: grok expressions that use the built-in patterns or the caller's own patterns.

export type { BatchCaptures, FieldCaptures, GrokField } from "./captures.ts";
export { checkExpression, type ExpressionNote } from "./check-expression.ts";
export { GrokError } from "./expand.ts";
export type { Expectation, Explanation } from "./explain.ts";
export { type Captured, Grok, type GrokOptions, lineOffsets } from "./grok.ts";
export {
  builtinDefinitions,
  builtinPatterns,
  definePatterns,
  ignoredFieldsTexts,
  type LoadedPatternFiles,
  type LoadedPatterns,
  loadPatternFiles,
  loadPatterns,
  type PatternFileOptions,
  type PatternProblem,
  parsePatternText,
  patternProblemText,
} from "./load.ts";
export { fromLogstash } from "./logstash.ts";
export { describePattern } from "./mismatch/describe-pattern.ts";
export {
  type Change,
  type ElementMatch,
  explainMismatch,
  longestLine,
  type Mismatch,
  type MismatchOptions,
} from "./mismatch/mismatch.ts";
export type { Expansion, FieldType, PatternSource, Reference } from "./patterns.ts";
export {
  type Choice,
  changePiece,
  type Piece,
  type PieceChange,
  type PieceChoice,
  type Suggestion,
  type SuggestOptions,
  suggestGrok,
  suggestLimits,
} from "./suggest/suggest.ts";
