// `millrace tool`: shows how line protocol is parsed, and prints the configuration with all default values
// (docs/reference/agent.md#command-line).

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { createMillrace, seriesId } from "../../lib/index.ts";
import { compileWasm, wallClock } from "../agent/engine.ts";
import { configTemplate } from "../config/template.ts";
import { categoryNamed } from "./category-option.ts";
import { failing, failure } from "./failure.ts";
import { counted } from "./terminal/counted.ts";
import { print, printError, printJson } from "./terminal/print.ts";
import { toolUsage } from "./usage/tools.ts";

/** Runs the command and returns its exit code. */
export function tool(args: string[]): Promise<number> {
  return failing(() => run(args));
}

async function run(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      "parse-lp": { type: "string" },
      json: { type: "boolean", default: false },
      category: { type: "string", default: "network" },
      "default-main-conf": { type: "boolean", default: false },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) {
    print(toolUsage);
    return 0;
  }
  if (values["default-main-conf"]) {
    print(configTemplate());
    return 0;
  }
  const file = values["parse-lp"];
  if (file === undefined) return failure("one is needed: --parse-lp FILE or --default-main-conf");
  return await parseLines(file, categoryNamed(values.category), values.json);
}

async function parseLines(file: string, category: ReturnType<typeof categoryNamed>, json: boolean): Promise<number> {
  const body = new Uint8Array(readFileSync(file));
  const mill = await createMillrace({ wasm: compileWasm() });
  const windows = mill.decodeInWindows(body, { category, form: "lp", now: wallClock() });
  const names = new Set<string>();
  const series = new Set<string>();
  let count = 0;
  try {
    for (let points = windows.next(); points !== undefined; points = windows.next()) {
      for (const point of points) {
        names.add(point.name);
        series.add(seriesId(point));
      }
      if (json) {
        const list = Buffer.from(mill.encodePoints(points, "json")).toString().slice(1, -1);
        await printJson(`${count === 0 ? "[" : ","}${list}`);
      }
      count += points.length;
    }
  } finally {
    windows.release();
  }
  if (json) print(count === 0 ? "[]\n" : "]\n");
  const summary = `Parse ${counted(count, "point")} OK, with ${counted(names.size, "measurement")} and ${series.size} time series\n`;
  // With the option `--json` the points are printed to standard output, so the summary is printed to standard error.
  (json ? printError : print)(summary);
  return 0;
}
