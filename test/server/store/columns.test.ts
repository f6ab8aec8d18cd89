// The store writes points into DuckDB column by column. The tests write points in every wire format and query them; the
// values must come back exactly.

import { afterAll, beforeAll, expect, it } from "vitest";
import { readRequest, runQuery } from "../../../lib/dql/index.ts";
import { createMillrace, Float, Key, type Millrace, Point, PointArray, Uint } from "../../../lib/index.ts";
import type { SegmentStore } from "../../../server/store/segments/store.ts";
import { openedStore } from "./opened.ts";

const now = 1_700_000_000_000;
let mill: Millrace;
let store: SegmentStore;

beforeAll(async () => {
  mill = await createMillrace();
  store = await openedStore({ memoryLimit: "256MB", now: () => now, mill, keys: { maxKeys: 10_000, maxNames: 100 } });
});

afterAll(() => store.close());

const encoder = new TextEncoder();

async function asked(workspace: string, query: string, member = {}) {
  const { queries } = readRequest({ queries: [{ query, time_range: [now - 3_600_000, now], ...member }] });
  return (await runQuery(queries[0]!, await store.engine(workspace), { now })).series;
}

const time = (at: number) => BigInt(now - 1000) * 1_000_000n + BigInt(at);

function samplePoints(): Point[] {
  const values = [
    9223372036854775807n,
    -9223372036854775808n,
    new Uint(18446744073709551615n),
    new Float(-0.1),
    new Float(5e-324),
    true,
    false,
    "",
    "exactly 12 b",
    "thirteen byte",
    `zero \0 byte, "quoted" back\\slash ${"long ".repeat(50)}`,
    "日本語 and 👍 are longer than they look",
    new PointArray([1, -2, 9007199254740993n]),
    new PointArray(["a", 'b"c']),
    new PointArray([new Float(1.5), new Float(2)]),
    new Uint8Array([0, 1, 254, 255]),
    new Uint8Array(Array.from({ length: 40 }, (_, at) => at * 6)),
  ];
  return values.map((value, at) => {
    const point = new Point("sample", time(at));
    point.setTag(new Key("place"), String(at));
    point.setField(new Key("value"), value);
    return point;
  });
}

it.each(["pb", "pbjson"] as const)("every kind of value comes back from %s", async (form) => {
  const body = mill.encodePoints(samplePoints(), form);
  const batch = mill.decodePoints(body, { category: "network", form });
  await store.ingest(`kinds${form}`, "network", "one", batch);
  batch.release();
  const [series] = await asked(`kinds${form}`, "N::sample:(place, value) LIMIT 100");
  const byPlace = new Map(
    series!.values.map((row) => [Number(row[1]), row[2] instanceof Uint8Array ? [...row[2]] : row[2]]),
  );
  expect([...Array(17).keys()].map((place) => byPlace.get(place))).toEqual([
    9223372036854775807n,
    -9223372036854775808n,
    18446744073709551615n,
    -0.1,
    5e-324,
    true,
    false,
    "",
    "exactly 12 b",
    "thirteen byte",
    `zero \0 byte, "quoted" back\\slash ${"long ".repeat(50)}`,
    "日本語 and 👍 are longer than they look",
    [1n, -2n, 9007199254740993n],
    ["a", 'b"c'],
    [1.5, 2],
    [0, 1, 254, 255],
    Array.from({ length: 40 }, (_, at) => at * 6),
  ]);
});

it("points from JavaScript objects are stored like points from a body", async () => {
  await store.ingest("objects", "network", "one", samplePoints());
  const [series] = await asked("objects", "N::sample:(count(*), count(value))");
  expect(series!.values[0]!.slice(1)).toEqual([17n, 17n]);
});

it("each chunk begins where the last ended: sparse keys, one extra row, short and long texts", async () => {
  const lines = Array.from({ length: 4097 }, (_, at) => {
    const sparse = at % 1000 === 7 ? `,sparse=${at}i` : "";
    const text = at % 2 === 0 ? `short ${at}` : `a text that is longer: ${at}`;
    return `chunk,half=${at % 2 === 0 ? "even" : `odd-and-long-${at}`} n=${at}i,text="${text}"${sparse} ${time(at)}`;
  });
  const batch = mill.decodePoints(encoder.encode(lines.join("\n")), {
    category: "network",
    form: "lp",
    precision: "n",
  });
  expect(await store.ingest("chunks", "network", "one", batch)).toEqual({ points: 4097, repeated: false });
  batch.release();
  const [rows] = await asked("chunks", "N::chunk:(n, text, half, sparse) ORDER BY n LIMIT 5000");
  expect(rows!.values).toHaveLength(4097);
  for (const [at, [, n, text, half, sparse]] of rows!.values.entries()) {
    expect([n, text, half, sparse]).toEqual([
      BigInt(at),
      at % 2 === 0 ? `short ${at}` : `a text that is longer: ${at}`,
      at % 2 === 0 ? "even" : `odd-and-long-${at}`,
      at % 1000 === 7 ? BigInt(at) : null,
    ]);
  }
});

it("bytes that are not UTF-8 become U+FFFD, escapes are resolved, nanoseconds are kept", async () => {
  const line = encoder.encode(`bytes,tag=a\\ b text="x?y",said="\\"yes\\"" ${time(123456)}`);
  line[line.indexOf(0x3f)] = 0xff;
  const batch = mill.decodePoints(line, { category: "network", form: "lp", precision: "n" });
  await store.ingest("bytes", "network", "one", batch);
  batch.release();
  const [series] = await asked("bytes", "N::bytes:(text, tag, said, date_ns)");
  expect(series!.values[0]!.slice(1)).toEqual(["x\ufffdy", "a b", '"yes"', 123456n]);
});

it("a batch with too many keys is refused as a whole, and the next batch is accepted", async () => {
  const fields = Array.from({ length: 10_001 }, (_, at) => `k${at}=1i`);
  const lines = Array.from({ length: 11 }, (_, at) => `wide ${fields.slice(at * 1000, at * 1000 + 1000).join(",")}`);
  const wide = mill.decodePoints(encoder.encode(lines.join("\n")), { category: "network", form: "lp" });
  await expect(store.ingest("wide", "network", "one", wide)).rejects.toThrow(
    'network has 10000 keys at most (platform.max_keys), "k10000" is one too many',
  );
  wide.release();
  expect((await asked("wide", "show_network_source()"))[0]!.values).toEqual([]);
  await store.ingest("wide", "network", "two", samplePoints());
  expect((await asked("wide", "N::sample:(count(*))"))[0]!.values[0]![1]).toBe(17n);
});
