// Encoding: long text against a copy of the same bytes, numbers against JavaScript's own formatting, PBJSON against JSON.stringify and
// protobuf against protobufjs over the same points; and the memory that transcoding takes.

import { Float, type Form, Key, type Millrace, type Points, type PointView } from "../../lib/index.ts";
import { decodeLineProtocolInJs } from "../baseline/line-protocol.ts";
import { decodeWithProtobufjs, encodeMessage, messageOf } from "../baseline/protobuf.ts";
import { seeded } from "./data/dice.ts";
import { logLines, metricLines } from "./data/regular.ts";
import type { Pair } from "./measure.ts";

const now = 1700000000000000000n;
const utf8 = new TextEncoder();
const points = 4000;

export function encodePairs(mill: Millrace): Pair[] {
  return [...longText(mill), ...numbers(mill), ...lines(mill), ...json(mill), ...protobuf(mill)];
}

function decode(mill: Millrace, body: Uint8Array, category: "metric" | "logging", form: Form = "lp"): Points {
  return mill.decodePoints(body, { category, form, now });
}

/** A sink that puts the chunks one after the other into one buffer. */
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

/** 8 MB of log text in values of 64 KB, with a quote now and then, that and newlines, or neither. */
function longText(mill: Millrace): Pair[] {
  const lines = logLines(300).replaceAll("\\", "").replaceAll('"', "'").slice(0, 65536);
  const text = lines.replaceAll("\n", " ");
  const withQuotes = (of: string): string => of.replace(/[\s\S]{250}/g, '$&\\"');
  const values = {
    "no escapes": text,
    "an escape every 250 bytes": withQuotes(text),
    "an escape every 250 bytes and a newline every 230": withQuotes(lines),
  };
  return Object.entries(values).flatMap(([what, value]) => {
    const body = utf8.encode(Array.from({ length: 128 }, (_, i) => `m,h=a s="${value}" ${now + BigInt(i)}`).join("\n"));
    const batch = decode(mill, body, "logging");
    return (["lp", "pb", "pbjson"] as const).map((form) => {
      const bytes = mill.encodePoints(batch, form);
      const target = new Uint8Array(bytes.length);
      const sink = into(target);
      return {
        name: `encode long text, ${what}, ${form}`,
        baseline: "memcpy of the same bytes",
        ours: () => {
          mill.encodeTo(batch, form, sink.take);
          if (sink.rewind() !== bytes.length) throw new Error("another length");
        },
        theirs: () => target.set(bytes),
      };
    });
  });
}

/** Points with ten doubles of 16 or 17 digits and ten integers, none of which can be copied from a body. */
function numbers(mill: Millrace): Pair[] {
  const random = seeded(3);
  const rows = Array.from({ length: 1000 }, () => ({
    floats: Array.from({ length: 10 }, () => random() * 1000),
    ints: Array.from({ length: 10 }, () => Math.floor(random() * 2 ** 40)),
  }));
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
  const inJs = (): number => {
    const lines = rows.map(({ floats, ints }, at) => {
      let line = "m,h=a ";
      for (let i = 0; i < 10; i++) line += `f${i}=${floats[i]},`;
      for (let i = 0; i < 10; i++) line += `${i > 0 ? "," : ""}i${i}=${ints[i]}i`;
      return `${line} ${now + BigInt(at)}`;
    });
    return utf8.encodeInto(lines.join("\n"), target).written;
  };
  if (inJs() !== expected.length) throw new Error("the two ways differ");
  return [
    {
      name: "encode 20,000 computed numbers as line protocol",
      baseline: "template strings in JS",
      ours: () => {
        mill.encodeTo(batch, "lp", sink.take);
        if (sink.rewind() !== expected.length) throw new Error("another length");
      },
      theirs: inJs,
    },
  ];
}

/** Points on their way from a body to the next one, with nothing done to them but a tag. */
function lines(mill: Millrace): Pair[] {
  const host = new Key("machine");
  return bodies().flatMap(({ name, category, body }) =>
    [false, true].map((hasTag): Pair => {
      const transcode = (keepLines: boolean): void => {
        const each = decode(mill, body, category);
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
  return bodies().flatMap(({ name, category, body }) => {
    const batch = decode(mill, body, category);
    const expected = mill.encodePoints(batch, "pbjson");
    const objects = JSON.parse(new TextDecoder().decode(expected)) as unknown;
    return [
      {
        name: `encode ${points} ${name} as PBJSON`,
        baseline: "JSON.stringify of the same objects, to bytes",
        ours: () => {
          if (mill.encodePoints(batch, "pbjson").length !== expected.length) throw new Error("another length");
        },
        theirs: () => {
          if (utf8.encode(JSON.stringify(objects)).length !== expected.length) throw new Error("another length");
        },
      },
    ];
  });
}

function protobuf(mill: Millrace): Pair[] {
  return bodies().flatMap(({ name, category, body }) => {
    const batch = decode(mill, body, category);
    const bytes = mill.encodePoints(batch, "pb");
    const message = messageOf(decodeLineProtocolInJs(body, { category, precision: "", now }));
    return [
      {
        name: `encode ${points} ${name} as protobuf`,
        baseline: "protobufjs",
        ours: () => void mill.encodePoints(batch, "pb"),
        theirs: () => void encodeMessage(message),
      },
      {
        name: `decode ${points} ${name} from protobuf`,
        baseline: "protobufjs",
        ours: () => decode(mill, bytes, category, "pb").release(),
        theirs: () => void decodeWithProtobufjs(bytes),
      },
      {
        name: `line protocol to protobuf, ${points} ${name}`,
        baseline: "decoding alone",
        ours: () => {
          const each = decode(mill, body, category);
          mill.encodePoints(each, "pb");
          each.release();
        },
        theirs: () => decode(mill, body, category).release(),
      },
    ];
  });
}

function bodies() {
  return [
    { name: "metric lines", category: "metric", body: utf8.encode(metricLines(points)) },
    { name: "log lines", category: "logging", body: utf8.encode(logLines(points)) },
  ] as const;
}

/** Lines of text: what the module holds at most while a body goes from one form to another, in windows. */
export function transcodingMemory(mill: Millrace): string[] {
  const sources = [
    { name: "metric lines", category: "metric", from: "lp", body: utf8.encode(metricLines(28_000)) },
    { name: "log lines", category: "logging", from: "lp", body: utf8.encode(logLines(40_000)) },
    { name: "the densest lines", category: "metric", from: "lp", body: utf8.encode("m f=1\n".repeat(10e6 / 6)) },
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
      // Memory that other lines of the table hold does not count.
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

/** JSON of about so many bytes: an element again and again. */
function listOf(element: string, bytes: number): Uint8Array {
  const count = Math.floor(bytes / (element.length + 1));
  return utf8.encode(`[${Array.from({ length: count }, () => element).join(",")}]`);
}

/** 10 MB of protobuf: a point with one field again and again. */
function densestMessages(mill: Millrace): Uint8Array {
  const batch = decode(mill, utf8.encode("m f=1 1"), "metric");
  const message = mill.encodePoints(batch, "pb");
  batch.release();
  const bytes = new Uint8Array(message.length * Math.floor(10e6 / message.length));
  for (let at = 0; at < bytes.length; at += message.length) bytes.set(message, at);
  return bytes;
}
