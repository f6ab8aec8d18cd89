// Handles POST /v1/query/raw (docs/reference/query.md#requests). All queries of a request are sent to the store
// as one job. But if one of them is asynchronous or has its own time limit, each query is sent as a job of its
// own.

import {
  DqlError,
  dqlReasons,
  type QueryMember,
  RequestError,
  readRequest,
  runningEntryJson,
} from "../../lib/dql/index.ts";
import { ApiError } from "../http/errors.ts";
import type { RefusalReason, StoreAnswer } from "../store/protocol.ts";
import type { PointsStore } from "../store/store.ts";
import { within } from "../time/within.ts";
import type { AsyncQueries } from "./async-queries.ts";
import type { PlatformMetrics } from "./metrics.ts";

export interface QueryContext {
  readonly store: PointsStore;
  readonly metrics: PlatformMetrics;
  readonly asynchronous: AsyncQueries<StoreAnswer>;
  readonly workspace: string;
  readonly deadlineMs: number;
  /** The current time for all queries of the request, in ms since 1970. */
  readonly now: number;
  /**
   * A signal that aborts when the client has disconnected. All running queries then end, except asynchronous
   * queries, because their answers can be fetched later.
   */
  readonly signal: AbortSignal;
}

/**
 * Time in milliseconds for which a request waits for an asynchronous query. Afterwards it is answered with the
 * query's id. A request may set another time.
 */
const asyncTimeoutMs = 1_000;

const codes = {
  invalidPoints: "platform.invalidPoints",
  tooManyPoints: "platform.bodyTooLarge",
  writtenTooMuch: "platform.bodyTooLarge",
  invalidJSON: "platform.invalidJSON",
  invalidRequest: "platform.invalidRequest",
  queryParseError: "agent.queryParseError",
  queryTimeout: "platform.queryTimeout",
  queryCancelled: "platform.queryCancelled",
  queryFailed: "platform.queryFailed",
  storeFailed: "platform.storeFailed",
} as const satisfies Record<RefusalReason, string>;

/**
 * Runs the queries of a request and returns the body of the answer. `request`: the parsed JSON of the request.
 * Throws ApiError.
 */
export async function answerQueries(request: unknown, context: QueryContext): Promise<string> {
  const members = membersOf(request, context.metrics);
  const { queries, echo_explain: explain } = request as {
    readonly queries: unknown[];
    readonly echo_explain?: unknown;
  };
  const isAlone = members.some(
    ({ isAsync, asyncId, searchTimeoutMs }) => isAsync || asyncId !== "" || searchTimeoutMs !== null,
  );
  const entries = isAlone
    ? await Promise.all(
        members.map((member, at) => answerOne(member, { queries: [queries[at]], echo_explain: explain }, context)),
      )
    : [entriesOf(await runInStore(request, context, context.signal))];
  return `{"content":[${entries.join(",")}]}`;
}

function membersOf(request: unknown, metrics: PlatformMetrics): readonly QueryMember[] {
  try {
    return readRequest(request).queries;
  } catch (error) {
    const refused = (reason: RefusalReason, message: string) => {
      metrics.queries.inc({ result: reason });
      return refusal(reason, message);
    };
    if (error instanceof RequestError) throw refused(error.code, error.message);
    if (error instanceof DqlError) throw refused("queryParseError", error.message);
    throw error;
  }
}

async function runInStore(
  request: unknown,
  { store, metrics, workspace, deadlineMs, now }: QueryContext,
  signal?: AbortSignal,
): Promise<StoreAnswer> {
  const startedAt = performance.now();
  metrics.queriesRunning.inc();
  try {
    const answer = await store.ask({ kind: "query", workspace, request, deadlineMs, now }, signal);
    metrics.queries.inc({ result: answer.kind === "refused" ? answer.reason : "ok" });
    return answer;
  } finally {
    metrics.queriesRunning.dec();
    metrics.querySeconds.observe((performance.now() - startedAt) / 1000);
  }
}

async function answerOne(member: QueryMember, request: unknown, context: QueryContext): Promise<string> {
  const began = process.hrtime.bigint();
  const deadlineMs = Math.min(context.deadlineMs, member.searchTimeoutMs ?? context.deadlineMs);
  if (!member.isAsync && member.asyncId === "")
    return entriesOf(await runInStore(request, { ...context, deadlineMs }, context.signal));
  const { workspace, asynchronous } = context;
  const known = member.asyncId === "" ? undefined : asynchronous.find(workspace, member.asyncId);
  if (member.asyncId !== "" && known === undefined)
    throw refusal("queryParseError", `parse error: ${dqlReasons.asyncGone.shape}`);
  const outcome = known ?? runInStore(request, { ...context, deadlineMs });
  const answer = await within(outcome, member.asyncTimeoutMs ?? asyncTimeoutMs);
  if (answer !== undefined) return entriesOf(answer);
  const id = known === undefined ? asynchronous.hold(workspace, outcome) : member.asyncId;
  // When too many asynchronous queries are registered already, the request waits for the answer, as if the query
  // were not asynchronous.
  return id === null ? entriesOf(await outcome) : runningEntryJson(id, process.hrtime.bigint() - began);
}

/**
 * Returns the results of a query as JSON, separated by commas. Throws ApiError when the store refused the query.
 */
function entriesOf(answer: StoreAnswer): string {
  if (answer.kind === "refused") throw refusal(answer.reason, answer.message);
  if (answer.kind !== "answer") throw new Error(`the store answered a question with ${answer.kind}`);
  return answer.entries.join(",");
}

export function refusal(reason: RefusalReason, message: string): ApiError {
  const headers: Readonly<Record<string, string>> = reason === "storeFailed" ? { "retry-after": "1" } : {};
  return new ApiError(codes[reason], reason === "invalidJSON" ? `json.Unmarshal: ${message}` : message, headers);
}
