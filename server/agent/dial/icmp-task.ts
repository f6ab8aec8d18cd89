// The ICMP dial test (docs/reference/agent.md#dial-tests), which runs the system's command `ping`.

import { compare, durationOf, joinOutcomes, numberCheck } from "./checks.ts";
import { CommandError, ping } from "./commands.ts";
import type { DialContext } from "./context.ts";
import { TaskError } from "./dial-error.ts";
import { type Json, numberOf, objectsOf, textOf, textsOf } from "./members.ts";
import { type Address, Forbidden, Unresolved } from "./networks.ts";
import { type Result, resultOf, type Spread, spreadOf } from "./result.ts";
import { hostOf, readTrace, runTrace, type Trace } from "./trace.ts";

interface Answer {
  readonly sent: number;
  readonly received: number;
  readonly lossPercent: number;
  /** Average, minimum, maximum and deviation of the round-trip times, in microseconds. */
  readonly times: Spread;
}

export interface IcmpTask {
  readonly name: string;
  readonly host: string;
  readonly count: number;
  readonly timeoutMs: number;
  readonly logic: string;
  readonly checks: readonly ((answer: Answer) => string | undefined)[];
  readonly trace: Trace;
  readonly tags: Readonly<Record<string, string>>;
}

const pauseSeconds = 3;
const shortestTimeoutMs = 1000;
const defaultTimeoutMs = 3000;
const maxPackets = 100;

export function readIcmpTask(task: Json): IcmpTask {
  const host = hostOf(task);
  if (host === "") throw new TaskError("host should not be empty");
  const count = numberOf(task, "packet_count", 0) || 3;
  if (!Number.isInteger(count) || count < 1 || count > maxPackets) {
    throw new TaskError(`packet_count should be in 1 ~ ${maxPackets}`);
  }
  const conditions = objectsOf(task, "success_when");
  if (conditions.length === 0) throw new TaskError("no any check rule");
  const timeout = durationOf(textOf(task, "timeout") || "3s") / 1e6;
  return {
    name: textOf(task, "name"),
    host,
    count,
    timeoutMs: timeout < shortestTimeoutMs ? defaultTimeoutMs : timeout,
    logic: textOf(task, "success_when_logic"),
    checks: conditions.flatMap(checksOf),
    trace: readTrace(task, conditions),
    tags: Object.fromEntries(textsOf(task, "tags")),
  };
}

function checksOf(condition: Json): IcmpTask["checks"][number][] {
  const prefixed = (name: string, prefix: string, value: (answer: Answer) => number) =>
    objectsOf(condition, name).map((option) => {
      const check = numberCheck(option);
      return (answer: Answer) => {
        const failure = check(value(answer));
        return failure === undefined ? undefined : `${prefix}${failure}`;
      };
    });
  return [
    ...prefixed("packet_loss_percent", "packet_loss_percent check failed: ", ({ lossPercent }) => lossPercent),
    ...objectsOf(condition, "response_time").map(timeCheck),
    ...prefixed("packets", "packets received check failed: ", ({ received }) => received),
  ];
}

function timeCheck(option: Json): IcmpTask["checks"][number] {
  const asked = textOf(option, "func") || "avg";
  const of = (["avg", "min", "max", "std"] as const).find((each) => each === asked);
  if (of === undefined) throw new TaskError(`unknown func ${asked}`);
  const op = textOf(option, "op");
  const target = durationOf(textOf(option, "target")) / 1000;
  return ({ received, times }) => {
    if (received === 0) return "all packets lost";
    const failure = compare(op, times[of], target);
    return failure === undefined ? undefined : `ICMP round-trip(${of}) check failed: ${failure}`;
  };
}

export async function runIcmpTask(task: IcmpTask, { network, signal }: DialContext): Promise<Result> {
  let address: Address | undefined;
  let received: number[] = [];
  let failure: string | undefined;
  try {
    [address] = await network.resolve(task.host);
    received = await ping(address, { count: task.count, timeoutMs: task.timeoutMs, pauseSeconds }, signal);
  } catch (error) {
    if (!(error instanceof CommandError || error instanceof Forbidden || error instanceof Unresolved)) throw error;
    failure = error.message;
  }
  const answer: Answer = {
    sent: task.count,
    received: received.length,
    lossPercent: ((task.count - received.length) / task.count) * 100,
    times: spreadOf(received),
  };
  const traced = address === undefined ? undefined : await runTrace(task.trace, address, signal);
  if (failure === undefined) {
    const outcomes = [...task.checks.map((check) => check(answer)), ...(traced?.outcomes ?? [])];
    failure = joinOutcomes(task.logic, outcomes);
  }
  const { avg, min, max, std } = answer.times;
  const fields = {
    ...timeFields("average_round_trip_time", avg),
    ...timeFields("min_round_trip_time", min),
    ...timeFields("max_round_trip_time", max),
    ...timeFields("std_round_trip_time", std),
    packet_loss_percent: answer.lossPercent,
    packets_sent: answer.sent,
    packets_received: answer.received,
  };
  return resultOf({
    tags: { name: task.name, dest_host: task.host, dest_ip: address?.address ?? "", proto: "icmp", ...task.tags },
    fields: { ...fields, ...traced?.fields },
    failure,
    message: fields,
    hops: traced?.hops ?? [],
  });
}

/** Returns two fields for a time: one in microseconds and one in milliseconds, with three decimals each. */
function timeFields(name: string, microseconds: number): Record<string, number> {
  const rounded = (value: number) => Math.round(value * 1000) / 1000;
  return { [name]: rounded(microseconds), [`${name}_in_millis`]: rounded(microseconds / 1000) };
}
