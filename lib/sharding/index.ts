// `millrace/sharding`: the header X-Global-Tags, the rules that generate it, and the sink rules that route requests by
// it.

export { type Explanation, explain, explanationText } from "./explain.ts";
export { type ExplainedTagRule, explainTags, tagsExplanationText } from "./explain-tags.ts";
export {
  checkGlobalTags,
  createGlobalTags,
  type GlobalTags,
  type GlobalTagsOptions,
  type TagFunction,
} from "./global-tags.ts";
export {
  formatHeader,
  fromHeaderBytes,
  headerName,
  joinHeaderLines,
  type Pair,
  parseHeader,
  toHeaderBytes,
} from "./header.ts";
export {
  createSinkMatcher,
  decide,
  type MatchMode,
  notMatchedBody,
  type SinkDecision,
  type SinkMatcher,
  targetUrl,
} from "./match-sink-rules.ts";
export { type ExtraFields, type PlainPoint, plainPointOf } from "./plain-point.ts";
export {
  customerKeys,
  groupByHeader,
  groupHeaders,
  headerOfAllTags,
  headerOfBody,
  maxCustomerKeys,
  pairsOfPoint,
  type ShardGroup,
  type ShardKeys,
  shardKeys,
} from "./shard-keys.ts";
export { type LoadedSinkRules, loadSinkRules, type SinkEntry, type SinkProblem, type SinkRules } from "./sink-rules.ts";
export { functionIdParts, type TagProblem, unwrapTagConfig } from "./tag-rules.ts";
export { hasTokenShape, maskToken, maskTokens } from "./token.ts";
