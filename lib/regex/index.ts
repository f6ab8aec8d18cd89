// `millrace/regex`: regular expressions of the RE2 dialect.

export type { ParseOptions } from "./parse.ts";
export { compileRegex, type Regex, type RegexMatch, RegexSyntaxError, type Span } from "./regex.ts";
