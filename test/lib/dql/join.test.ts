// Compares FILTER and LINK with a simple implementation of two nested loops over all rows, for small random data. The
// joined columns have every type of value.

import { expect, it } from "vitest";
import { equals } from "../../../lib/dql/evaluate/values/value.ts";
import { type Answer, type DqlValue, memoryEngine, plainQuery, type Row, runQuery } from "../../../lib/dql/index.ts";
import { Random } from "../../properties/random.ts";
import { epoch, now } from "./sample-data.ts";

const values: readonly DqlValue[] = [
  ...[
    null,
    true,
    false,
    0n,
    1n,
    12n,
    2n ** 62n,
    2n ** 53n + 1n,
    12,
    0.5,
    -0,
    9007199254740992,
    Number.NaN,
    Number.POSITIVE_INFINITY,
  ],
  ...["", "12", "12.0", "1.2e1", "+12", "true", "0.5", "a", "é", "[a b]", "Infinity", "9007199254740993"],
  ...[new TextEncoder().encode("a"), ["a", "b"], ["a", 12n], [12n, 0.5, null], []],
];

function rowsOf(random: Random, count: number): Row[] {
  return Array.from({ length: count }, (_, at) => {
    const fields = ["k", "j", "v"].map((key): [string, DqlValue] => [key, random.pick(values)]);
    return {
      // Many rows have the same time, so the order in which points arrived decides which row is newer.
      ...{ time: BigInt(epoch + random.below(5) * 1000) * 1_000_000n, name: "a", index: "default", received: now },
      ...{ docid: `D${String(at).padStart(3, "0")}`, tags: new Map() },
      fields: new Map(fields.filter(([, value]) => value !== null)),
    };
  });
}

function rowsIn({ series }: Answer): readonly (readonly DqlValue[])[] {
  return series.flatMap((each) => each.values);
}

const isEqual = (own: DqlValue, other: DqlValue) => own !== null && other !== null && equals(own, other);

it("FILTER, LINK and IN return the same rows as two nested loops", async () => {
  const random = new Random(7);
  const [kept, found] = [{ some: 0, all: 0 }, new Set<string>()];
  for (let round = 0; round < 120; round++) {
    const [own, others] = [rowsOf(random, 12), rowsOf(random, random.below(10))];
    const engine = memoryEngine((category) => (category === "logging" ? own : category === "rum" ? others : []));
    const ask = (query: string) => runQuery(plainQuery(query), engine, { now });
    const pairs = random.pick(["k = k", "k = j", "k = k, j = j"]);
    const places = pairs.split(", ").map((pair) => pair.split(" = ").map((key) => ["k", "j"].indexOf(key) + 1));
    // The rows of the outer query (`mine`) and the rows of the inner query (`theirs`). Both lists begin with the newest
    // row.
    const [mine, theirs] = [rowsIn(await ask("L::a:(k, j, __docid)")), rowsIn(await ask("R::a:(k, j, v, __docid)"))];
    const partner = (row: readonly DqlValue[]) =>
      theirs.find((other) => places.every(([left, right]) => isEqual(row[left!]!, other[right!]!)));
    const filtered = await ask(`L::a:(k, j, __docid) FILTER R::a:(k, j) WITH {${pairs}}`);
    expect(rowsIn(filtered)).toEqual(mine.filter((row) => partner(row) !== undefined));
    const linked = await ask(`L::a:(k, j, __docid) LINK R::a:(k, j, v, __docid AS d) WITH {${pairs}}`);
    const wanted = mine.flatMap((row) => {
      const other = partner(row);
      const more =
        other === undefined
          ? []
          : pairs === "k = k"
            ? other.slice(2)
            : pairs === "k = j"
              ? [other[1]!, ...other.slice(3)]
              : other.slice(3);
      return other === undefined ? [] : [[...row, ...more]];
    });
    expect(rowsIn(linked)).toEqual(wanted);
    // A condition with the operator IN and an inner query must give the same rows as FILTER with one join column.
    if (pairs === "k = k")
      expect(rowsIn(await ask("L::a:(k, j, __docid) {k IN (R::a:(k))}"))).toEqual(rowsIn(filtered));
    kept.some += wanted.length;
    kept.all += mine.length;
    for (const row of wanted) found.add(typeof row[1]);
  }
  expect(kept.some).toBeGreaterThan(kept.all / 20);
  expect(kept.some).toBeLessThan(kept.all / 2);
  expect([...found].sort()).toEqual(["bigint", "boolean", "number", "object", "string"]);
});
