// Functions that parse durations, convert units of time, and move timestamps into the hour before the current time
// (docs/reference/functions.md).

import { Key } from "../../../point/view.ts";
import { integer } from "../../../text/integer.ts";
import { writeKey } from "../../runtime/point-access.ts";
import { isInt, isText, textOf, typeName, type Value, VOID } from "../../runtime/value.ts";
import { type Declaration, declare } from "../declare.ts";
import { KEY, literalOr } from "../nodes.ts";

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const HIGHEST = 9223372036854775807n;

/**
 * Returns the nanoseconds of a duration such as `1h2m3.5s`; undefined when the text is not a duration or the result
 * does not fit in 64 bits.
 */
export function readDuration(text: string): bigint | undefined {
  const match = /^([+-]?)(0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/.exec(text);
  if (match === null) return undefined;
  const negative = match[1] === "-";
  let sum = 0n;
  for (const piece of (match[2] as string).matchAll(/(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/g)) {
    const unit = UNITS[piece[3] as string] as bigint;
    // When the digits of a fraction do not fit in 63 bits, the last digits are ignored.
    let digits = piece[2] ?? "";
    while (digits !== "" && BigInt(digits) > HIGHEST) digits = digits.slice(0, -1);
    const scale = 10 ** digits.length;
    const fraction = digits === "" ? 0 : Math.trunc(Number(digits) * (Number(unit) / scale));
    sum += BigInt(piece[1] || "0") * unit + BigInt(fraction);
  }
  if (sum > HIGHEST + (negative ? 1n : 0n)) return undefined;
  return negative ? -sum : sum;
}

export const parseDuration = declare({
  name: "parse_duration",
  summary: "Turns a duration such as 1h2m3.5s into nanoseconds; other text is left alone.",
  params: [KEY],
  style: "positional",
  arity: { min: 1, max: 1, tooFew: "func parse_duration expects 1 arg" },
  examples: [{ script: `add_key(d, _); parse_duration(d)`, input: "-3.5s", gives: { d: -3500000000 } }],
  bind(call) {
    const { key, read } = call.key(0);
    return (run) => {
      const value = read(run);
      if (value === undefined || !isText(value)) return VOID;
      const duration = readDuration(textOf(value));
      if (duration !== undefined) writeKey(run, key, integer(duration));
      return VOID;
    };
  },
});

const EXPONENTS: ReadonlyMap<string, number> = new Map([
  ["s", 0],
  ["ms", 3],
  ["us", 6],
  ["ns", 9],
]);
const PL_MSG = new Key("pl_msg");

export const durationPrecision = declare({
  name: "duration_precision",
  summary: "Converts an integer duration from one unit to another: s, ms, us, ns. Fractions are cut off.",
  params: [
    KEY,
    { name: "old_precision", type: "str", summary: "a literal: the unit the value has" },
    { name: "new_precision", type: "str", summary: "a literal: the unit it gets" },
  ],
  style: "positional",
  arity: { min: 3, max: 3, tooFew: "func `duration_precision' expected 3 args" },
  examples: [
    {
      script: `json(_, ts); cast(ts, "int"); duration_precision(ts, "ms", "ns")`,
      input: `{"ts": 12345}`,
      gives: { ts: 12345000000 },
    },
  ],
  bind(call) {
    const { key, read } = call.key(0);
    const exponent = (index: number) =>
      EXPONENTS.get(
        literalOr(call, index, (kind) => `param precision expect StringLiteral, got ${kind}`).toLowerCase(),
      );
    const [from, to] = [exponent(1), exponent(2)];
    return (run) => {
      const value = read(run);
      if (value === undefined) throw call.runFailure("key not found", call.arg(0));
      if (!isInt(value)) throw call.runFailure("param value type expect int", call.arg(0));
      if (from === undefined || to === undefined) return VOID;
      const factor = 10n ** BigInt(Math.abs(to - from));
      const result = to >= from ? BigInt(value) * factor : BigInt(value) / factor;
      if (BigInt.asIntN(64, result) === result) writeKey(run, key, integer(result));
      else writeKey(run, PL_MSG, "duration_precision overflow");
      return VOID;
    };
  },
});

const HOUR = 3_600_000_000_000n;
const MINUTE = 60_000_000_000n;

/** Returns the name of a value's type in the language Go, such as `int64`. Some error messages show these names. */
export function goTypeName(value: Value): string {
  const name = typeName(value);
  switch (name) {
    case "int":
      return "int64";
    case "float":
      return "float64";
    case "str":
      return "string";
    case "list":
      return "[]interface {}";
    case "map":
      return "map[string]interface {}";
    case "void":
      return "nil";
    default:
      return name;
  }
}

export const adjustTimezone = declare({
  name: "adjust_timezone",
  summary: "Moves a timestamp by whole hours to within the hour before now, for times read in the wrong zone.",
  params: [
    KEY,
    {
      name: "minute",
      type: "number",
      optional: true,
      summary: "a literal: minutes, 0 to 15, that a time may lie ahead of now; 2 when left out",
    },
  ],
  style: "positional",
  arity: {
    min: 1,
    max: 2,
    tooFew: "func `adjust_timezone' expected 1 arg",
    tooMany: "func `adjust_timezone' expected 1 or 2 args",
  },
  examples: [
    {
      script: `t = timestamp(); add_key(t, t + 28800000000000); adjust_timezone(t); add_key(d, get_key(t) - t < 60000000000); drop_key(t)`,
      input: "x",
      gives: { d: true },
    },
  ],
  bind(call) {
    const { key, read } = call.key(0);
    const node = call.arg(1);
    if (node !== undefined && node.kind !== "IntLiteral" && node.kind !== "FloatLiteral")
      return call.fail(`param minute expect IntLiteral, got ${node.kind}`, node);
    const minutes = Math.max(0, Math.min(15, Math.trunc(Number(node?.value ?? 2))));
    if (node !== undefined && (node.value < 0 || node.value > 15))
      call.warn(`minute lies between 0 and 15, ${node.value} is taken as ${minutes}`, node);
    const ahead = BigInt(minutes) * MINUTE;
    return (run) => {
      const value = read(run);
      if (value === undefined) return VOID;
      if (!isInt(value)) throw call.runFailure(`param value expect int64, got \`${goTypeName(value)}\``, call.arg(0));
      const time = BigInt(value);
      const now = run.host.now();
      let result = time - (time / HOUR - now / HOUR) * HOUR;
      if (result - now > ahead) result -= HOUR;
      else if (result - now <= ahead - HOUR) result += HOUR;
      writeKey(run, key, integer(result));
      return VOID;
    };
  },
});

export const durationFunctions: readonly Declaration[] = [parseDuration, durationPrecision, adjustTimezone];
