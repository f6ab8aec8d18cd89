// Declares every reason for which a statement or a member of its request is rejected, with advice for its
// author. The member `shape` is the template of the error message, in which `<...>` stands for a variable part.
// docs/errors.md lists the messages, and their wording must not change.

interface Reason {
  readonly shape: string;
  readonly remedy: string;
}

export const dqlReasons = {
  // Messages of the errors that the lexer reports.
  unterminatedString: { shape: "unterminated quoted string", remedy: "Close the quote on the same line." },
  unterminatedName: { shape: "unterminated raw string", remedy: "Close the backquote." },
  unknownEscape: {
    shape: "unknown escape sequence <character>",
    remedy: "Write the backslash twice, or use an escape that the language has.",
  },
  badDuration: {
    shape: "bad duration: <text>",
    remedy: "Write a number with a unit, such as 5m or 1h30m; put names that begin with a digit in backquotes.",
  },
  unexpectedCharacter: {
    shape: "unexpected character: <character>",
    remedy: "Remove the character, or quote the text.",
  },
  unexpectedCharacterAfter: {
    shape: "unexpected character `<character>' after `!'",
    remedy: "Write AND, OR and NOT as words; compare with `!=` or `!~`.",
  },
  unexpectedClosing: { shape: "unexpected right <bracket>", remedy: "Remove the bracket, or open it before." },
  unclosed: { shape: "unclosed left <bracket>", remedy: "Close the bracket." },
  nestingTooDeep: { shape: "nesting too deep", remedy: "Use fewer brackets within each other." },

  // Messages of errors in the syntax of a statement.
  unexpectedToken: {
    shape: "unexpected: <token>",
    remedy: "Look at the token: a name may need backquotes, a text quotes, or the clause stands in the wrong order.",
  },
  endOfInput: { shape: "unexpected: end of input", remedy: "Complete the statement." },
  manyStatements: {
    shape: "only one statement allowed, got <number>",
    remedy: "Send each statement as a member of `queries`.",
  },
  zeroDivisor: { shape: "division or modulo by zero", remedy: "Divide by another number." },

  // Messages of errors in the meaning of a statement.
  unknownNamespace: { shape: 'unknown namespace "<name>"', remedy: "Use a namespace of the table." },
  remoteFunctions: {
    shape: "namespace func is not supported",
    remedy: "Compute outside of the query; functions on other machines are not built.",
  },
  duplicateClause: { shape: "duplicate <name> clause", remedy: "Write each clause once." },
  nestedTooDeep: { shape: "sub-query nested too deep", remedy: "Ask in several statements." },
  misplacedSubquery: { shape: "sub-query not allowed here", remedy: "Use a sub-query as a source or behind IN." },
  invalidRegex: {
    shape: "invalid regex: <reason>: <pattern>",
    remedy: "Write a pattern of RE2: without look-around and back references.",
  },
  booleanTarget: {
    shape: "boolean expression not allowed in target",
    remedy: "Move the comparison into the filter or HAVING.",
  },
  notCondition: { shape: "not a condition: <expression>", remedy: "Compare the expression with a value." },
  needsPattern: { shape: "<operator> expects a pattern", remedy: "Write the pattern as a text or with re('...')." },
  incomparable: {
    shape: "<operator> does not compare with <expression>",
    remedy: "Compare with a number, a text, a boolean, nil or a pattern.",
  },
  invalidNetwork: { shape: "invalid network: <text>", remedy: "Write a network such as 10.0.0.0/8." },
  needsList: { shape: "IN expects a list, not <expression>", remedy: "Write the values in [ ]." },
  needsStrings: { shape: "MATCH expects a list of strings", remedy: "Write the patterns as texts in [ ]." },
  noValue: { shape: "no value: <expression>", remedy: "Use a field, a literal, arithmetic or a function." },
  noGroupValue: {
    shape: "no value of a group: <expression>",
    remedy: "Use an aggregate such as count() or last(), or a key of BY.",
  },

  // Messages of errors in calls of functions.
  unknownFunction: { shape: 'unknown function "<name>"', remedy: "Use a function of the table." },
  wrongNamespace: {
    shape: 'function "<name>" not supported in namespace "<namespace>"',
    remedy: "The column `Of` of the table of functions names the namespaces.",
  },
  noSuchArgument: { shape: 'function "<name>" has no argument "<argument>"', remedy: "Leave the argument out." },
  wrongCount: {
    shape: 'function "<name>" expects <number> arguments, got <number>',
    remedy: "Give as many arguments as the function takes.",
  },
  misplacedFunction: {
    shape: 'function "<name>" not allowed in <place>',
    remedy: "Aggregates belong into targets, filter functions into filters.",
  },
  uncomputable: { shape: 'function "<name>" not allowed here', remedy: "Use the function in the targets." },
  oneRowsFunction: {
    shape: "only one of top, bottom, distinct, histogram allowed",
    remedy: "Ask for the others in statements of their own.",
  },
  innerFill: { shape: "fill must be outermost", remedy: "Write fill(f(x), value)." },
  fillArguments: {
    shape: "fill function only accept 2 parameter, left value and (Nil,NumberLiteral,StringLiteral,PREVIOUS,LINEAR)",
    remedy: "Write fill(target, value).",
  },
  fillValue: {
    shape: "unknown fill function parameter, only accept (Nil,NumberLiteral,StringLiteral,PREVIOUS,LINEAR)",
    remedy: "Fill with one of these.",
  },
  tooManyBuckets: {
    shape: "fill makes <number> buckets, max <number>",
    remedy: "Ask for a longer interval or a shorter time.",
  },
  percentRange: { shape: "percentile must be between 0 and 100", remedy: "Give a number of 0 to 100." },
  timeColumn: { shape: "<name> does not take the column time", remedy: "Name a field; each row has its time." },
  needsCount: {
    shape: 'function "<name>" expects a whole number of 1 or more as its second argument',
    remedy: "Give such a number.",
  },
  needsDuration: {
    shape: 'function "<name>" expects a duration as its second argument',
    remedy: "Write a duration such as 1m.",
  },
  needsPatternArgument: {
    shape: 'function "<name>" expects a pattern as its second argument',
    remedy: "Write the pattern as a text.",
  },
  needsString: { shape: 'function "<name>" expects a string', remedy: "Write the argument in quotes." },
  countFilterList: { shape: 'function "count_filter" expects a list', remedy: "Write the values in [ ]." },
  histogramNumbers: {
    shape: 'function "histogram" expects numbers, the step above 0',
    remedy: "Write histogram(field, start, end, step).",
  },

  // Messages of errors in time ranges and intervals.
  unknownZone: { shape: 'unknown timezone "<name>"', remedy: "Use a name such as Europe/Berlin." },
  badTime: { shape: 'bad time "<text>"', remedy: "Write a time such as 2026-01-31 08:00:00." },
  emptyRange: { shape: "time range: start must be before end", remedy: "Exchange the two times." },
  rangeTooLong: {
    shape: "time range should less than <duration>",
    remedy: "Ask for a shorter time, or raise `max_duration` of the request.",
  },
  unknownRollup: { shape: 'unknown rollup function "<name>"', remedy: "Use a rollup of the list." },
  rollupInterval: { shape: "rollup requires interval", remedy: "Write [start:end:interval:rollup]." },

  // Messages of errors in statements inside other statements.
  noJoinColumn: {
    shape: 'the statement behind <clause> has no column "<name>"',
    remedy: "Name a target or a key of BY of that statement.",
  },
  joinPairs: {
    shape: "WITH of <clause> expects 1 to <number> pairs of columns: {own = other}",
    remedy: "Write the pairs in this form.",
  },
  filterComputed: {
    shape: 'FILTER looks at points, "<name>" is computed from many',
    remedy: "Use LINK, or compare with a field.",
  },

  // Messages of errors in functions that take the answer of another statement.
  needsStatement: {
    shape: 'function "<name>" expects a statement as text',
    remedy: "Put the statement in backquotes.",
  },
  needsWholeNumber: { shape: 'function "<name>" expects a whole number of 1 or more', remedy: "Give such a number." },
  averageSize: {
    shape: 'function "moving_average" expects a whole number of 1 or more as its size',
    remedy: "Give such a number.",
  },
  countFilterCondition: {
    shape: 'function "count_filter" expects a condition as text in expr',
    remedy: "Write expr='value > 5'.",
  },
  notFollowed: { shape: "<name> cannot be followed by another function", remedy: "Use eval or show alone." },
  evalExpression: { shape: "eval expects an expression", remedy: "Begin with arithmetic such as A.x / B.y." },
  evalStatements: { shape: "eval expects its statements as NAME='...'", remedy: "Name each statement." },
  evalUnknown: { shape: 'eval has no statement for "<name>"', remedy: "Add a statement of this name." },
  evalArithmetic: { shape: "eval takes arithmetic, not <expression>", remedy: "Use + - * / % and numbers." },
  evalColumn: { shape: "eval expects a column of one of its statements", remedy: "Write NAME.column." },

  // Messages of errors in members of a request.
  promql: { shape: "qtype promql is not supported", remedy: "Ask in DQL." },
  invalidFormat: { shape: "invalid output_format: <text>", remedy: "Use json, csv or lineprotocol." },
  timeRangeMember: {
    shape: "time_range expects [start, end], got <number> elements",
    remedy: "Send one or two times in milliseconds.",
  },
  invalidDuration: { shape: "invalid <member>: <text>", remedy: "Write a duration such as 30s." },
  negative: { shape: "<member> must not be negative", remedy: "Send 0 or more." },
  manyFields: {
    shape: "multiple fields not allowed",
    remedy: "Ask for one target, or leave out disable_multiple_field.",
  },
  limitRange: { shape: "limit out of range, max <number>", remedy: "Ask for fewer rows, and page with search_after." },
  invalidOrder: { shape: "invalid order: <text>", remedy: "Send asc or desc." },
  searchAfter: {
    shape: "invalid search_after",
    remedy: "Send back the `search_after` of the answer before, as it came.",
  },
  asyncGone: {
    shape: "async query not found",
    remedy: "Ask again: an answer is kept for a while, and for its own workspace.",
  },
  tooManyPoints: {
    shape: "the query reads more than <number> points; <advice>",
    remedy: "Ask for a shorter time, filter more, or follow the advice.",
  },
} as const satisfies Record<string, Reason>;

export type DqlReason = keyof typeof dqlReasons;

/** Returns the error message of a reason; `parts` replace the placeholders `<...>` of its template, in order. */
export function reasonText(reason: DqlReason, ...parts: readonly (string | number)[]): string {
  const [first, ...more] = dqlReasons[reason].shape.split(/<[a-z]+>/);
  return more.reduce((text, piece, at) => `${text}${parts[at]}${piece}`, first!);
}
