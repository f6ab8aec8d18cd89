// Benchmarks of decoding points whose keys and sizes vary (data/point-sets.ts). There are three baselines: the same
// number of bytes of points with equal keys, a careful decoder in plain JavaScript, and JSON.parse. Also measures
// bodies with wrong lines, and points that are corrected.

import type { CategoryName, Limits, Millrace, PointView } from "../../lib/index.ts";
import { defaultLimits, PointError } from "../../lib/index.ts";
import { decodeLineProtocolInJs } from "../baseline/line-protocol.ts";
import {
  bodyOf,
  bodyOfSize,
  everythingSet,
  failingSet,
  fieldOrderSet,
  longTextSet,
  type PointSet,
  pointSets,
  presenceSet,
  regularSet,
} from "./data/point-sets.ts";
import { bodyParts } from "./data/points.ts";
import { lazy, type Pair } from "./measure.ts";
import { jsonForms, jsonWork, now, readAll } from "./scan.ts";

const megabyte = 2 ** 20;
/**
 * Number of bodies that are decoded one after the other. Together they are larger than the processor's inner caches.
 */
const bodyCount = 16;
const encoder = new TextEncoder();

export function variedScanPairs(mill: Millrace): Pair[] {
  return [...streams(mill), ...json(mill), ...curves(mill), dense(mill), failing(mill), ...corrections(mill)];
}

/**
 * Returns a function that gives a copy of the same body at each call. Each copy is at another address than the copy
 * before.
 */
function bodiesInTurn(make: () => Uint8Array): () => Uint8Array {
  const bodies = lazy(() => {
    const first = make();
    return Array.from({ length: bodyCount }, () => first.slice());
  });
  let turn = 0;
  return () => bodies()[turn++ % bodyCount]!;
}

function streams(mill: Millrace): Pair[] {
  const regular = bodiesInTurn(() => bodyOfSize(regularSet, megabyte));
  return pointSets
    .filter((set) => set !== regularSet)
    .flatMap((set) => {
      const { category } = set;
      const next = bodiesInTurn(() => bodyOfSize(set, megabyte));
      const count = lazy(() => decodeLineProtocolInJs(next(), { category, now }).length);
      const inUse = lazy(() => next().slice());
      const name = `decode 1 MB of varied lines, ${set.name}`;
      const ours = (): void => {
        const batch = mill.decodePoints(next(), { category, form: "lp", now });
        if (batch.length !== count()) throw new Error(`${batch.length} points of ${count()}`);
        batch.release();
      };
      const pairs: Pair[] = [
        {
          name,
          baseline: "1 MB of one shape",
          ours,
          theirs: () => mill.decodePoints(regular(), { category: regularSet.category, form: "lp", now }).release(),
        },
        {
          name,
          baseline: "careful decoder in JS",
          ours,
          theirs: () => void decodeLineProtocolInJs(next(), { category, now }),
        },
      ];
      if (set !== everythingSet) return pairs;
      return [
        ...pairs,
        { name, baseline: "memcpy to a new buffer", ours, theirs: () => void next().slice() },
        { name, baseline: "memcpy to memory in use", ours, theirs: () => inUse().set(next()) },
        {
          name: `decode and read all of 1 MB of varied lines, ${set.name}`,
          baseline: "careful decoder in JS",
          ours: () => {
            const batch = mill.decodePoints(next(), { category, form: "lp", now });
            readAll(batch);
            batch.release();
          },
          theirs: () => void readAll(decodeLineProtocolInJs(next(), { category, now })),
        },
      ];
    });
}

function json(mill: Millrace): Pair[] {
  return [presenceSet, fieldOrderSet, everythingSet, longTextSet].flatMap((set) => {
    const { category, knobs } = set;
    return jsonForms.map((each): Pair => {
      const body = lazy(() => {
        const batch = mill.decodePoints(bodyOf(set), { category, form: "lp", now });
        const bytes = mill.encodePoints(batch, each.form).slice();
        batch.release();
        return bytes;
      });
      return {
        name: `decode ${each.formName} of varied points, ${set.name}`,
        ...jsonWork(mill, each, category, knobs.count, body),
      };
    });
  });
}

/**
 * Benchmarks of how the time depends on sizes: the same points in bodies of several sizes, then the same number of
 * fields in points of several sizes.
 */
function curves(mill: Millrace): Pair[] {
  const total = 10_000;
  const { category, knobs } = everythingSet;
  const parts = lazy(() => [...bodyParts({ ...knobs, count: total })]);
  const bodies = [1, 10, 100, 1000, 10_000].map((points) => ({
    name: `decode ${total} varied points in bodies of ${points}`,
    bodies: lazy(() =>
      Array.from({ length: total / points }, (_, at) =>
        encoder.encode(
          parts()
            .slice(at * points, (at + 1) * points)
            .join(""),
        ),
      ),
    ),
  }));
  const fields = [1, 10, 100, 1000].map((count) => ({
    name: `decode ${total} fields in varied points of ${count}`,
    bodies: lazy(() => {
      const lengths = { ...knobs.lengths, fields: [count, count] as const };
      return [bodyOf(everythingSet, { count: total / count, presence: 1, lengths })];
    }),
  }));
  return [...bodies, ...fields].map(({ name, bodies }) => ({
    name,
    baseline: "careful decoder in JS",
    ours: () => {
      for (const body of bodies()) mill.decodePoints(body, { category, form: "lp", now }).release();
    },
    theirs: () => {
      for (const body of bodies()) decodeLineProtocolInJs(body, { category, now });
    },
  }));
}

function dense(mill: Millrace): Pair {
  const options = { category: everythingSet.category, form: "lp", now } as const;
  const body = lazy(() => bodyOfSize(everythingSet, 10 * megabyte));
  return {
    name: "decode 10 MB of varied lines in windows",
    baseline: "at once",
    ours: () => {
      for (const batch of mill.decodeInWindows(body(), options)) batch.release();
    },
    theirs: () => mill.decodePoints(body(), options).release(),
  };
}

/** Returns the benchmark of bodies with wrong lines. Millrace and the baseline decoder both report every wrong line. */
function failing(mill: Millrace): Pair {
  const { category, name } = failingSet;
  const body = lazy(() => bodyOfSize(failingSet, megabyte));
  const expected = lazy(() => failures(() => decodeLineProtocolInJs(body(), { category, now })));
  return {
    name: `decode 1 MB of varied lines, ${name}`,
    baseline: "careful decoder in JS",
    ours: () => {
      const found = failures(() => mill.decodePoints(body(), { category, form: "lp", now }));
      if (found !== expected()) throw new Error(`${found} failing lines of ${expected()}`);
    },
    theirs: () => void failures(() => decodeLineProtocolInJs(body(), { category, now })),
  };
}

function failures(decode: () => unknown): number {
  try {
    decode();
  } catch (error) {
    if (error instanceof PointError) return error.failed;
    throw error;
  }
  throw new Error("no line fails");
}

interface Correction {
  readonly name: string;
  readonly set: PointSet;
  readonly category: CategoryName;
  readonly limits: Limits;
}

const tightLimits: Limits = {
  ...defaultLimits,
  maxTags: 3,
  maxFields: 6,
  maxTagKey: 8,
  maxFieldKey: 8,
  maxTagValue: 8,
  maxFieldValue: 40,
  maxMeasurement: 8,
};

const correctionsOfPoints: readonly Correction[] = [
  { name: "a status added to each log", set: everythingSet, category: "logging", limits: defaultLimits },
  { name: "texts of metrics dropped", set: everythingSet, category: "metric", limits: defaultLimits },
  {
    name: "keys and values cut, tags and fields dropped",
    set: everythingSet,
    category: "network",
    limits: tightLimits,
  },
  { name: "long texts cut", set: longTextSet, category: "network", limits: { ...defaultLimits, maxFieldValue: 100 } },
];

/**
 * Benchmarks in which most points are corrected. The baseline decodes the same body under rules that correct nothing.
 */
function corrections(mill: Millrace): Pair[] {
  return correctionsOfPoints.flatMap(({ name, set, category, limits }) => {
    const body = lazy(() => bodyOfSize(set, megabyte));
    const ours = (): void => mill.decodePoints(body(), { category, form: "lp", now, limits }).release();
    const check = lazy(() => {
      const batch = mill.decodePoints(body(), { category, form: "lp", now, limits });
      const points = decodeLineProtocolInJs(body(), { category, now, limits });
      const found = warningsOf(batch);
      if (found === 0 || found !== warningsOf(points)) throw new Error(`${name}: not the same corrections`);
      batch.release();
    });
    return [
      {
        name: `correct 1 MB of varied lines, ${name}`,
        baseline: "nothing to correct",
        ours: () => {
          check();
          ours();
        },
        theirs: () => mill.decodePoints(body(), { category: set.category, form: "lp", now }).release(),
      },
      {
        name: `correct 1 MB of varied lines, ${name}`,
        baseline: "careful decoder in JS",
        ours,
        theirs: () => void decodeLineProtocolInJs(body(), { category, now, limits }),
      },
    ];
  });
}

function warningsOf(points: Iterable<PointView>): number {
  let count = 0;
  for (const { warnings } of points) count += warnings?.length ?? 0;
  return count;
}
