// `millrace pipeline -P NAME -T TEXT`: runs one script over one input (docs/reference/agent.md#command-line). Errors
// are printed to standard error after `[E] `, with exit code 255.

import path from "node:path";
import { parseArgs } from "node:util";
import {
  type CategoryName,
  categoryOf,
  createTrace,
  Float,
  type Millrace,
  type Point,
  type PointValue,
  plErrorText,
  type Trace,
  Uint,
} from "../../../lib/index.ts";
import { timeText } from "../../../lib/script-tests/index.ts";
import { escapeControls, escapeJson } from "../../../lib/text/index.ts";
import { formatDuration } from "../../config/go-duration.ts";
import { failing, failure } from "../failure.ts";
import { patternOptions, patternsFor } from "../pattern-files.ts";
import { commandConfig, textOf } from "../read-config.ts";
import { scriptFile, scriptsBeside } from "../script-files.ts";
import { print, printErrorLine } from "../terminal/print.ts";
import { pipelineUsage } from "../usage/pipeline.ts";
import { UsageError } from "../usage-error.ts";
import { createdText, unmatchedText } from "./change-text.ts";
import { logOf } from "./input-points.ts";
import { decodeWith, openMillrace } from "./open-script.ts";

/** Runs `millrace pipeline -P NAME -T TEXT` and returns its exit code. */
export function pipelineOnce(args: string[]): Promise<number> {
  return failing(() => once(args));
}

async function once(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      name: { type: "string", short: "P" },
      text: { type: "string", short: "T" },
      file: { type: "string", short: "F" },
      category: { type: "string", short: "C", default: "logging" },
      namespace: { type: "string", short: "N", default: "default" },
      config: { type: "string" },
      "data-dir": { type: "string" },
      ...patternOptions,
      tab: { type: "boolean", default: false },
      date: { type: "boolean", default: false },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) {
    print(pipelineUsage);
    return 0;
  }
  const { name = "", category: categoryName, namespace, tab, date } = values;
  const text = values.text ?? (values.file === undefined ? "" : textOf(values.file).replace(/\n$/, ""));
  if (text === "") return failure("no testing string");
  const category = categoryOf(categoryName);
  if (category === undefined) return failure(`unsupported category: ${categoryName}`);
  if (name === "") return failure("no script is named: millrace pipeline -P nginx.p -T TEXT");
  const config = commandConfig(values.config);
  const dataDir = values["data-dir"] ?? config.data_dir;
  const file = namespace === "default" ? scriptFile(name, category, dataDir) : undefined;
  if (file === undefined) return failure(`get pipeline failed: name:${name} namespace:${namespace}`);

  const { mill, ready } = await openMillrace("answered", config);
  const { options, problems, warnings } = patternsFor(path.dirname(file), values, config);
  for (const line of [...problems, ...warnings]) printErrorLine(line);
  const { scripts, errors } = mill.compile(scriptsBeside(file), { category, probes: true, ...options });
  const script = scripts.get(path.basename(file));
  if (script === undefined) return failure(`run pipeline failed: ${plErrorText(errors.get(path.basename(file))!)}`);
  const point = category === "logging" ? logOf(text) : firstPoint(mill, text, category);
  await ready(script);
  const start = process.hrtime.bigint();
  const trace = createTrace();
  const { error, dropped } = await mill.runWaiting(script, point, { category, probe: trace });
  const cost = process.hrtime.bigint() - start;
  if (error !== null) return failure(`run pipeline failed: ${plErrorText(error)}`);
  const code = printPoint(point, { tab, date, dropped, cost });
  print(besideText(trace));
  return code;
}

/** Returns lines about the points that the script created, and about calls of `grok` whose pattern did not match. */
function besideText({ steps }: Trace): string {
  return steps
    .flatMap(({ script, ln, col, unmatched, created }) =>
      [...unmatched.map(unmatchedText), ...created.map(createdText)].map((text) => `${script}:${ln}:${col}: ${text}\n`),
    )
    .join("");
}

function firstPoint(mill: Millrace, text: string, category: CategoryName): Point {
  let first: Point | undefined;
  // The loop decodes the whole input although only its first point is used, so that a mistake on the last line refuses
  // the input.
  for (const batch of decodeWith(mill)(new TextEncoder().encode(text), category)) first ??= batch.point(0);
  if (first === undefined) throw new UsageError("the text has no point");
  return first;
}

interface Printing {
  readonly tab: boolean;
  readonly date: boolean;
  readonly dropped: boolean;
  /** Time in nanoseconds that the script took for the point. */
  readonly cost: bigint;
}

/**
 * The label that is printed before the name of a point. The name is the measurement of metrics (M), the source of logs
 * (L), or the class of objects (O).
 */
const nameLabels = "measurement(M)<source(L),class(O)...>";

function printPoint(point: Point, { tab, date, dropped, cost }: Printing): number {
  const entries = [...point.entries()];
  if (entries.length === 0) return failure("No data extracted from pipeline");
  const tags = entries.filter(({ isTag }) => isTag).length;
  const rows = [
    ...entries.map(({ key, value, isTag }): [string, string] => [isTag ? `${key}#` : key, escapeJson(jsonOf(value))]),
    ["time", date ? JSON.stringify(timeText(point.time)) : String(point.time)] as [string, string],
  ].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const width = Math.max(...rows.map(([key]) => key.length));
  const body = tab
    ? rows.map(([key, value]) => `${escapeControls(key).padStart(width)}: ${value}\n`).join("")
    : `{\n${rows.map(([key, value]) => `  ${escapeJson(JSON.stringify(key))}: ${value}`).join(",\n")}\n}\n`;
  print(
    `${body}---------------\nExtracted ${entries.length - tags} fields, ${tags} tags; ` +
      `${nameLabels}: ${escapeControls(point.name)}, drop: ${dropped}, cost: ${formatDuration(cost)}\n`,
  );
  return 0;
}

function jsonOf(value: PointValue): string {
  if (value instanceof Float) return Number.isFinite(value.value) ? String(value.value) : "null";
  if (value instanceof Uint) return String(value.value);
  if (value === null || typeof value === "boolean" || typeof value === "number" || typeof value === "bigint")
    return String(value);
  return JSON.stringify(value instanceof Uint8Array ? Buffer.from(value).toString("base64") : String(value));
}
