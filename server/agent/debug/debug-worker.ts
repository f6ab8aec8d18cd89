// The worker thread of one script-debugging request (docs/reference/agent.md#script-debugging). Compiles the script,
// decodes the points and runs the script over them. Sends each result at once, so that the main thread can end this
// thread when the script exceeds its deadline on a point.

import process from "node:process";
import { parentPort, workerData } from "node:worker_threads";
import type { PlError } from "../../../lib/pipeline/index.ts";
import { Base64Error, decodeBase64 } from "../../http/body/base64.ts";
import { formOf } from "../../http/body/point-form.ts";
import { ApiError } from "../../http/errors.ts";
import { openTables } from "../../refer-table/open.ts";
import { createEngine } from "../create-engine.ts";
import { type Engine, Key, Point, PointError, type Runner } from "../engine.ts";
import type { Form } from "../ingest/write-request.ts";
import { benchmark } from "./benchmark-text.ts";
import { failureJson, resultJson } from "./debug-json.ts";
import type { DebugJob, FromDebugWorker } from "./debug-protocol.ts";

const job = workerData as DebugJob;
const say = (message: FromDebugWorker) => parentPort!.postMessage(message);

const maxScriptBytes = 1024 * 1024;
const maxDataBytes = 32 * 1024 * 1024;
const deadlineText = `script exceeded ${job.deadlineMs / 1000}s`;

try {
  const script = fileName(job.scriptName);
  const tables = job.tables === null ? null : await openTables(job.tables, () => {});
  const engine = await createEngine(job.wasm, {
    maxSteps: 0,
    maxBytes: job.maxBytes,
    environment: job.environment,
    tables: () => tables?.lookup ?? null,
  });
  const sources = decodeScripts();
  engine.usePatterns(job.patterns);
  const error = engine.load(job.category, sources).errors.get(script);
  if (error !== undefined) say({ kind: "script-error", error: withPosition(error, script) });
  else {
    const points = job.data.flatMap((item) => decodeData(engine, item));
    await runAll(engine, engine.script(job.category, script)!, script, points);
  }
} catch (error) {
  if (!(error instanceof ApiError)) throw error;
  say({ kind: "refused", code: error.code, message: error.message });
}

function fileName(name: string): string {
  return name.endsWith(".p") ? name : `${name}.p`;
}

function decodeScripts(): Record<string, string> {
  const sources: Record<string, string> = {};
  for (const [name, text] of Object.entries(job.scripts)) {
    const bytes = base64(text);
    if (bytes.length > maxScriptBytes) throw new ApiError("agent.invalidData", "script size exceeds 1MB limit");
    sources[fileName(name)] = new TextDecoder().decode(bytes);
  }
  return sources;
}

function base64(text: string): Uint8Array {
  try {
    return decodeBase64(text);
  } catch (error) {
    if (error instanceof Base64Error) throw new ApiError("agent.invalidData", error.message);
    throw error;
  }
}

function decodeData(engine: Engine, item: string): Point[] {
  const bytes = base64(item);
  if (bytes.length > maxDataBytes) throw new ApiError("agent.invalidData", "data size exceeds 32MB limit");
  const isLogging = job.category === "logging";
  if (job.dataType.includes("text/plain") || (job.dataType === "" && isLogging)) return [textPoint(engine, bytes)];
  const form = formOf(job.dataType);
  try {
    return decodePoints(engine, bytes, form);
  } catch (error) {
    if (!(error instanceof PointError)) throw error;
    // A data item of the category `logging` that is not line protocol is treated as the plain text of one log.
    if (isLogging && form === "lp") return [textPoint(engine, bytes)];
    throw new ApiError("agent.invalidData", error.message);
  }
}

function decodePoints(engine: Engine, bytes: Uint8Array, form: Form): Point[] {
  const { category, now } = job;
  const points: Point[] = [];
  for (const batch of engine.windows(bytes, { category, form, precision: "n", now, strict: false })) {
    for (let at = 0; at < batch.length; at++) points.push(batch.point(at));
  }
  return points;
}

function textPoint(engine: Engine, bytes: Uint8Array): Point {
  const encoding = /^(?:gbk|gb18030)$/i.exec(job.encode)?.[0].toLowerCase() ?? "utf-8";
  const point = new Point(job.scriptName, job.now);
  point.setField(new Key("message"), new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes));
  // The point is corrected by the rules for logs, whatever its category is. These rules set the status of the
  // point. They also keep the field `message`, which the rules for metrics would remove.
  engine.correct(point, "logging");
  return point;
}

/**
 * Returns a script's error with a position. An error that has a position is returned as it is; otherwise the
 * result is a copy with the start of the script as its position.
 */
function withPosition(error: PlError, file: string): PlError {
  return error.pos_chain.length > 0 ? error : { ...error, pos_chain: [{ file, ln: 1, col: 1, pos: 0 }] };
}

async function runAll(engine: Engine, runner: Runner, script: string, points: Point[]): Promise<void> {
  const options = { deadlineMs: job.deadlineMs };
  const began = process.hrtime.bigint();
  for (const [at, point] of points.entries()) {
    if (at < job.from) continue;
    say({ kind: "begin", of: "point", at });
    const result = await runner.runWaiting(point, options);
    let json: string;
    if (result.error === null) {
      const back = result.window.map((each) => ({ category: job.category, point: each }));
      json = resultJson(point, result.dropped, [...result.created, ...back]);
    } else {
      const isDeadline = result.error.error.startsWith("script exceeded ");
      const error = isDeadline ? { ...result.error, error: deadlineText } : result.error;
      json = failureJson(withPosition(error, script));
    }
    say({ kind: "result", json });
  }
  const costNs = process.hrtime.bigint() - began;
  say({ kind: "aggregated", json: aggregatedJson(engine) });
  let text = "";
  // A script that waits for answers of HTTP requests cannot be benchmarked.
  if (job.benchmark && points.length > 0 && !runner.waits) {
    say({ kind: "begin", of: "benchmark" });
    const [first] = points;
    text = benchmark(() => runner.run(first, options), process.hrtime.bigint);
  }
  say({ kind: "done", costNs, benchmark: text });
}

function aggregatedJson(engine: Engine): string[] {
  return engine.takeAggregated(true).map(({ point }) => {
    for (const [name, value] of job.hostTags) {
      const key = new Key(name);
      if (!point.has(key)) point.setTag(key, value);
    }
    return resultJson(point, false, []);
  });
}
