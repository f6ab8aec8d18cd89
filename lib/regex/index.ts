// `millrace/regex`: regular expressions in the RE2 syntax.

export { engineIn } from "./module-engines.ts";
export { type EngineMaker, Regex, type RegexMatch, type RegexOptions, RegexSyntaxError, type Span } from "./regex.ts";
export { parse as parseRegex } from "./syntax/parse.ts";
