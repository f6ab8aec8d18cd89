// Queries under limits: an endless query is cancelled, a query that reads too much is refused, and other queries are
// answered at the same time.

import { afterAll, beforeAll, expect, it } from "vitest";
import { raw } from "../../../lib/dql/sql/fragment.ts";
import { createMillrace, type Millrace } from "../../../lib/index.ts";
import { TooMuchRead } from "../../../server/store/readers.ts";
import type { SegmentStore } from "../../../server/store/segments/store.ts";
import { openedStore } from "./opened.ts";

/** A query that reads about 10^27 combinations of rows and never ends by itself. */
const endless = raw(
  "SELECT sum(a.range + b.range + c.range) FROM range(1000000000) a, range(1000000000) b, range(1000000000) c",
);
const short = raw("SELECT 42");

let mill: Millrace;
let store: SegmentStore;

beforeAll(async () => {
  mill = await createMillrace();
  store = await openedStore({
    memoryLimit: "256MB",
    maxQueries: 2,
    maxQueryBytes: 1024 ** 2,
    now: () => 1,
    mill,
  });
});

afterAll(() => store.close());

const asked = (end = new AbortController(), statement = endless) => store.reader(end.signal).run(statement);

it("an endless query can be ended with a reason, and the next query is answered", async () => {
  const end = new AbortController();
  const running = asked(end);
  expect(await asked(undefined, short)).toEqual([[42]]);
  end.abort(new Error("nobody waits"));
  await expect(running).rejects.toThrow("nobody waits");
  expect(await asked(undefined, short)).toEqual([[42]]);
});

it("ending one query leaves the one beside it alone", async () => {
  const [one, other] = [new AbortController(), new AbortController()];
  const queries = [asked(one), asked(other)];
  let ended = false;
  void queries[1]!.catch(() => {}).finally(() => (ended = true));
  one.abort(new Error("one"));
  await expect(queries[0]).rejects.toThrow("one");
  expect(await asked(undefined, short)).toEqual([[42]]);
  expect(ended).toBe(false);
  other.abort(new Error("other"));
  await expect(queries[1]).rejects.toThrow("other");
});

it("surplus queries wait; a waiting query can be ended and then takes no slot", async () => {
  const ends = Array.from({ length: 5 }, () => new AbortController());
  const queries = ends.map((end) => asked(end));
  const outcomes = queries.map((query) => query.catch((error: Error) => error.message));
  ends[3]!.abort(new Error("while it waited"));
  expect(await outcomes[3]).toBe("while it waited");
  for (const [at, end] of ends.entries()) end.abort(new Error(`ended ${at}`));
  expect(await Promise.all(outcomes)).toEqual(["ended 0", "ended 1", "ended 2", "while it waited", "ended 4"]);
  expect(await asked(undefined, short)).toEqual([[42]]);
});

it("a query that was ended before it starts reads nothing", async () => {
  const end = new AbortController();
  end.abort(new Error("too late"));
  await expect(asked(end, short)).rejects.toThrow("too late");
});

it("a query that reads more than its limit is refused long before all is read", async () => {
  const rows = raw("SELECT range, 'a text of some length' FROM range(1000000000000)");
  const reading = asked(undefined, rows);
  await expect(reading).rejects.toThrow(TooMuchRead);
  await expect(reading).rejects.toThrow("the query reads more than 1 MiB of points; narrow its time range or filter");
  // The limit applies to the sum of all bytes that a request reads, even if many SQL statements read them.
  const piece = raw("SELECT range FROM range(20000)");
  const reader = store.reader(new AbortController().signal);
  const pieces = async () => {
    for (let at = 0; at < 1000; at++) await reader.run(piece);
  };
  await expect(pieces()).rejects.toThrow(TooMuchRead);
  expect(await asked(undefined, short)).toEqual([[42]]);
});

it("the database refuses a query that exceeds its memory, and the next query is answered", async () => {
  const list = raw("SELECT list(range) FROM range(100000000)");
  await expect(asked(undefined, list)).rejects.toThrow("Out of Memory Error");
  expect(await asked(undefined, short)).toEqual([[42]]);
});

it("points are stored while a query runs", async () => {
  const end = new AbortController();
  const running = asked(end);
  const batch = mill.decodePoints(new TextEncoder().encode("m v=1i 1000"), { category: "metric", form: "lp" });
  expect(await store.ingest("w", "metric", "one", batch)).toEqual({ points: 1, repeated: false });
  batch.release();
  end.abort(new Error("enough"));
  await expect(running).rejects.toThrow("enough");
});
