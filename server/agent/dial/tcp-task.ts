// The TCP dial test (docs/reference/agent.md#dial-tests): opens a connection, and optionally sends a message and reads
// one answer.

import { once } from "node:events";
import type { Socket } from "node:net";
import { answerChecks, durationOf, joinOutcomes, type TimedAnswer } from "./checks.ts";
import { openSocket } from "./connect.ts";
import { type DialContext, monotonic } from "./context.ts";
import { withDeadline } from "./deadline.ts";
import { TaskError } from "./dial-error.ts";
import { type Json, objectsOf, textOf, textOrNumberOf, textsOf } from "./members.ts";
import type { Address } from "./networks.ts";
import { micros, type Result, resultOf } from "./result.ts";
import { hostOf, readTrace, runTrace, type Trace } from "./trace.ts";

export interface TcpTask {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly message: string;
  readonly timeoutMs: number;
  readonly logic: string;
  readonly checks: readonly ((answer: TimedAnswer) => string | undefined)[];
  readonly trace: Trace;
  readonly tags: Readonly<Record<string, string>>;
}

const longestMessage = 1024;

export function readTcpTask(task: Json): TcpTask {
  const host = hostOf(task);
  const port = textOrNumberOf(task, "port");
  if (host === "") throw new TaskError("host should not be empty");
  if (port === "") throw new TaskError("port should not be empty");
  if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65535) throw new TaskError(`invalid port ${port}`);
  const conditions = objectsOf(task, "success_when");
  if (conditions.length === 0) throw new TaskError("no any check rule");
  return {
    name: textOf(task, "name"),
    host,
    port: Number(port),
    message: textOf(task, "message"),
    timeoutMs: durationOf(textOf(task, "timeout") || "10s") / 1e6,
    logic: textOf(task, "success_when_logic"),
    checks: conditions.flatMap((condition) => answerChecks(condition, "TCP")),
    trace: readTrace(task, conditions),
    tags: Object.fromEntries(textsOf(task, "tags")),
  };
}

export async function runTcpTask(task: TcpTask, context: DialContext): Promise<Result> {
  const { network, signal } = context;
  const began = monotonic();
  let dnsNs = 0n;
  let address: Address | undefined;
  let answer: TimedAnswer | undefined;
  let failure: string | undefined;
  try {
    answer = await withDeadline(task.timeoutMs, signal, async (inner) => {
      [address] = await network.resolve(task.host);
      dnsNs = monotonic() - began;
      const message = await talk(task, address, inner);
      const withDnsNs = monotonic() - began;
      return { message, withDnsNs, costNs: withDnsNs - dnsNs };
    });
  } catch (error) {
    failure = (error as Error).message;
  }
  const withDnsNs = answer?.withDnsNs ?? monotonic() - began;
  const traced = address === undefined ? undefined : await runTrace(task.trace, address, signal);
  if (answer !== undefined) {
    const outcomes = [...task.checks.map((check) => check(answer!)), ...(traced?.outcomes ?? [])];
    failure = joinOutcomes(task.logic, outcomes);
  }
  const message = answer?.message ?? "";
  return resultOf({
    tags: {
      name: task.name,
      dest_host: task.host,
      dest_port: String(task.port),
      dest_ip: address?.address ?? "",
      proto: "tcp",
      ...task.tags,
    },
    fields: {
      response_time: micros(withDnsNs - dnsNs),
      response_time_with_dns: micros(withDnsNs),
      response_message: message,
      ...traced?.fields,
    },
    failure,
    message: { response_time: micros(withDnsNs - dnsNs), response_message: message },
    hops: traced?.hops ?? [],
  });
}

/** Connects to the address. When the test has a message, sends it and reads one answer. */
async function talk({ port, message }: TcpTask, address: Address, signal: AbortSignal): Promise<string> {
  const socket: Socket = await openSocket([address], port, signal);
  try {
    if (message === "") return "";
    socket.write(message);
    const read = once(socket, "data", { signal });
    const ended = once(socket, "end", { signal }).then(() => [Buffer.alloc(0)]);
    read.catch(() => {});
    ended.catch(() => {});
    const [chunk] = (await Promise.race([read, ended])) as [Buffer];
    return chunk.subarray(0, longestMessage).toString();
  } finally {
    socket.destroy();
  }
}
