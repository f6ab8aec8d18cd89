// `millrace pipeline run SCRIPT.p`: one script over standard input, one resulting point per line of output.

import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { type CategoryName, categories, categoryOf } from "../../lib/point/category.ts";
import { compileWasm, createEngine, type Engine, Key, Point, PointError, wallClock } from "../agent/engine.ts";
import type { Form } from "../agent/protocol.ts";
import { scriptSurroundings } from "../agent/surroundings.ts";
import { defaults } from "../config/schema.ts";
import { scriptErrorText } from "./script-error.ts";
import { scriptsBeside } from "./script-files.ts";
import { runUsage } from "./usage.ts";
import { UsageError } from "./usage-error.ts";

const stepLimit = 10_000_000;
const message = new Key("message");

/** Gives the exit code. */
export async function pipelineRun(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      category: { type: "string", default: "logging" },
      format: { type: "string", default: "json" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) {
    process.stdout.write(runUsage);
    return 0;
  }
  const [file, ...rest] = positionals;
  if (file === undefined || rest.length > 0) throw new UsageError(runUsage);
  const category = categoryOf(values.category);
  if (category === undefined)
    throw new UsageError(`unsupported category: ${values.category}; one of ${categories.join(", ")}`);
  const form = values.format;
  if (form !== "json" && form !== "lp" && form !== "pbjson")
    throw new UsageError(`unknown format: ${form}; json, lp or pbjson`);

  const sources = scriptsBeside(file);
  const name = path.basename(file);
  const engine = await createEngine(compileWasm(), {
    maxSteps: stepLimit,
    surroundings: scriptSurroundings(defaults()),
  });
  const error = engine.load(category, sources).errors.get(name);
  if (error !== undefined) {
    process.stderr.write(`${scriptErrorText(error, sources)}\n`);
    return 1;
  }
  return await runOver(engine, { category, form, name, sources });
}

interface Job {
  readonly category: CategoryName;
  readonly form: Form;
  readonly name: string;
  readonly sources: Readonly<Record<string, string>>;
}

async function runOver(engine: Engine, job: Job): Promise<number> {
  let failed = false;
  const script = engine.script(job.category, job.name)!;
  for await (const point of job.category === "logging" ? messages(engine) : points(engine, job.category)) {
    const { error, dropped, created, window } = await script.runWaiting(point);
    if (error !== null) {
      failed = true;
      process.stderr.write(`${scriptErrorText(error, job.sources)}\n`);
    }
    if (!dropped) await print(engine, point, job.category, job.form);
    for (const each of window) await print(engine, each, job.category, job.form);
    for (const each of created) if (each.dropped !== true) await print(engine, each.point, each.category, job.form);
    for (const each of engine.takeAggregated()) await print(engine, each.point, each.category, job.form);
  }
  for (const each of engine.takeAggregated(true)) await print(engine, each.point, each.category, job.form);
  return failed ? 1 : 0;
}

/** Each line of the input as the message of a log. */
async function* messages(engine: Engine): AsyncGenerator<Point> {
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    const point = new Point("default", wallClock());
    point.setField(message, line);
    engine.correct(point, "logging");
    yield point;
  }
}

/** The input as line protocol. */
async function* points(engine: Engine, category: CategoryName): AsyncGenerator<Point> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  const body = new Uint8Array(Buffer.concat(chunks));
  if (body.length === 0) return;
  let batch: ReturnType<Engine["decode"]>;
  try {
    batch = engine.decode(body, { category, form: "lp", precision: "", now: wallClock(), strict: false });
  } catch (error) {
    if (error instanceof PointError) throw new UsageError(error.message);
    throw error;
  }
  for (let at = 0; at < batch.length; at++) yield batch.point(at);
  batch.release();
}

async function print(engine: Engine, point: Point, category: CategoryName, form: Form): Promise<void> {
  engine.correct(point, category);
  const text = Buffer.from(engine.encode([point], form)).toString("utf8");
  const line = form === "lp" ? text : text.slice(1, -1);
  if (line !== "" && !process.stdout.write(`${line}\n`)) await once(process.stdout, "drain");
}
