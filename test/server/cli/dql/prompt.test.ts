// The interactive prompt of `millrace dql`. The terminal is a pair of streams, and the test decides when the platform
// answers.

import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough } from "node:stream";
import { expect, it, onTestFinished } from "vitest";
import { entryText } from "../../../../server/cli/dql/answer.ts";
import type { SendQuery } from "../../../../server/cli/dql/client.ts";
import { dqlRepl } from "../../../../server/cli/dql/repl.ts";

const series = (columns: readonly string[], ...values: unknown[][]) => [{ columns, values }];

function answerTo(query: string): unknown[] {
  if (query === "show_measurement()") return series(["name"], ["cpu"], ["memory"]);
  if (query === 'show_tag_key(from=["cpu"])') return series(["tagKey"], ["host"]);
  if (query === 'show_field_key(from=["cpu"])') return series(["fieldKey", "fieldType"], ["usage_total", "float"]);
  return series(["time", "v"], [1_700_000_000_000, 1.5]);
}

interface Terminal {
  type(text: string): void;
  /** Waits until the output since the last call contains all of these strings. */
  sees(...parts: string[]): Promise<void>;
  readonly asked: readonly string[];
  readonly ended: Promise<number>;
}

function open(dataDir = folder(), ask?: SendQuery): Terminal {
  const asked: string[] = [];
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  let written = "";
  output.on("data", (chunk) => (written += chunk));
  const answering: SendQuery = async (query, options) => {
    asked.push(query);
    if (ask !== undefined) return await ask(query, options);
    return { ok: true, text: JSON.stringify({ content: [{ series: answerTo(query), cost: "1ms" }] }) };
  };
  const ended = dqlRepl({ ask: answering, dataDir, answerOptions: { json: false, explain: false }, input, output });
  return {
    // Sends one key at a time, as a person types.
    type: (text) => {
      for (const key of text) input.write(key);
    },
    sees: async (...parts) => {
      let at = 0;
      for (const part of parts) {
        await expect
          .poll(() => written.indexOf(part, at), { message: `${part} in ${written}` })
          .toBeGreaterThanOrEqual(0);
        at = written.indexOf(part, at) + part.length;
      }
      written = written.slice(at);
    },
    asked,
    ended,
  };
}

function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), "millrace-dql-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

it("runs a query, completes stored names, and ends", async () => {
  const { type, sees, asked, ended } = open();
  await sees("dql> ");
  type("M::c\t");
  await sees("M::cpu");
  type(":(max(us\t");
  await sees("usage_total");
  type(")) BY ho\t");
  await sees("host");
  type("\r");
  await sees("time", "2023-11-14T22:13:20.000Z  1.5", "1 row, 1 series, cost 1ms", "dql> ");
  expect(asked.at(-1)).toBe("M::cpu:(max(usage_total)) BY host");
  type("\x04");
  expect(await ended).toBe(0);
});

it("a statement of several lines is one query, and one entry of the history", async () => {
  const dataDir = folder();
  const first = open(dataDir);
  first.type("M::cpu:(  # the newest\r");
  await first.sees("...> ");
  first.type("last(v)\r)\\\r BY host\r");
  await first.sees("1 row");
  expect(first.asked.map((query) => query.replace(/\s+/g, " "))).toEqual(["M::cpu:( # the newest last(v) ) BY host"]);
  first.type("\\quit\r");
  await first.ended;
  const file = path.join(dataDir, "dql_history");
  expect(readFileSync(file, "utf8")).toBe("M::cpu:( last(v) ) BY host\n");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const second = open(dataDir);
  await second.sees("dql> ");
  second.type("\x1b[A");
  await second.sees("M::cpu:( last(v) ) BY host");
  second.type("\r");
  await second.sees("1 row");
  expect(second.asked).toEqual(["M::cpu:( last(v) ) BY host"]);
  second.type("\x04");
  await second.ended;
});

it("Ctrl+C cancels the running query, or else clears the typed text", async () => {
  const signals: AbortSignal[] = [];
  const { type, sees, asked, ended } = open(folder(), (_query, { signal } = {}) => {
    signals.push(signal!);
    return new Promise((_resolve, reject) => signal!.addEventListener("abort", () => reject(signal!.reason)));
  });
  type("M::cpu\r");
  await expect.poll(() => asked).toEqual(["M::cpu"]);
  type("\x03");
  await sees("cancelled", "dql> ");
  expect(signals[0]!.aborted).toBe(true);
  type("M::memory:(\r");
  await sees("...> ");
  type("half\x03");
  await sees("^C", "dql> ");
  type("\x03");
  await sees("Ctrl+D");
  type("M::c\r");
  await expect.poll(() => asked).toEqual(["M::cpu", "M::c"]);
  type("\x03\x04");
  await ended;
});

it("commands switch to JSON, and print sources, keys and help", async () => {
  const { type, sees, ended } = open();
  type("\\json\rM::cpu\r");
  await sees("answers as JSON", '{"content":[{"series":');
  type("\\json\r\\sources\r");
  await sees("answers as tables", "memory");
  type("\\keys cpu\r");
  await sees("host", "usage_total");
  type("\\sources X\r\\hel\t\r");
  await sees('unknown namespace "X"', "Tab completes", "Examples:");
  type("\x04");
  await ended;
});

it("results are tables that fit the terminal, or records when the columns do not fit", () => {
  const wide = {
    series: [
      {
        columns: ["time", "message", "bytes"],
        values: [
          [1, "x".repeat(300), 7],
          [null, "日本\u001b[2J", null],
        ],
      },
    ],
    cost: "1ms",
  };
  for (const line of entryText(wide, 60).split("\n")) expect(line.length).toBeLessThanOrEqual(60);
  expect(entryText(wide, 60)).toContain("…");
  expect(entryText(wide, 60)).toContain("日本\\x1b[2J");
  expect(entryText(wide)).toContain("x".repeat(300));
  const columns = ["time", ...Array.from({ length: 12 }, (_, at) => `column_${at}`)];
  const many = { series: [{ columns, values: [columns.map((name) => `a value of ${name}`)] }], cost: "1ms" };
  expect(entryText(many, 60)).toContain("-- 1\ntime       a value of time\ncolumn_0   a value of column_0\n");
});

it("whole numbers beyond doubles are shown with all digits, and so are strings of digits", async () => {
  const text =
    '{"content":[{"series":[{"columns":["time","a","b"],"values":[[null,9007199254740993,"1,9007199254740993,2"]]}],"cost":"1ms"}]}';
  const { type, sees, ended } = open(folder(), async () => ({ ok: true, text }));
  type("M::cpu\r");
  await sees("9007199254740993", "1,9007199254740993,2");
  type("\x04");
  await ended;
});
