// Benchmarks of encoding: long strings against a copy of the same bytes, numbers against JavaScript's own formatting,
// PBJSON against JSON.stringify, and protobuf against protobufjs over the same points. Also measures the memory that
// transcoding takes.

import {
  type CategoryName,
  Float,
  type Form,
  Key,
  type Millrace,
  type Points,
  type PointView,
} from "../../lib/index.ts";
import { decodeLineProtocolInJs } from "../baseline/line-protocol.ts";
import { decodeWithProtobufjs, encodeMessage, messageOf } from "../baseline/protobuf.ts";
import { Dice, seeded } from "./data/dice.ts";
import {
  bodyOf,
  bodyOfSize,
  everythingSet,
  fieldOrderSet,
  longTextSet,
  presenceSet,
  regularSet,
} from "./data/point-sets.ts";
import { logLines, metricLines } from "./data/regular.ts";
import { lazy, type Pair } from "./measure.ts";

const now = 1700000000000000000n;
const utf8 = new TextEncoder();
const points = 4000;

export function encodePairs(mill: Millrace): Pair[] {
  return [...longText(mill), ...numbers(mill), ...lines(mill), ...json(mill), ...protobuf(mill), ...varied(mill)];
}

function decode(mill: Millrace, body: Uint8Array, category: CategoryName, form: Form = "lp"): Points {
  return mill.decodePoints(body, { category, form, now });
}

/**
 * Returns an object with a method `take`. Each call of `take` appends a chunk to the bytes that earlier calls have
 * written into `target`.
 */
function into(target: Uint8Array) {
  let at = 0;
  return {
    take: (chunk: Uint8Array): void => {
      target.set(chunk, at);
      at += chunk.length;
    },
    rewind: (): number => {
      const length = at;
      at = 0;
      return length;
    },
  };
}

/**
 * Benchmarks that encode 8 MB of log text in values of 64 KB: without escaped characters, with quotes, and with quotes
 * and newlines.
 */
function longText(mill: Millrace): Pair[] {
  const lines = logLines(300).replaceAll("\\", "").replaceAll('"', "'").slice(0, 65536);
  const text = lines.replaceAll("\n", " ");
  const withQuotes = (of: string): string => of.replace(/[\s\S]{250}/g, '$&\\"');
  const values = {
    "no escapes": text,
    "an escape every 250 bytes": withQuotes(text),
    "an escape every 250 bytes and a newline every 230": withQuotes(lines),
  };
  const regular = Object.entries(values).map(([what, value]) => ({
    what,
    list: () => Array.from({ length: 128 }, () => value),
  }));
  return [...regular, { what: "varied", list: variedTexts }].flatMap(({ what, list }) => {
    const batch = lazy(() => {
      const lines = list().map((value, i) => `m,h=a s="${value}" ${now + BigInt(i)}`);
      return decode(mill, utf8.encode(lines.join("\n")), "logging");
    });
    return (["lp", "pb", "pbjson"] as const).map((form) => {
      const bytes = lazy(() => mill.encodePoints(batch(), form));
      const target = lazy(() => new Uint8Array(bytes().length));
      const sink = lazy(() => into(target()));
      return {
        name: `encode long text, ${what}, ${form}`,
        baseline: "memcpy of the same bytes",
        ours: () => {
          mill.encodeTo(batch(), form, sink().take);
          if (sink().rewind() !== bytes().length) throw new Error("another length");
        },
        theirs: () => target().set(bytes()),
      };
    });
  });
}

/** 8 MB of strings of 100 bytes to 64 KB, with a special or non-ASCII character every 10 to 500 bytes. */
function variedTexts(): string[] {
  const dice = new Dice(5);
  const texts: string[] = [];
  for (let total = 0; total < 8 * 2 ** 20; ) {
    const length = Math.floor(100 * 655 ** dice.fraction());
    let text = "";
    while (text.length < length) {
      text += `${dice.sentence(dice.within([2, 90]))}${dice.pick(['\\"', "\\\\", "\n", "\t", "é", "日"])}`;
    }
    texts.push(text);
    total += text.length;
  }
  return texts;
}

interface NumberRow {
  readonly floats: readonly number[];
  readonly ints: readonly (number | bigint)[];
}

/** Rows of ten doubles of 16 or 17 digits and ten integers. */
function regularNumbers(): NumberRow[] {
  const random = seeded(3);
  return Array.from({ length: 1000 }, () => ({
    floats: Array.from({ length: 10 }, () => random() * 1000),
    ints: Array.from({ length: 10 }, () => Math.floor(random() * 2 ** 40)),
  }));
}

/**
 * Rows of doubles, and rows of integers. The doubles have 1 to 17 digits and lie between 1e-6 and 1e20, where
 * JavaScript writes numbers without an exponent. The integers have 1 to 19 digits.
 */
function variedNumbers(): NumberRow[] {
  const dice = new Dice(4);
  const sign = (): number => (dice.chance(0.3) ? -1 : 1);
  const int = (): number | bigint => {
    const value = dice.bits64() % 10n ** BigInt(1 + dice.below(18));
    return value < 2n ** 53n ? sign() * Number(value) || 0 : value;
  };
  const float = (): number => {
    const value = sign() * (1 + 8 * dice.fraction()) * 10 ** (dice.below(26) - 6);
    return Number(value.toPrecision(dice.within([1, 17])));
  };
  return Array.from({ length: 1000 }, () => ({
    floats: Array.from({ length: 10 }, float),
    ints: Array.from({ length: 10 }, int),
  }));
}

/**
 * Benchmarks for points with ten doubles and ten integers. All numbers are computed, so none can be copied from a body.
 */
function numbers(mill: Millrace): Pair[] {
  const cases = [
    { name: "20,000 computed numbers", rows: regularNumbers },
    { name: "20,000 varied computed numbers", rows: variedNumbers },
  ];
  return cases.map(({ name, rows }) => {
    const work = lazy(() => numbersWork(mill, rows()));
    return {
      name: `encode ${name} as line protocol`,
      baseline: "template strings in JS",
      ours: () => work().ours(),
      theirs: () => work().theirs(),
    };
  });
}

function numbersWork(mill: Millrace, rows: readonly NumberRow[]): Pick<Pair, "ours" | "theirs"> {
  const batch = decode(mill, utf8.encode(rows.map((_, i) => `m,h=a z=1i ${now + BigInt(i)}`).join("\n")), "metric");
  const keys = Array.from({ length: 10 }, (_, i) => [new Key(`f${i}`), new Key(`i${i}`)] as const);
  const z = new Key("z");
  rows.forEach(({ floats, ints }, at) => {
    const point: PointView = batch.at(at);
    point.delete(z);
    keys.forEach(([float, int], i) => {
      point.setField(float, new Float(floats[i]!));
      point.setField(int, ints[i]!);
    });
  });
  const expected = mill.encodePoints(batch, "lp");
  const target = new Uint8Array(expected.length * 2);
  const sink = into(target);
  const inJs = (): void => {
    const lines = rows.map(({ floats, ints }, at) => {
      let line = "m,h=a ";
      for (let i = 0; i < 10; i++) line += `f${i}=${floats[i]},`;
      for (let i = 0; i < 10; i++) line += `${i > 0 ? "," : ""}i${i}=${ints[i]}i`;
      return `${line} ${now + BigInt(at)}`;
    });
    const { written } = utf8.encodeInto(lines.join("\n"), target);
    if (written !== expected.length) throw new Error("the two ways differ");
  };
  return {
    ours: () => {
      mill.encodeTo(batch, "lp", sink.take);
      if (sink.rewind() !== expected.length) throw new Error("another length");
    },
    theirs: inJs,
  };
}

/**
 * Benchmarks that decode points and encode them again, unchanged or with one added tag. Millrace may copy the
 * original lines. The baseline is Millrace itself, with the option that makes it write every line from the
 * values of the point.
 */
function lines(mill: Millrace): Pair[] {
  const host = new Key("machine");
  return bodies.flatMap(({ name, category, body }) =>
    [false, true].map((hasTag): Pair => {
      const transcode = (keepLines: boolean): void => {
        const each = decode(mill, body(), category);
        if (hasTag) each.addTag(host, "web-01");
        if (mill.encodeTo(each, "lp", () => {}, { keepLines }) !== points) throw new Error("a point is missing");
        each.release();
      };
      return {
        name: `${points} ${name} sent on as they came${hasTag ? ", with a tag" : ""}`,
        baseline: "decoded and written anew",
        ours: () => transcode(true),
        theirs: () => transcode(false),
      };
    }),
  );
}

function json(mill: Millrace): Pair[] {
  return bodies.map(({ name, category, body }) => {
    const batch = lazy(() => decode(mill, body(), category));
    const expected = lazy(() => mill.encodePoints(batch(), "pbjson").length);
    const objects = lazy(() => JSON.parse(new TextDecoder().decode(mill.encodePoints(batch(), "pbjson"))) as unknown);
    return {
      name: `encode ${points} ${name} as PBJSON`,
      baseline: "JSON.stringify of the same objects, to bytes",
      ours: () => {
        if (mill.encodePoints(batch(), "pbjson").length !== expected()) throw new Error("another length");
      },
      theirs: () => {
        if (utf8.encode(JSON.stringify(objects())).length !== expected()) throw new Error("another length");
      },
    };
  });
}

function protobuf(mill: Millrace): Pair[] {
  return bodies.flatMap(({ name, category, body }) => {
    const batch = lazy(() => decode(mill, body(), category));
    const bytes = lazy(() => mill.encodePoints(batch(), "pb"));
    const message = lazy(() => messageOf(decodeLineProtocolInJs(body(), { category, precision: "", now })));
    return [
      {
        name: `encode ${points} ${name} as protobuf`,
        baseline: "protobufjs",
        ours: () => void mill.encodePoints(batch(), "pb"),
        theirs: () => void encodeMessage(message()),
      },
      {
        name: `decode ${points} ${name} from protobuf`,
        baseline: "protobufjs",
        ours: () => decode(mill, bytes(), category, "pb").release(),
        theirs: () => void decodeWithProtobufjs(bytes()),
      },
      {
        name: `line protocol to protobuf, ${points} ${name}`,
        baseline: "decoding alone",
        ours: () => {
          const each = decode(mill, body(), category);
          mill.encodePoints(each, "pb");
          each.release();
        },
        theirs: () => decode(mill, body(), category).release(),
      },
    ];
  });
}

/**
 * Benchmarks that encode points with varying keys. The baseline encodes points with equal keys. The outputs of
 * the benchmark and of the baseline have the same number of bytes.
 */
function varied(mill: Millrace): Pair[] {
  const regular = lazy(() => decode(mill, bodyOf(regularSet), regularSet.category));
  return [presenceSet, fieldOrderSet, everythingSet, longTextSet].flatMap((set) => {
    const batch = lazy(() => decode(mill, bodyOf(set), set.category));
    return (["lp", "json", "pbjson", "pb"] as const).map((form): Pair => {
      let length = 0;
      const count = (chunk: Uint8Array): void => {
        length += chunk.length;
      };
      const sizeOf = (points: Points): number => {
        length = 0;
        mill.encodeTo(points, form, count);
        return length;
      };
      const asMany = lazy(() => Math.round((regular().length * sizeOf(batch())) / sizeOf(regular())));
      return {
        name: `encode varied points, ${set.name}, ${form}`,
        baseline: "as many bytes of one shape",
        ours: () => void mill.encodeTo(batch(), form, count),
        theirs: () => {
          for (let left = asMany(); left > 0; left -= regular().length) {
            mill.encodeTo(regular(), form, count, { to: Math.min(left, regular().length) });
          }
        },
      };
    });
  });
}

interface Body {
  readonly name: string;
  readonly category: CategoryName;
  readonly body: () => Uint8Array;
}

const bodies: readonly Body[] = [
  { name: "metric lines", category: "metric", body: lazy(() => utf8.encode(metricLines(points))) },
  { name: "log lines", category: "logging", body: lazy(() => utf8.encode(logLines(points))) },
  {
    name: "varied lines",
    category: everythingSet.category,
    body: lazy(() => bodyOf(everythingSet, { count: points })),
  },
  {
    name: "varied lines with long texts",
    category: longTextSet.category,
    body: lazy(() => bodyOf(longTextSet, { count: points })),
  },
];

/**
 * Converts bodies between wire formats in windows (a part of the body in memory at a time). Returns a line of the
 * report for each conversion, with the peak of the module's memory.
 */
export function transcodingMemory(mill: Millrace): string[] {
  const sources = [
    { name: "metric lines", category: "metric", from: "lp", body: utf8.encode(metricLines(28_000)) },
    { name: "log lines", category: "logging", from: "lp", body: utf8.encode(logLines(40_000)) },
    { name: "the densest lines", category: "metric", from: "lp", body: utf8.encode("m f=1\n".repeat(10e6 / 6)) },
    {
      name: "varied lines",
      category: everythingSet.category,
      from: "lp",
      body: bodyOfSize(everythingSet, 10e6),
    },
    {
      name: "the densest JSON",
      category: "metric",
      from: "json",
      body: listOf('{"measurement":"m","fields":{"f":1}}', 10e6),
    },
    {
      name: "the densest PBJSON",
      category: "metric",
      from: "pbjson",
      body: listOf('{"name":"m","fields":[{"key":"f","i":1}]}', 10e6),
    },
    { name: "the densest protobuf", category: "metric", from: "pb", body: densestMessages(mill) },
  ] as const;
  return sources.flatMap(({ name, category, from, body }) =>
    (["lp", "json", "pbjson", "pb"] as const).map((form) => {
      // Earlier benchmarks may have left memory of the module in use. This memory does not count in the result, so it
      // is subtracted from the peak.
      const before = mill.memory().used;
      let peak = 0;
      let length = 0;
      const windows = mill.decodeInWindows(body, { category, form: from, now });
      mill.encodeTo(windows, form, (chunk) => {
        peak = Math.max(peak, mill.memory().used - before);
        length += chunk.length;
      });
      const share = (bytes: number) => (bytes / body.length).toFixed(2);
      return `memory, ${name} of ${Math.round(body.length / 1e6)} MB to ${form}: the module holds at most ${share(peak)}x the body, the output has ${share(length)}x`;
    }),
  );
}

/** Returns a JSON list of about `bytes` bytes that repeats one element. */
function listOf(element: string, bytes: number): Uint8Array {
  const count = Math.floor(bytes / (element.length + 1));
  return utf8.encode(`[${Array.from({ length: count }, () => element).join(",")}]`);
}

/** Returns 10 MB of protobuf that repeat a point with one field. */
function densestMessages(mill: Millrace): Uint8Array {
  const batch = decode(mill, utf8.encode("m f=1 1"), "metric");
  const message = mill.encodePoints(batch, "pb");
  batch.release();
  const bytes = new Uint8Array(message.length * Math.floor(10e6 / message.length));
  for (let at = 0; at < bytes.length; at += message.length) bytes.set(message, at);
  return bytes;
}
