// The functions and types of the library that the worker of the grok mode uses.

export {
  builtinDefinitions,
  type Change,
  type Choice,
  changePiece,
  checkExpression,
  definePatterns,
  describePattern,
  explainMismatch,
  fromLogstash,
  Grok,
  GrokError,
  type Piece,
  type PieceChange,
  type PieceChoice,
  type Suggestion,
  suggestGrok,
} from "../../../../lib/grok/index.ts";
export { Regex, RegexSyntaxError, type Span } from "../../../../lib/regex/index.ts";
