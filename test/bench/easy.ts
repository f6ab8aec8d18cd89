// Benchmarks of the easy layer, the functions that take and return plain objects, over regular and varied data. The
// baselines are the fast layer (points and keys) and plain JavaScript doing the same work. The goal is at most twice
// the time of the fast layer.

import { watchBatches } from "../../lib/easy/lost-batches.ts";
import { type DecodeOptions, Float, Key, type Millrace, Point, type PointInput } from "../../lib/index.ts";
import { decodePoints } from "../../lib/point/codec/decode.ts";
import { isBytes } from "../../lib/point/index.ts";
import type { WasmModule } from "../../lib/wasm/module.ts";
import { Dice } from "./data/dice.ts";
import { metricLines } from "./data/regular.ts";
import { lazy, type Pair } from "./measure.ts";

const count = 1000;
const utf8 = new TextEncoder();

interface Line {
  readonly client: string;
  readonly method: string;
  readonly ms: number;
}

/**
 * Returns log lines of nearly the same length, which differ only in the client's IP address and in the milliseconds.
 */
function regularLines(): Line[] {
  return Array.from({ length: count }, (_, i) => ({ client: `10.0.0.${i % 200}`, method: "GET", ms: 10.5 + (i % 80) }));
}

/**
 * Returns log lines in which the HTTP method, the client's IP address and the milliseconds differ, in value and
 * in length.
 */
function variedLines(): Line[] {
  const dice = new Dice(7);
  return Array.from({ length: count }, () => ({
    client: Array.from({ length: 4 }, () => dice.below(256)).join("."),
    method: dice.pick(["GET", "POST", "DELETE", "PATCH", "OPTIONS"]),
    ms: Number((10 ** (dice.fraction() * 6 - 1)).toPrecision(dice.within([1, 12]))),
  }));
}

const pattern = "%{IP:client} %{WORD:method} %{NUMBER:ms:float}";
const plainPattern = /(\d+\.\d+\.\d+\.\d+) (\b\w+\b) ([+-]?\d+(?:\.\d+)?)/;

export function easyPairs(mill: Millrace): Pair[] {
  return [
    { name: "regular", lines: lazy(regularLines) },
    { name: "varied", lines: lazy(variedLines) },
  ].flatMap(({ name, lines }) => [
    ...scriptPairs(mill, name, lines),
    ...encodePairs(mill, name, lines),
    ...decodePairs(mill, name, lines),
  ]);
}

/** Runs a grok script over plain objects with a member `message`. */
function scriptPairs(mill: Millrace, name: string, lines: () => readonly Line[]): Pair[] {
  const text = `grok(_, "${pattern}")`;
  const inputs = lazy(() => lines().map(({ client, method, ms }) => ({ message: `${client} ${method} ${ms}` })));
  const easy = lazy(() => mill.script(text));
  const script = lazy(() => mill.compile({ "a.p": text }).scripts.get("a.p")!);
  const message = new Key("message");
  const ours = (): void => {
    for (const input of inputs()) if (easy().run(input).fields.ms === undefined) throw new Error("no match");
  };
  const fast = (): void => {
    for (const input of inputs()) {
      const point = new Point("web", 1n);
      point.setField(message, input.message);
      mill.run(script(), point);
      const fields: Record<string, unknown> = {};
      for (const { key, value } of point.entries()) fields[key] = value instanceof Float ? value.value : value;
      if (fields.ms === undefined) throw new Error("no match");
    }
  };
  const plain = (): void => {
    for (const input of inputs()) {
      const [, client, method, ms] = plainPattern.exec(input.message)!;
      const result = { name: "web", time: new Date(), tags: {}, fields: { ...input, client, method, ms: Number(ms) } };
      if (Number.isNaN(result.fields.ms)) throw new Error("no match");
    }
  };
  return against(`easy layer: script over ${count} ${name} objects`, ours, fast, plain);
}

/** Encodes plain objects as line protocol. */
function encodePairs(mill: Millrace, name: string, lines: () => readonly Line[]): Pair[] {
  const inputs = lazy((): PointInput[] =>
    lines().map(({ client, method, ms }, i) => ({
      name: "web",
      tags: { client },
      fields: { method, ms, n: BigInt(i) },
      time: 1_700_000_000_000_000_000n + BigInt(i),
    })),
  );
  const [client, method, ms, n] = [new Key("client"), new Key("method"), new Key("ms"), new Key("n")];
  const ours = (): void => {
    if (mill.encode(inputs()).length === 0) throw new Error("no output");
  };
  const fast = (): void => {
    const points = lines().map((line, i) => {
      const point = new Point("web", 1_700_000_000_000_000_000n + BigInt(i));
      point.setTag(client, line.client);
      point.setField(method, line.method);
      point.setField(ms, new Float(line.ms));
      point.setField(n, i);
      return point;
    });
    if (mill.encodePoints(points).length === 0) throw new Error("no output");
  };
  const plain = (): void => {
    const text = inputs().map(({ name, tags, fields, time }) => {
      const tagText = Object.entries(tags!).map(([key, value]) => `,${key}=${value!.replace(/[ ,=\\]/g, "\\$&")}`);
      const fieldTexts = Object.entries(fields!).map(([key, value]) => {
        if (typeof value === "string") return `${key}="${value.replace(/["\\]/g, "\\$&")}"`;
        return typeof value === "bigint" ? `${key}=${value}i` : `${key}=${String(value)}`;
      });
      return `${name}${tagText.join("")} ${fieldTexts.join(",")} ${String(time)}`;
    });
    if (utf8.encode(text.join("\n")).length === 0) throw new Error("no output");
  };
  return against(`easy layer: encode ${count} ${name} objects`, ours, fast, plain);
}

/** Decodes line protocol to plain objects. */
function decodePairs(mill: Millrace, name: string, lines: () => readonly Line[]): Pair[] {
  const body = lazy(() =>
    utf8.encode(
      lines()
        .map(
          ({ client, method, ms }, i) =>
            `web,client=${client} method="${method}",ms=${ms},n=${i}i ${1_700_000_000 + i}`,
        )
        .join("\n"),
    ),
  );
  const ours = (): void => {
    const points = mill.decode(body(), { category: "logging" });
    if (points.toObjects().length !== count) throw new Error("a point is missing");
    points.release();
  };
  const fast = (): void => {
    const points = mill.decodePoints(body(), { category: "logging" });
    const objects = [];
    for (let i = 0; i < points.length; i++) {
      const point = points.at(i);
      const tags: Record<string, unknown> = {};
      const fields: Record<string, unknown> = {};
      for (const { key, value, isTag } of point.entries()) {
        // The value of a text field is a slice of the memory of the points. Its text is copied, because the program
        // uses the objects after it has released the points.
        (isTag ? tags : fields)[key] = value instanceof Float ? value.value : isBytes(value) ? value.toString() : value;
      }
      objects.push({ name: point.name, time: point.time, tags, fields });
    }
    if (objects.length !== count) throw new Error("a point is missing");
    points.release();
  };
  const line = /^(\w+),client=(\S+) method="([^"]*)",ms=([^,]*),n=(\d+)i (\d+)$/;
  const plain = (): void => {
    const objects = new TextDecoder()
      .decode(body())
      .split("\n")
      .map((text) => {
        const [, name, client, method, ms, n, time] = line.exec(text)!;
        const fields = { method, ms: Number(ms), n: BigInt(n!), status: "unknown" };
        return { name, time: new Date(Number(time) * 1000), tags: { client }, fields };
      });
    if (objects.length !== count) throw new Error("a point is missing");
  };
  return against(`easy layer: decode ${count} ${name} points to objects`, ours, fast, plain);
}

function against(name: string, ours: () => void, fast: () => void, plain: () => void): Pair[] {
  return [
    { name, baseline: "the fast layer", ours, theirs: fast },
    { name, baseline: "plain JavaScript", ours, theirs: plain },
  ];
}

const now = 1_700_000_000_000_000_000n;

/**
 * Returns benchmarks that decode two short bodies: the smallest body of the other benchmarks, and an even
 * shorter one. They compare decoding that checks its arguments with decoding that does not; the goal is a ratio
 * of 0.99 or more. `mill` is the Millrace instance, which uses the WebAssembly module `module` and the clock
 * `now`.
 */
export function checkPairs(mill: Millrace, module: WasmModule): Pair[] {
  const watched = watchBatches(module);
  const unchecked = (body: Uint8Array, options: DecodeOptions): void => {
    const { form = "lp", category = "metric", precision, limits, strict, maxPoints } = options;
    const given = { category, precision, now: (options.now ?? now) as bigint, limits, strict, maxPoints };
    watched(decodePoints(module, body, form, given as never), body.length).release();
  };
  const repeated = (work: () => void) => (): void => {
    for (let i = 0; i < 50; i++) work();
  };
  return [utf8.encode(metricLines(1)), utf8.encode("m f=1")].flatMap((body): Pair[] => [
    {
      name: `easy layer: 50 bodies of ${body.length} B without options`,
      baseline: "no checks of arguments",
      ours: repeated(() => mill.decodePoints(body).release()),
      theirs: repeated(() => unchecked(body, {})),
    },
    {
      name: `easy layer: 50 bodies of ${body.length} B with three options`,
      baseline: "no checks of arguments",
      ours: repeated(() => mill.decodePoints(body, { category: "metric", form: "lp", now }).release()),
      theirs: repeated(() => unchecked(body, { category: "metric", form: "lp", now })),
    },
  ]);
}

/** The options of the Millrace instance that the benchmarks of `checkPairs` use. */
export const checkedOptions = { clock: () => now };
