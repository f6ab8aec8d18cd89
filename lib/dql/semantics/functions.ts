// Declares each function that query clauses may call (docs/reference/query.md#targets). The checks of queries,
// the completion and the documentation use these declarations.

/** The type of a function; it decides in which clauses a query may call the function. */
export type FunctionKind =
  /** A query function such as avg(), which computes one value from many rows. */
  | "aggregate"
  /** A query function such as top(), distinct() or histogram(), which chooses or makes rows. */
  | "rows"
  /** A query function such as derivative(), which processes the points of a series in the order of their times. */
  | "transform"
  /** A query function such as abs(), which computes a value from the values of one row. */
  | "scalar"
  /** A query function such as match(), which is written on the right side of a comparison in a filter. */
  | "filter"
  | "fill";

/** The declaration of a query function. */
export interface DqlFunction {
  readonly name: string;
  readonly kind: FunctionKind;
  /** Namespaces in which the function exists: `metric` means only M, `others` every namespace except M. */
  readonly where: "all" | "metric" | "others";
  /** Smallest and largest number of positional arguments of the function. */
  readonly args: readonly [number, number];
  /** Names of the arguments that are written as `name=value`. */
  readonly named?: readonly string[];
  readonly summary: string;
}

const declared: readonly DqlFunction[] = [
  aggregate("count", "rows that have the field; of `*` all rows; of distinct(f) its values"),
  aggregate("count_distinct", "different values, exactly"),
  { ...aggregate("count_filter", "rows whose field is in a list", 2), where: "others" },
  aggregate("sum", "sum of the numbers"),
  aggregate("avg", "mean of the numbers"),
  aggregate("min", "least value; texts by their bytes"),
  aggregate("max", "greatest value; texts by their bytes"),
  aggregate("spread", "greatest minus least"),
  aggregate("stddev", "standard deviation of a sample"),
  aggregate("median", "the 50th percentile"),
  aggregate("mode", "the most frequent value, of several the least"),
  aggregate("percentile", "percentile p of 0 to 100, interpolated between the closest ranks", 2),
  aggregate("first", "value of the oldest row that has the field"),
  aggregate("last", "value of the newest row that has the field"),
  aggregate("last_row", "as last()"),
  rows("top", [2, 2], "the n rows with the largest values"),
  rows("bottom", [2, 2], "the n rows with the smallest values"),
  rows("distinct", [1, 1], "every value once, ascending"),
  {
    ...rows("distinct_by_collapse", [1, 1], "every value once, with fields of its newest row"),
    where: "others",
    named: ["fields"],
  },
  { ...rows("histogram", [4, 5], "rows a step of the value's range"), where: "others" },
  transform("derivative", [1, 2], "change a unit of time, 1s unless told"),
  transform("non_negative_derivative", [1, 2], "derivative() without what is below zero"),
  transform("difference", [1, 1], "change since the point before"),
  transform("non_negative_difference", [1, 1], "difference() without what is below zero"),
  transform("cumulative_sum", [1, 1], "sum up to the point"),
  transform("moving_average", [2, 2], "mean of the last n points"),
  scalar("abs", [1, 1], "without its sign"),
  scalar("round", [1, 2], "to a whole number, or to d places, half away from zero"),
  scalar("floor", [1, 1], "the next whole number below"),
  scalar("ceil", [1, 1], "the next whole number above"),
  scalar("sqrt", [1, 1], "square root"),
  scalar("exp", [1, 1], "e to the power"),
  scalar("ln", [1, 1], "natural logarithm"),
  scalar("log2", [1, 1], "logarithm of base 2"),
  scalar("log10", [1, 1], "logarithm of base 10"),
  scalar("log", [2, 2], "logarithm of a base"),
  { ...scalar("regexp_extract", [2, 3], "a group of the first match, empty without one"), where: "others" },
  { ...scalar("regexp_extract_all", [2, 3], "a group of every match, as a list"), where: "others" },
  scalar("int", [1, 1], "text as a whole number"),
  scalar("float", [1, 1], "text as a number"),
  { name: "fill", kind: "fill", where: "all", args: [2, 2], summary: "a value for buckets that have none" },
  filter("match", [1, 1], "the text has these words one after the other"),
  filter("query_string", [1, 1], "words, phrases, AND, OR, NOT, field:word"),
  filter("querystring", [1, 1], "as query_string()"),
  filter("wildcard", [1, 1], "the whole value; `*` stands for any text, `?` for a character"),
  filter("exists", [0, 1], "there is a value"),
  filter("cidr", [1, 1], "the address lies in the network"),
  {
    ...filter("with_labels", [0, 0], "names of objects with all these labels"),
    named: ["object_class", "labels", "object_name", "key", "max"],
  },
];

function aggregate(name: string, summary: string, args = 1): DqlFunction {
  return { name, kind: "aggregate", where: "all", args: [args, args], summary };
}

function rows(name: string, args: DqlFunction["args"], summary: string): DqlFunction {
  return { name, kind: "rows", where: "all", args, summary };
}

function transform(name: string, args: DqlFunction["args"], summary: string): DqlFunction {
  return { name, kind: "transform", where: "metric", args, summary };
}

function scalar(name: string, args: DqlFunction["args"], summary: string): DqlFunction {
  return { name, kind: "scalar", where: "all", args, summary };
}

function filter(name: string, args: DqlFunction["args"], summary: string): DqlFunction {
  return { name, kind: "filter", where: "all", args, summary };
}

const byName = new Map(declared.map((each) => [each.name, each]));

/** All query functions, for completion and documentation. */
export const functions: readonly DqlFunction[] = declared;

/**
 * Returns the function with the given name in lower case. Names such as p50 and p99 are aggregates with one argument.
 */
export function functionOf(name: string): DqlFunction | undefined {
  const known = byName.get(name);
  if (known !== undefined || percentOf(name) === undefined) return known;
  return aggregate(name, `percentile ${name.slice(1)}`);
}

/** Returns the percentile that a function name contains, such as 95 for `p95`; undefined for other names. */
export function percentOf(name: string): number | undefined {
  const digits = /^p([0-9]{1,3}(?:\.[0-9]+)?)$/.exec(name)?.[1];
  return digits === undefined || Number(digits) > 100 ? undefined : Number(digits);
}
