// `millrace/grok`: grok expressions over the built-in pattern library or one's own patterns.

export { GrokError } from "./expand.ts";
export { type Captured, Grok } from "./grok.ts";
export { builtinPatterns, type LoadedPatterns, loadPatterns, parsePatternText } from "./load.ts";
export type { Expansion, FieldType, PatternSource } from "./patterns.ts";
