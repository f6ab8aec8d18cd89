// The store's thread: owns the database, decodes bodies into it and answers queries from it.

import { parentPort, workerData } from "node:worker_threads";
import {
  DqlError,
  entryJson,
  explanation,
  RequestError,
  readRequest,
  recording,
  runQuery,
} from "../../lib/dql/index.ts";
import { createMillrace, PointError } from "../../lib/index.ts";
import { findObjects } from "./objects.ts";
import { openDatabase } from "./open-database.ts";
import { QueryTimeout, TooManyKeys } from "./points-database.ts";
import type { Numbered, StoreAnswer, StoreJob, StoreStart } from "./protocol.ts";

const start = workerData as StoreStart;
const mill = await createMillrace({ wasm: start.wasm });
const store = await openDatabase(start, mill);

parentPort!.on("message", async ({ id, content }: Numbered<StoreJob | { kind: "close" }>) => {
  if (content.kind === "close") {
    await store.close();
    parentPort!.postMessage({ id, content: { kind: "done" } });
    parentPort!.close();
    return;
  }
  const answer: Numbered<StoreAnswer> = { id, content: await answerOf(content) };
  parentPort!.postMessage(answer);
});
parentPort!.postMessage({ id: 0, content: { kind: "done" } });

async function answerOf(job: StoreJob): Promise<StoreAnswer> {
  switch (job.kind) {
    case "ingest":
      return await ingest(job);
    case "query":
      return await query(job);
    case "objects":
      return await objects(job);
    case "expire":
      await store.expire(job.workspace, job.category, job.before, job.batchesBefore);
      return { kind: "done" };
  }
}

async function ingest({
  workspace,
  category,
  batchId,
  form,
  precision,
  index,
  body,
}: StoreJob & { kind: "ingest" }): Promise<StoreAnswer> {
  let batch: ReturnType<typeof mill.decodePoints>;
  try {
    batch = mill.decodePoints(body, { category, form, precision });
  } catch (error) {
    if (!(error instanceof PointError)) throw error;
    return { kind: "refused", reason: "invalidPoints", message: error.message };
  }
  try {
    return { kind: "taken", ...(await store.ingest(workspace, category, batchId, batch, index)) };
  } catch (error) {
    // Sent again it would be refused again.
    if (error instanceof TooManyKeys) return { kind: "refused", reason: "invalidPoints", message: error.message };
    return { kind: "refused", reason: "storeFailed", message: withoutPaths(error) };
  } finally {
    batch.release();
  }
}

async function query({ workspace, request, deadlineMs, now }: StoreJob & { kind: "query" }): Promise<StoreAnswer> {
  const began = process.hrtime.bigint();
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), deadlineMs);
  try {
    const stored = await store.engine(workspace, deadline.signal);
    const options = { now };
    const entries: string[] = [];
    for (const member of readRequest(request).queries) {
      const since = process.hrtime.bigint();
      const { engine, asked } = recording(stored);
      const outcome = await runQuery(member, engine, options);
      if (deadline.signal.aborted) return late(deadlineMs);
      const rawQuery = member.echoExplain && asked.length > 0 ? await explanation(member.query, asked, stored) : null;
      entries.push(
        entryJson(outcome, {
          engine: stored.name,
          cost: process.hrtime.bigint() - since,
          rawQuery,
          withQueryParse: !member.disableQueryParse,
          lineProtocol: member.lineProtocol,
          describeColumns: member.describeColumns,
        }),
      );
    }
    return { kind: "answer", entries };
  } catch (error) {
    if (error instanceof RequestError) return { kind: "refused", reason: error.code, message: error.message };
    if (error instanceof DqlError) return { kind: "refused", reason: "queryParseError", message: error.message };
    if (deadline.signal.aborted || error instanceof QueryTimeout)
      return late(Number((process.hrtime.bigint() - began) / 1_000_000n));
    return { kind: "refused", reason: "queryFailed", message: withoutPaths(error) };
  } finally {
    clearTimeout(timer);
  }
}

async function objects({ workspace, question, deadlineMs }: StoreJob & { kind: "objects" }): Promise<StoreAnswer> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), deadlineMs);
  try {
    return { kind: "objects", found: await findObjects(await store.engine(workspace, deadline.signal), question) };
  } catch (error) {
    if (deadline.signal.aborted || error instanceof QueryTimeout) return late(deadlineMs);
    return { kind: "refused", reason: "queryFailed", message: withoutPaths(error) };
  } finally {
    clearTimeout(timer);
  }
}

function late(ms: number): StoreAnswer {
  return { kind: "refused", reason: "queryTimeout", message: `query timeout after ${Math.round(ms)}ms` };
}

/** What the database says, without where its files are. */
function withoutPaths(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/(?:\/[\w.@-]+){2,}/g, "...").slice(0, 1000);
}
