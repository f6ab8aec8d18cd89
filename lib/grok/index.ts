// `millrace/grok`: grok expressions over the built-in pattern library or one's own patterns.

export { GrokError } from "./expand.ts";
export type { Expectation, Explanation } from "./explain.ts";
export { type BatchCaptures, type Captured, Grok, type GrokField, type GrokOptions, lineOffsets } from "./grok.ts";
export {
  builtinDefinitions,
  builtinPatterns,
  definePatterns,
  type LoadedPatterns,
  loadPatterns,
  parsePatternText,
} from "./load.ts";
export type { Expansion, FieldType, PatternSource, Reference } from "./patterns.ts";
