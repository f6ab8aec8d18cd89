// `millrace/regex`: regular expressions of the RE2 dialect.

export { Regex, type RegexMatch, type RegexOptions, RegexSyntaxError, type Span } from "./regex.ts";
export { parse as parseRegex } from "./syntax/parse.ts";
