// `millrace debug --filter RULES --data POINTS`: shows which drop rule drops which point
// (docs/reference/agent.md#command-line).

import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { compileDropRules, type DropRules } from "../../lib/filter/index.ts";
import { type CategoryName, categories, createMillrace, type Millrace } from "../../lib/index.ts";
import { escapeControls } from "../../lib/text/index.ts";
import { compileWasm, type Points, wallClock } from "../agent/engine.ts";
import { formatDuration } from "../config/go-duration.ts";
import { isRecord } from "../http/body/json-body.ts";
import { failing } from "./failure.ts";
import { textOf } from "./read-config.ts";
import { print } from "./terminal/print.ts";
import { debugUsage } from "./usage/tools.ts";
import { UsageError } from "./usage-error.ts";

/** Runs `millrace debug` and returns its exit code. */
export function debug(args: string[]): Promise<number> {
  return failing(() => run(args));
}

async function run(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      filter: { type: "string" },
      data: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) {
    print(debugUsage);
    return 0;
  }
  const { filter, data } = values;
  if (filter === undefined || data === undefined) throw new UsageError("both are needed: --filter RULES --data POINTS");
  const rules = rulesOf(fileOrText(filter));
  const body = new TextEncoder().encode(fileOrText(data));
  const mill = await createMillrace({ wasm: compileWasm() });
  print(classify(mill, body, rules).join("\n"));
  return 0;
}

function fileOrText(given: string): string {
  return existsSync(given) ? textOf(given) : given;
}

interface Rule {
  readonly category: CategoryName;
  /** The number of the rule among the rules of its category, from 1. */
  readonly number: number;
  readonly text: string;
  readonly compiled: DropRules;
}

/**
 * Parses the drop rules on the command line, such as `{"logging": ["{ ... }"]}`. Also accepts the format in which a
 * gateway sends rules: an object whose member `filters` contains the rules.
 */
function rulesOf(json: string): Rule[] {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new UsageError(`the filter is not JSON: ${(error as Error).message}`);
  }
  const lists = isRecord(value) && isRecord(value.filters) ? value.filters : value;
  if (!isRecord(lists))
    throw new UsageError('the filter must be an object such as {"logging": ["{ source = \'x\' }"]}');
  return Object.entries(lists).flatMap(([name, list]) => {
    const category = categories.find((each) => each === name);
    if (category === undefined) throw new UsageError(`unknown category ${name}; one of ${categories.join(", ")}`);
    if (!Array.isArray(list) || !list.every((rule) => typeof rule === "string")) {
      throw new UsageError(`${name}: a list of texts is expected`);
    }
    return list.map((text: string, at): Rule => {
      const compiled = compileDropRules({ [category]: [text] });
      const problem = compiled.problems[0];
      if (problem !== undefined) throw new UsageError(`${category}[${at}]: ${problem.message}`);
      return { category, number: at + 1, text, compiled };
    });
  });
}

/**
 * Returns a line for each point, in the order of the data, with the first rule that drops the point. Points in line
 * protocol do not name their category, so the rules of all categories are tried.
 */
function classify(mill: Millrace, body: Uint8Array, rules: readonly Rule[]): string[] {
  const decoded = (category: CategoryName) => mill.decodePoints(body, { category, form: "lp", now: wallClock() });
  const tried = [...new Set(rules.map(({ category }) => category))];
  const batches = new Map(tried.map((category) => [category, decoded(category)]));
  const any = batches.values().next().value ?? decoded("network");
  return Array.from({ length: any.length }, (_, at) => {
    for (const { category, number, text, compiled } of rules) {
      const points = batches.get(category)!;
      const began = process.hrtime.bigint();
      const drops = compiled.drops(points.at(at), category);
      const cost = formatDuration(process.hrtime.bigint() - began);
      if (drops) {
        const by = `By ${number}th rule(cost ${cost}) from category "${category}":`;
        return `Dropped\n\n    ${escapeControls(lineOf(mill, points, at))}\n\n${by}\n\n    ${text}\n`;
      }
    }
    return `Kept\n\n    ${escapeControls(lineOf(mill, any, at))}\n`;
  });
}

function lineOf(mill: Millrace, points: Points, at: number): string {
  return Buffer.from(mill.encodePoints(points.select([at]), "lp")).toString();
}
