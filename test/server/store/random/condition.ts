// Makes random conditions for DQL queries, with every kind of filter.

import type { Random } from "../../../properties/random.ts";
import { arithmetic, column, literal } from "./expression.ts";

const patterns = [
  "a",
  "^a$",
  ".*a.*",
  "[0-9]+",
  "GET .*",
  "h[12]",
  "(?i)A.*",
  ".*",
  "",
  "日本",
  "a.b",
  "x?",
  "\\\\d+\\\\.5",
];
const phrases = [
  "bad gateway",
  "a",
  "GET",
  "get /b",
  "200",
  "テ",
  "日本",
  "度 高",
  "café",
  "-",
  "timeout",
  "",
  "e",
  "B",
];
const globs = ["*a*", "a?b", "GET*", "*", "h?", "1*", "50%_x\\\\\\\\y", "日本*", "", "*\\\\*", "?"];
const searches = [
  "bad AND gateway",
  "get OR error",
  "NOT a",
  "-a",
  '\\"bad gateway\\"',
  "/[0-9]{3}/",
  "s:a",
  "time*",
  "a, b",
  "(a OR b) get",
  "host:h1",
];

export function conditionOf(random: Random, namespace: string, depth: number): string {
  if (depth > 0 && random.chance(0.3)) {
    const inner = () => conditionOf(random, namespace, depth - 1);
    return random.pick([
      () => `NOT ${inner()}`,
      () => `not (${inner()})`,
      () => `${inner()} AND ${inner()}`,
      () => `${inner()} OR ${inner()}`,
      () => `(${inner()} || ${inner()}) && ${inner()}`,
    ])();
  }
  const left = random.chance(0.12)
    ? arithmetic(random, 2)
    : random.chance(0.05)
      ? `${random.pick(["int", "float"])}(${column(random, namespace)})`
      : column(random, namespace);
  const equal = random.pick(["=", "!="]);
  const items = () => random.many(0, 4, () => literal(random)).join(", ");
  const quoted = (values: readonly string[]) => `'${random.pick(values)}'`;
  return random.pick([
    () => `${left} ${random.pick(["=", "!=", "=="])} ${literal(random)}`,
    () => `${left} ${random.pick(["=", "!="])} ${literal(random)}`,
    () => `${left} ${random.pick([">", ">=", "<", "<="])} ${literal(random)}`,
    () => `${left} ${random.pick([">", ">=", "<", "<="])} ${literal(random)}`,
    () => `${left} ${random.pick(["IN", "in", "NOT IN", "NOTIN", "not_in"])} [${items()}]`,
    () => `${left} ${random.pick(["IN", "NOT IN"])} (${literal(random)}, ${literal(random)})`,
    () => `${left} ${equal} re(${quoted(patterns)})`,
    () => `${left} ${random.pick(["=~", "!~"])} ${quoted(patterns)}`,
    () => `${left} ${random.pick(["MATCH", "NOTMATCH", "not match"])} [${quoted(patterns)}, ${quoted(patterns)}]`,
    () => `${left} ${equal} match(${quoted(phrases)})`,
    () => `${left} ${equal} wildcard(${quoted(globs)})`,
    () => `${left} ${equal} query_string(${quoted(searches)})`,
    () => `${left} ${equal} exists()`,
    () => `exists(${column(random, namespace)})`,
    () => `${left} ${equal} cidr(${random.pick(["'10.0.0.0/8'", "'::/0'", "'192.168.1.9/32'"])})`,
    () => `${column(random, namespace)} ${random.pick([">", "=", "!="])} ${arithmetic(random, 1)} + 0`,
    () => `${left} ${equal} [${items()}]`,
  ])();
}
