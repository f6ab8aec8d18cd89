// Benchmarks of decoding.
//
// JSON: the baseline calls `JSON.parse` for the same body, and then builds point objects, each with a list of
// entries. `JSON.parse` loses digits of 64-bit numbers.
//
// Line protocol: one baseline copies the same bytes, the other is a careful decoder in plain JavaScript. The
// bodies have one to ten thousand points of one to a thousand fields.
//
// Copying ("memcpy") is measured over 64 bodies of 1 MB, one after the other. Together they are larger than the
// processor's inner caches, because bodies that arrive from outside are not in these caches either. There are
// two ways of copying. "to a new buffer" is `slice()`, which allocates memory; receiving a body costs at least
// this. "to memory in use" is `set()` into one of 64 buffers that were written before.

import { type CategoryName, Float, type Form, type Millrace, Point, type PointView } from "../../lib/index.ts";
import { decodeLineProtocolInJs } from "../baseline/line-protocol.ts";
import { logLines, metricLines, wideLines } from "./data/regular.ts";
import type { Pair } from "./measure.ts";

export const now = 1700000000000000000n;
const encoder = new TextEncoder();
const decoder = new TextDecoder();
const megabyte = 2 ** 20;
const bodyCount = 64;

export function scanPairs(mill: Millrace): Pair[] {
  return [...streams(mill), ...json(mill), ...curves(mill), ...dense(mill)];
}

interface JsonForm {
  readonly form: Form;
  readonly formName: string;
  /** Parses a body with JSON.parse and returns its points, as the baseline does. */
  readonly build: (text: string) => Point[];
}

export const jsonForms: readonly JsonForm[] = [
  { form: "json", formName: "JSON", build: buildFromJson },
  { form: "pbjson", formName: "PBJSON", build: buildFromPbjson },
];

function json(mill: Millrace): Pair[] {
  const kinds = [
    { name: "metric", category: "metric", text: metricLines(2500) },
    { name: "log", category: "logging", text: logLines(4000) },
  ] as const;
  return kinds.flatMap(({ name, category, text }) => {
    const points = mill.decodePoints(encoder.encode(text), { category, form: "lp", now });
    const count = points.length;
    return jsonForms.map((each): Pair => {
      const body = mill.encodePoints(points, each.form).slice();
      const size = (body.length / megabyte).toFixed(1);
      return {
        name: `decode ${each.formName} of ${count} ${name} points, ${size} MB`,
        ...jsonWork(mill, each, category, count, () => body),
      };
    });
  });
}

/** Returns a benchmark that decodes `count` points from JSON, with its baseline. */
export function jsonWork(
  mill: Millrace,
  { form, build }: JsonForm,
  category: CategoryName,
  count: number,
  body: () => Uint8Array,
): Omit<Pair, "name"> {
  return {
    baseline: "JSON.parse and building points",
    ours: () => {
      const batch = mill.decodePoints(body(), { category, form, now });
      if (batch.length !== count) throw new Error(`${batch.length} points of ${count}`);
      batch.release();
    },
    theirs: () => {
      if (build(decoder.decode(body())).length !== count) throw new Error("points are missing");
    },
  };
}

interface JsonElement {
  readonly measurement: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string | number | boolean>>;
  readonly time: number;
}

function buildFromJson(text: string): Point[] {
  return (JSON.parse(text) as JsonElement[]).map(({ measurement, tags = {}, fields, time }) => {
    const point = new Point(measurement, BigInt(time));
    for (const [key, value] of Object.entries(fields)) {
      point.append(key, typeof value === "number" ? new Float(value) : value, false);
    }
    for (const [key, value] of Object.entries(tags)) point.append(key, value, true);
    return point;
  });
}

interface PbjsonElement {
  readonly name: string;
  readonly fields: readonly {
    readonly key: string;
    readonly i?: string | number;
    readonly f?: number;
    readonly b?: boolean;
    readonly s?: string;
    readonly is_tag?: boolean;
  }[];
  readonly time: string | number;
}

function buildFromPbjson(text: string): Point[] {
  return (JSON.parse(text) as PbjsonElement[]).map(({ name, fields, time }) => {
    const point = new Point(name, BigInt(time));
    for (const { key, i, f, b, s, is_tag = false } of fields) {
      const value = f !== undefined ? new Float(f) : i !== undefined ? Number(i) : (s ?? b ?? null);
      point.append(key, value, is_tag);
    }
    return point;
  });
}

function streams(mill: Millrace): Pair[] {
  const kinds = [
    { name: "metric", category: "metric", text: metricLines(3065) },
    { name: "log", category: "logging", text: logLines(4070) },
  ] as const;
  return kinds.flatMap(({ name, category, text }) => {
    const first = encoder.encode(text).subarray(0, megabyte);
    const bytes = first.slice(0, first.lastIndexOf(0x0a) + 1);
    const bodies = Array.from({ length: bodyCount }, () => bytes.slice());
    const count = decodeLineProtocolInJs(bytes, { category, now }).length;
    const size = `1 MB of ${name} lines, ${Math.round(bytes.length / count)} B each`;
    let turn = 0;
    const next = () => bodies[turn++ % bodyCount]!;
    const decode = (body: Uint8Array) => {
      const batch = mill.decodePoints(body, { category, form: "lp", now });
      if (batch.length !== count) throw new Error(`${batch.length} points of ${count}`);
      batch.release();
    };
    const inUse = Array.from({ length: bodyCount }, () => bytes.slice());
    const pairs: Pair[] = [
      {
        name: `decode ${size}`,
        baseline: "memcpy to a new buffer",
        ours: () => decode(next()),
        theirs: () => void next().slice(),
      },
      {
        name: `decode ${size}`,
        baseline: "memcpy to memory in use",
        ours: () => decode(next()),
        theirs: () => inUse[turn % bodyCount]!.set(next()),
      },
      {
        name: `decode ${size}`,
        baseline: "careful decoder in JS",
        ours: () => decode(next()),
        theirs: () => void decodeLineProtocolInJs(next(), { category, now }),
      },
      {
        name: `decode and read all of ${size}`,
        baseline: "careful decoder in JS",
        ours: () => {
          const batch = mill.decodePoints(next(), { category, form: "lp", now });
          readAll(batch);
          batch.release();
        },
        theirs: () => readAll(decodeLineProtocolInJs(next(), { category, now })),
      },
    ];
    return pairs;
  });
}

/** Reads the name, the time, the keys and the values of every point as JavaScript values. */
export function readAll(points: Iterable<PointView>): number {
  let seen = 0;
  for (const point of points) {
    seen += point.name.length + (point.time > 0n ? 1 : 0);
    for (const { key, value } of point.entries()) seen += key.length + (value === null ? 0 : 1);
  }
  return seen;
}

/**
 * Benchmarks of how the time depends on sizes: the same amount of data in bodies and in points of several sizes. When
 * the cost does not depend on the size, all lines of the table show the same time.
 */
function curves(mill: Millrace): Pair[] {
  const total = 10_000;
  const bodies = [1, 10, 100, 1000, 10_000].map((points) => ({
    name: `decode ${total} metric points in bodies of ${points}`,
    bytes: encoder.encode(metricLines(points)),
    turns: total / points,
  }));
  const fields = [1, 10, 100, 1000].map((count) => ({
    name: `decode ${total} fields in points of ${count}`,
    bytes: encoder.encode(wideLines(total / count, count)),
    turns: 1,
  }));
  return [...bodies, ...fields].map(({ name, bytes, turns }) => ({
    name,
    baseline: "careful decoder in JS",
    ours: () => {
      for (let i = 0; i < turns; i++) mill.decodePoints(bytes, { category: "metric", form: "lp", now }).release();
    },
    theirs: () => {
      for (let i = 0; i < turns; i++) decodeLineProtocolInJs(bytes, { category: "metric", now });
    },
  }));
}

/**
 * Benchmarks that decode bodies whose tape is many times larger than the body. The tape is the decoded points in linear
 * memory.
 */
function dense(mill: Millrace): Pair[] {
  const options = { category: "metric", form: "lp", now } as const;
  const lists = [
    { name: "1 MB of `m f=1`", bytes: encoder.encode("m f=1\n".repeat(megabyte / 6)) },
    { name: "10 MB of metric lines", bytes: encoder.encode(metricLines(30_000)) },
  ];
  return lists.map(({ name, bytes }) => ({
    name: `decode ${name} in windows`,
    baseline: "at once",
    ours: () => {
      for (const batch of mill.decodeInWindows(bytes, options)) batch.release();
    },
    theirs: () => mill.decodePoints(bytes, options).release(),
  }));
}
