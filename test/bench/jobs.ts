// Five jobs of a program that reads logs and metrics. Several programs do each job: one uses this library, the
// others use the usual tools (a RegExp written by hand, re2js, InfluxDB's client). docs/library.md#comparison
// shows the results. All programs for a job must return the same output, which is checked before anything is
// measured.

import { inspect, isDeepStrictEqual } from "node:util";
import { Point as InfluxPoint } from "@influxdata/influxdb-client";
import { RE2JS } from "re2js";
import type { Millrace, PointInput } from "../../lib/index.ts";
import { Dice } from "./data/dice.ts";
import { lazy, type Pair } from "./measure.ts";

const count = 1000;

/**
 * A program that does a job with one of the compared tools. `prepare` is called once, for example to compile an
 * expression, and returns the function that processes each input.
 */
interface Contender<Input> {
  readonly name: string;
  readonly prepare: () => (input: Input) => unknown;
}

interface Job<Input> {
  readonly name: string;
  readonly inputs: readonly Input[];
  readonly ours: Contender<Input>;
  readonly others: readonly Contender<Input>[];
  /** Rewrites an output so that outputs that differ only in notation become equal. */
  readonly normal?: (output: unknown) => unknown;
}

export interface JobLines {
  readonly name: string;
  readonly contender: string;
  /** Lines of code in the function of the contender, without the first and last line of the function. */
  readonly lines: number;
}

const methods = ["GET", "POST", "DELETE", "PATCH"];

function accessLines(): string[] {
  const dice = new Dice(11);
  return Array.from({ length: count }, (_, i) => {
    const client = Array.from({ length: 4 }, () => dice.below(256)).join(".");
    const second = String(i % 60).padStart(2, "0");
    const path = `/${"abcdefgh".slice(0, dice.within([1, 8]))}/${dice.below(10_000)}`;
    const status = dice.pick(["200", "301", "404", "500"]);
    return `${client} - - [21/Nov/2025:10:00:${second} +0000] "${dice.pick(methods)} ${path} HTTP/1.1" ${status} ${dice.below(100_000)}`;
  });
}

function accessJob(mill: Millrace): Job<string> {
  return {
    name: "a line of an access log into typed fields",
    inputs: accessLines(),
    ours: {
      name: "Millrace",
      prepare: () => {
        const grok = mill.grok(
          '%{IPORHOST:client} - - \\[%{HTTPDATE:time}\\] "%{WORD:method} %{NOTSPACE:path} [^"]*" %{INT:status:int} %{INT:bytes:int}',
        );
        return (line) => grok.match(line);
      },
    },
    others: [
      {
        name: "RegExp by hand",
        prepare: () => {
          const access =
            /(?<client>(?:\d{1,3}\.){3}\d{1,3}|[\w.-]+) - - \[(?<time>\d\d\/\w{3}\/\d{4}:\d\d:\d\d:\d\d [+-]\d{4})\] "(?<method>\w+) (?<path>\S+) [^"]*" (?<status>[+-]?\d+) (?<bytes>[+-]?\d+)/;
          return (line) => {
            const found = access.exec(line);
            if (found === null) return null;
            const { client, time, method, path, status, bytes } = found.groups as Record<string, string>;
            return { client, time, method, path, status: Number(status), bytes: Number(bytes) };
          };
        },
      },
    ],
  };
}

/** An expression as users type it into a search field. For some texts, `RegExp` takes exponential time to match it. */
const userPattern = "(?i)(?:[a-z]+[0-9]*)+ (?P<code>err-[0-9]{3})$";

function searchTexts(): string[] {
  const dice = new Dice(12);
  return Array.from({ length: count }, (_, i) => {
    const words = Array.from({ length: 6 }, () => "abcdefghij".slice(dice.below(5), 5 + dice.below(5)));
    return `${words.join("12 ")} ${i % 3 === 0 ? "ok" : `ERR-${100 + dice.below(900)}`}`;
  });
}

function searchJob(mill: Millrace): Job<string> {
  return {
    name: "an expression that a user wrote, in linear time",
    inputs: searchTexts(),
    ours: {
      name: "Millrace",
      prepare: () => {
        const regex = mill.regex(userPattern);
        return (text) => {
          const span = regex.find(text)?.groups[1];
          return span ? text.slice(...span) : null;
        };
      },
    },
    others: [
      {
        name: "re2js",
        prepare: () => {
          const regex = RE2JS.compile(userPattern);
          return (text) => {
            const matcher = regex.matcher(text);
            return matcher.find() ? matcher.group("code") : null;
          };
        },
      },
      {
        name: "RegExp, not in linear time",
        prepare: () => {
          const regex = /(?:[a-z]+[0-9]*)+ (?<code>err-[0-9]{3})$/i;
          return (text) => regex.exec(text)?.groups?.code ?? null;
        },
      },
    ],
  };
}

function pointInputs(): PointInput[] {
  const dice = new Dice(13);
  return Array.from({ length: count }, (_, i) => ({
    name: dice.pick(["cpu", "disk io", "http"]),
    tags: { host: `web-${dice.below(50)}`, zone: dice.pick(["eu west", "us=1", "asia"]) },
    fields: { load: dice.fraction() * 100, text: `said "${dice.below(1000)}"`, ok: i % 2 === 0, n: BigInt(i) },
    time: 1_700_000_000_000_000_000n + BigInt(i),
  }));
}

function encodeJob(mill: Millrace): Job<readonly PointInput[]> {
  return {
    name: "a list of objects into line protocol",
    inputs: [pointInputs()],
    ours: {
      name: "Millrace",
      prepare: () => (points) => mill.encode(points, "lp", { as: "text" }),
    },
    others: [
      {
        name: "@influxdata/influxdb-client",
        prepare: () => (inputs) => {
          const lines = inputs.map((input) => {
            const point = new InfluxPoint(input.name);
            for (const [key, value] of Object.entries(input.tags!)) point.tag(key, value!);
            for (const [key, value] of Object.entries(input.fields!)) {
              if (typeof value === "number") point.floatField(key, value);
              else if (typeof value === "bigint") point.intField(key, String(value));
              else if (typeof value === "boolean") point.booleanField(key, value);
              else point.stringField(key, value);
            }
            return point.timestamp(String(input.time)).toLineProtocol();
          });
          return lines.join("\n");
        },
      },
    ],
    normal: (output) => String(output).replace(/(?<=,ok=)[TF]/g, (letter) => (letter === "T" ? "true" : "false")),
  };
}

function decodeJob(mill: Millrace): Job<string> {
  const lines = pointInputs().map((point) => mill.encode([point], "lp", { as: "text" }));
  return {
    name: "line protocol into an object",
    inputs: lines,
    ours: {
      name: "Millrace",
      prepare: () => (line) => {
        using points = mill.decode(line, { category: "logging", precision: "n" });
        return points.at(0).toObject();
      },
    },
    others: [
      {
        name: "RegExp by hand",
        prepare: () => {
          const plain = (text: string) => text.replace(/\\([ ,=\\])/g, "$1");
          const pair = /((?:[^ ,=\\]|\\.)+)=("(?:[^"\\]|\\.)*"|(?:[^ ,\\]|\\.)*)(,|$)/gy;
          const readValue = (text: string) => {
            if (text.startsWith('"')) return text.slice(1, -1).replace(/\\(["\\])/g, "$1");
            if (/^(?:t|true)$/i.test(text)) return true;
            if (/^(?:f|false)$/i.test(text)) return false;
            return text.endsWith("i") ? BigInt(text.slice(0, -1)) : Number(text);
          };
          const pairsOf = <V>(text: string, read: (value: string) => V) =>
            Object.fromEntries([...text.matchAll(pair)].map(([, key, value]) => [plain(key!), read(value!)]));
          return (line) => {
            const parts = /^((?:[^ ,\\]|\\.)+)(?:,((?:[^ \\]|\\.)*))? (.*) (\d+)$/.exec(line);
            if (parts === null) throw new Error("no point");
            const [, name, tags, fields, time] = parts as unknown as string[];
            return {
              name: plain(name!),
              time: new Date(Number(BigInt(time!) / 1_000_000n)),
              tags: pairsOf(tags!, plain),
              fields: { ...pairsOf(fields!, readValue), status: "unknown" },
            };
          };
        },
      },
    ],
  };
}

function jsonLines(): string[] {
  const dice = new Dice(14);
  return Array.from({ length: count }, (_, i) =>
    JSON.stringify({
      time: 1_700_000_000_000 + i,
      level: dice.pick(["info", "warn", "error"]),
      request: { host: `web-${dice.below(50)}`, ms: dice.fraction() * 1000 },
      message: `user ${dice.below(1000)} said "hello"`,
    }),
  );
}

function jsonJob(mill: Millrace): Job<readonly string[]> {
  return {
    name: "JSON log lines into line protocol",
    inputs: [jsonLines()],
    ours: {
      name: "Millrace",
      prepare: () => {
        const script = mill.script(`
          json(_, request.host, host)
          json(_, request.ms, ms)
          json(_, level, status)
          json(_, time, time)
          json(_, message, message)
          set_tag(host)
          default_time(time)
        `);
        return (lines) =>
          mill.encode(
            lines.map((line) => script.run(line)),
            "lp",
            { as: "text" },
          );
      },
    },
    others: [
      {
        name: "JSON.parse and @influxdata/influxdb-client",
        prepare: () => (inputs) => {
          const lines = inputs.map((line) => {
            const { level, message, request, time } = JSON.parse(line);
            return new InfluxPoint("__default")
              .tag("host", request.host)
              .stringField("message", message)
              .floatField("ms", request.ms)
              .stringField("status", level === "warn" ? "warning" : level)
              .timestamp(`${time}000000`)
              .toLineProtocol();
          });
          return lines.join("\n");
        },
      },
    ],
  };
}

/**
 * Returns the benchmarks of all jobs. Each is a pair of Millrace and another contender. Throws when a contender has
 * another output than Millrace.
 */
export function jobPairs(mill: Millrace): Pair[] {
  return [
    ...pairsOf(accessJob(mill)),
    ...pairsOf(searchJob(mill)),
    ...pairsOf(encodeJob(mill)),
    ...pairsOf(decodeJob(mill)),
    ...pairsOf(jsonJob(mill)),
  ];
}

function pairsOf<Input>({ name, inputs, ours, others, normal = plain }: Job<Input>): Pair[] {
  return others.map((other) => {
    const [own, its] = [lazy(ours.prepare), lazy(other.prepare)];
    const checked = lazy(() => {
      const wrong = inputs.find((input) => !isDeepStrictEqual(normal(own()(input)), normal(its()(input))));
      if (wrong !== undefined) {
        const outputs = [own()(wrong), its()(wrong)].map((output) => inspect(output));
        throw new Error(
          `${name}: ${ours.name} and ${other.name} differ for ${inspect(wrong)}: ${outputs.join(" and ")}`,
        );
      }
      return true;
    });
    const over = (work: () => (input: Input) => unknown) => () => {
      checked();
      const each = work();
      for (const input of inputs) each(input);
    };
    return { name: `job: ${name}, ${count} of them`, baseline: other.name, ours: over(own), theirs: over(its) };
  });
}

/** Objects with the prototype null, such as the groups of a RegExp, count as plain objects. */
function plain(output: unknown): unknown {
  return typeof output === "object" && output !== null ? { ...output } : output;
}

/**
 * Returns the number of lines of code that each compared program needs for each job, for the table in the
 * documentation.
 */
export function jobLines(mill: Millrace): JobLines[] {
  const lines = (name: string, contenders: readonly Contender<never>[]): JobLines[] =>
    contenders.map((contender) => ({ name, contender: contender.name, lines: linesOf(contender.prepare) }));
  return [accessJob(mill), searchJob(mill), encodeJob(mill), decodeJob(mill), jsonJob(mill)].flatMap(
    ({ name, ours, others }) => lines(name, [ours, ...others] as readonly Contender<never>[]),
  );
}

function linesOf(prepare: () => unknown): number {
  const lines = String(prepare).split("\n");
  return lines.filter((line) => line.trim() !== "").length - (lines.length > 1 ? 2 : 0);
}
