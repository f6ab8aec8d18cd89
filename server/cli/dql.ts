// `millrace dql`: asks the platform and prints what it answers.

import { readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { schema } from "../config/schema.ts";
import { tableText } from "./table.ts";
import { dqlUsage } from "./usage.ts";
import { UsageError } from "./usage-error.ts";

interface Entry {
  readonly series: readonly {
    readonly name?: string;
    readonly tags?: Readonly<Record<string, string>>;
    readonly columns: readonly string[];
    readonly values: readonly (readonly unknown[])[];
  }[];
  readonly cost: string;
  readonly raw_query?: string;
}

export async function dql(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      json: { type: "boolean" },
      explain: { type: "boolean" },
      host: { type: "string" },
      token: { type: "string" },
      "data-dir": { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) {
    process.stdout.write(dqlUsage);
    return 0;
  }
  const [statement, ...more] = positionals;
  if (statement === undefined || more.length > 0) throw new UsageError(dqlUsage);
  const token = values.token ?? localToken(values["data-dir"] ?? schema.data_dir.default);
  const host = values.host ?? schema["platform.listen"].default;
  const body = { queries: [{ query: statement }], echo_explain: values.explain === true };
  const answer = await ask(host, token, body);
  const text = await answer.text();
  if (!answer.ok) {
    const { error_code: code, message } = read(text) as { readonly error_code?: string; readonly message?: string };
    process.stderr.write(`[${code ?? answer.status}] ${message ?? text}\n`);
    return 1;
  }
  process.stdout.write(
    values.json === true ? `${text}\n` : shown((read(text) as { readonly content: readonly Entry[] }).content),
  );
  return 0;
}

async function ask(host: string, token: string, body: unknown): Promise<Response> {
  try {
    return await fetch(`http://${host}/v1/query/raw`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-token": token },
      body: JSON.stringify(body),
    });
  } catch {
    throw new UsageError(`no platform answers at ${host}; start one: millrace start`);
  }
}

function localToken(dataDir: string): string {
  const file = path.join(dataDir, "platform", "token");
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    throw new UsageError(`there is no token in ${file}; name one with --token, or the folder with --data-dir`);
  }
}

/** Whole numbers beyond what a double holds stay as they were written. */
function read(text: string): unknown {
  try {
    return JSON.parse(text.replace(/(?<=[[,])-?[0-9]{16,}(?=[\],])/g, '"$&"'));
  } catch {
    return {};
  }
}

function shown(entries: readonly Entry[]): string {
  return entries
    .map(({ series, cost, raw_query: rawQuery }) => {
      const rows = series.reduce((sum, { values }) => sum + values.length, 0);
      const tables = series.map(({ name, tags = {}, columns, values }) => {
        const title = [name, ...Object.entries(tags).map(([key, value]) => `${key}=${value}`)].filter(
          (each) => each !== undefined,
        );
        const lines = values.map((row) => row.map((value, at) => cell(value, columns[at]!)));
        return `${title.length === 0 ? "" : `${title.join("  ")}\n`}${tableText([[...columns], ...lines]).join("\n")}\n`;
      });
      const explained = rawQuery === undefined ? "" : `${rawQuery}\n\n`;
      return `${explained}${tables.join("\n")}${rows === 0 ? "Empty result\n" : ""}${rows} rows, ${series.length} series, cost ${cost}\n`;
    })
    .join("\n");
}

function cell(value: unknown, column: string): string {
  if (column === "time" && typeof value === "number" && value > 0) return new Date(value).toISOString();
  if (value === null) return "-";
  return typeof value === "string" ? value : JSON.stringify(value);
}
