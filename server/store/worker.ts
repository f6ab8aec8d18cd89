// The worker thread of the store. It owns the database, decodes request bodies into it, and answers queries.

import process from "node:process";
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import {
  DqlError,
  type Engine,
  entryJson,
  explanation,
  goDuration,
  paced,
  RequestError,
  readRequest,
  recording,
  runQuery,
  type StepBudget,
} from "../../lib/dql/index.ts";
import { createMillrace, PointError, TooManyPoints } from "../../lib/index.ts";
import { Inbox, JobEnded } from "./inbox.ts";
import { TooManyObjects } from "./labels.ts";
import { findObjects } from "./objects.ts";
import { openDatabase } from "./open-database.ts";
import { QueryTimeout, TooManyKeys, WrittenTooMuch } from "./points-database.ts";
import {
  eventId,
  type Numbered,
  type StoreAnswer,
  type StoreEvent,
  type StoreJob,
  type StoreRequest,
  type StoreStart,
} from "./protocol.ts";
import { isFatal, withoutPaths } from "./without-paths.ts";

const start = workerData as StoreStart;
const mill = await createMillrace({ wasm: start.wasm });
const report = (event: StoreEvent) => parentPort!.postMessage({ id: eventId, content: event });
const store = await openDatabase(start, mill, {
  info: (line) => report({ kind: "info", line }),
  warn: (line) => report({ kind: "warn", line }),
  lost: (points) => report({ kind: "lost", points }),
  problem: (reason) => {
    report({ kind: "problem", reason: reason ?? null });
    if (reason !== undefined) endIfFatal(reason);
  },
});
const inbox = new Inbox({
  next: () => (receiveMessageOnPort(parentPort!) as { readonly message: Numbered<StoreRequest> } | undefined)?.message,
  answer: answerOf,
  send: (answer) => {
    parentPort!.postMessage(answer);
    const { content } = answer;
    // A fatal error of DuckDB can appear only in refusals with one of the two reasons that are checked here. The
    // messages of other refusals may quote words of the request, and these words could look like a fatal error.
    if (content.kind === "refused" && (content.reason === "storeFailed" || content.reason === "queryFailed"))
      endIfFatal(content.message);
  },
  close: () => store.close(),
});

parentPort!.on("message", (request: Numbered<StoreRequest>) => void inbox.take(request));
parentPort!.postMessage({ id: 0, content: { kind: "done" } });

/**
 * Ends the worker thread after a fatal error of DuckDB. The next worker thread opens a new DuckDB instance and fills
 * its tables from the store's log.
 */
function endIfFatal(message: string): void {
  if (isFatal(message)) process.exit(1);
}

async function answerOf(job: StoreJob, end: AbortController): Promise<StoreAnswer> {
  switch (job.kind) {
    case "ingest":
      return await ingest(job);
    case "query":
      return await query(job, end);
    case "objects":
      return await objects(job, end);
    case "label":
      return await label(job);
    case "expire":
      return await expire(job, end.signal);
  }
}

async function expire(
  { before, batchesBefore }: StoreJob & { kind: "expire" },
  signal: AbortSignal,
): Promise<StoreAnswer> {
  try {
    return { kind: "expired", points: await store.expire(before, batchesBefore, signal) };
  } catch (error) {
    return { kind: "refused", reason: "storeFailed", message: withoutPaths(error) };
  }
}

async function label({ workspace, object, labels }: StoreJob & { kind: "label" }): Promise<StoreAnswer> {
  try {
    await store.label(workspace, object, labels);
    return { kind: "done" };
  } catch (error) {
    const reason = error instanceof TooManyObjects ? "invalidRequest" : "storeFailed";
    return { kind: "refused", reason, message: withoutPaths(error) };
  }
}

async function ingest({
  workspace,
  category,
  batchId,
  form,
  precision,
  index,
  maxPoints,
  maxBytes,
  body,
}: StoreJob & { kind: "ingest" }): Promise<StoreAnswer> {
  let batch: ReturnType<typeof mill.decodePoints>;
  try {
    batch = mill.decodePoints(body, { category, form, precision, maxPoints });
  } catch (error) {
    if (error instanceof TooManyPoints) return { kind: "refused", reason: "tooManyPoints", message: error.message };
    if (!(error instanceof PointError)) throw error;
    return { kind: "refused", reason: "invalidPoints", message: error.message };
  }
  try {
    const kept = batch.withField();
    const points = kept === undefined ? batch : batch.select(kept);
    return { kind: "taken", ...(await store.ingest(workspace, category, batchId, points, { index, maxBytes })) };
  } catch (error) {
    // The batch itself exceeds a limit, so it would be refused again if the sender sent it again.
    if (error instanceof TooManyKeys) return { kind: "refused", reason: "invalidPoints", message: error.message };
    if (error instanceof WrittenTooMuch) return { kind: "refused", reason: "writtenTooMuch", message: error.message };
    return { kind: "refused", reason: "storeFailed", message: withoutPaths(error) };
  } finally {
    batch.release();
  }
}

/** Calls `work`, which must stop after `deadlineMs` milliseconds, or earlier when nobody needs its result any more. */
async function ending(
  end: AbortController,
  deadlineMs: number,
  work: (signal: AbortSignal, pace: StepBudget) => Promise<StoreAnswer>,
): Promise<StoreAnswer> {
  const late = new JobEnded("queryTimeout", `query timeout after ${deadlineText(deadlineMs)}`);
  const timer = setTimeout(() => end.abort(late), deadlineMs);
  const endsAt = performance.now() + deadlineMs;
  const pace = paced(() => {
    inbox.receive();
    end.signal.throwIfAborted();
    if (performance.now() >= endsAt) throw late;
  });
  try {
    return await work(end.signal, pace);
  } catch (error) {
    if (error instanceof RequestError) return { kind: "refused", reason: error.code, message: error.message };
    if (error instanceof DqlError) return { kind: "refused", reason: "queryParseError", message: error.message };
    const ended: unknown = error instanceof QueryTimeout ? late : end.signal.aborted ? end.signal.reason : error;
    if (ended instanceof JobEnded) return { kind: "refused", reason: ended.refusal, message: ended.message };
    return { kind: "refused", reason: "queryFailed", message: withoutPaths(error) };
  } finally {
    clearTimeout(timer);
  }
}

function query(
  { workspace, request, deadlineMs, now }: StoreJob & { kind: "query" },
  end: AbortController,
): Promise<StoreAnswer> {
  return ending(end, deadlineMs, async (signal, pace) => {
    const { queries } = readRequest(request);
    const engine = await store.engine(workspace, signal);
    const entries: string[] = [];
    for (const member of queries) {
      entries.push(await entryOf(member, engine, now, pace));
      // The last steps of a query do not check the signal. So this call throws when the query was cancelled during
      // these steps.
      signal.throwIfAborted();
    }
    return { kind: "answer", entries };
  });
}

function objects(
  { workspace, question, deadlineMs }: StoreJob & { kind: "objects" },
  end: AbortController,
): Promise<StoreAnswer> {
  return ending(end, deadlineMs, async (signal) => ({
    kind: "objects",
    found: await findObjects(await store.engine(workspace, signal), question),
  }));
}

async function entryOf(
  member: ReturnType<typeof readRequest>["queries"][number],
  stored: Engine,
  now: number,
  work: StepBudget,
): Promise<string> {
  const since = process.hrtime.bigint();
  const { engine, asked } = recording(stored);
  const outcome = await runQuery(member, engine, { now, work });
  const rawQuery = member.echoExplain && asked.length > 0 ? await explanation(member.query, asked, stored) : null;
  return entryJson(outcome, {
    engine: stored.name,
    cost: process.hrtime.bigint() - since,
    rawQuery,
    withQueryParse: !member.disableQueryParse,
    outputFormat: member.outputFormat,
    describeColumns: member.describeColumns,
    work,
  });
}

function deadlineText(ms: number): string {
  return goDuration(BigInt(Math.round(ms * 1e6)));
}
