// Makes random columns and literals for DQL queries.

import type { Random } from "../../../properties/random.ts";

const numbers = ["i", "f", "num", "mix", "big", "u", "i", "f", "huge"];
export const anyColumn = [...numbers, "s", "message", "t", "list", "both", "host", "region", "nowhere", "name"];
export const groupColumns = ["host", "region", "both", "s", "i", "t", "mix", "f", "list", "nowhere", "service", "u"];

export function numberColumn(random: Random): string {
  return random.pick(random.chance(0.85) ? numbers : anyColumn);
}

/** Returns a random column. Some columns exist in all namespaces except metrics. */
export function column(random: Random, namespace: string): string {
  const system = ["time", "__source", "index", "source", "time_us", "date_ns", "__namespace", "class", "create_time"];
  const paths = ["`message@json.n`", "`s@json.o.p`", "@l[1].k".replace("[1]", ".1"), "`message@json.l[0]`"];
  if (random.chance(0.07)) return random.pick(paths);
  return random.pick(!/^m/i.test(namespace) && random.chance(0.15) ? system : anyColumn);
}

export function literal(random: Random): string {
  return random.pick([
    () => String(random.below(12) - 3),
    () => String((random.below(80) - 20) / 4),
    () =>
      random.pick([
        "9223372036854775807",
        "-9223372036854775808",
        "18446744073709551615",
        "9007199254740993.0",
        "0x10",
        "007",
        "9.5e18",
      ]),
    () => random.pick(["'a'", "'ab'", "'h1'", "''", "'10'", "'1.5'", "'-1'", "'A'", "'日本'", "'1e1'", "' 3'"]),
    () => random.pick(["true", "false", "'true'", "'false'"]),
    () => random.pick(["nil", "null"]),
    () => random.pick(["a", "`h1`", "10s", "3ns", "b64'YQ=='"]),
  ])();
}

/** Returns a random arithmetic expression over numbers of one row. */
export function arithmetic(random: Random, depth: number): string {
  if (depth === 0 || random.chance(0.3))
    return random.chance(0.75) ? numberColumn(random) : String(1 + random.below(6));
  if (random.chance(0.15)) {
    const name = random.pick(["abs", "round", "floor", "ceil", "sqrt", "exp", "ln", "log2", "log10"]);
    return `${name}(${arithmetic(random, depth - 1)})`;
  }
  if (random.chance(0.1)) return `-${arithmetic(random, 0)}`;
  const operator = random.pick(["+", "-", "*", "/", "%"]);
  const right = random.chance(0.3) ? `(${arithmetic(random, depth - 1)})` : arithmetic(random, 0);
  return `${arithmetic(random, depth - 1)} ${operator} ${right}`;
}
