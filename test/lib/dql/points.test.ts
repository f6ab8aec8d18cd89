// Runs DQL queries in memory over points that the WebAssembly module has decoded.

import { expect, it } from "vitest";
import { memoryEngine, plainQuery, rowsOfPoints, runQuery } from "../../../lib/dql/index.ts";
import { createMillrace } from "../../../lib/index.ts";

it("answers a query from the points of a batch, also after the batch is released", async () => {
  const mill = await createMillrace();
  const text = [
    'cpu,host=a load=1.5,n=9007199254740993i,ok=true,note="x y",u=18446744073709551615u 1700000000000000001',
    "cpu,host=b load=2,n=1i 1700000000000000002",
  ];
  const points = mill.decodePoints(new TextEncoder().encode(text.join("\n")), { category: "logging", form: "lp" });
  const rows = rowsOfPoints(points);
  points.release();
  const engine = memoryEngine((category) => (category === "logging" ? rows : []));
  const { series } = await runQuery(plainQuery("L::cpu:(load, n, note, ok, u, host)"), engine, {
    now: 1_700_000_001_000,
  });
  expect(series[0]!.values).toEqual([
    [1_700_000_000_000n, 2, 1n, null, null, null, "b"],
    [1_700_000_000_000n, 1.5, 9007199254740993n, "x y", true, 18446744073709551615n, "a"],
  ]);
});
