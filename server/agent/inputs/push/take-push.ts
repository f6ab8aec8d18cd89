// Reads the body of a push (a request of a protocol in pushes.ts). Passes the body to the code in the folder `ingest`,
// which processes and stores its points.

import type { CategoryName } from "../../../../lib/point/index.ts";
import type { Encoding } from "../../../http/body/body.ts";
import type { Reservation } from "../../../http/body/inflight.ts";
import { ApiError } from "../../../http/errors.ts";
import { headerOf } from "../../../http/guards/client.ts";
import type { Agent } from "../../agent.ts";
import type { ConversionReport } from "../../ingest/converter.ts";
import type { Conversion, ExtraTag, Form, Rejected } from "../../ingest/write-request.ts";
import type { Call } from "../../serving/route.ts";
import { receiveBody, usualRequest } from "../receive-body.ts";
import { type PushName, PushRefusal } from "./push.ts";

/** Largest size of the points made of a push, as a multiple of the largest allowed size of a body. */
export const pointGrowth = 4;

export interface PushedBody {
  readonly push: PushName;
  readonly category: CategoryName;
  /** Wire format of the points that the converter returns. */
  readonly form: Form;
  readonly conversion: Conversion;
  /**
   * Compression of the body, which is undone before the converter gets the body. When absent, the header
   * Content-Encoding names the compression.
   */
  readonly compression?: Encoding;
  /** Unit of the times in a body of line protocol; nanoseconds when absent. */
  readonly precision?: string;
  readonly earlyTags?: readonly ExtraTag[];
  /** Name of the script that runs over the points; when empty, the name of each point decides which script runs. */
  readonly source?: string;
}

export interface TakenPush extends ConversionReport {
  /**
   * The contents of the body: `points`, `no points` (the body has no items, or none that can become a point), or
   * `nothing` (the body is empty).
   */
  readonly holds: "points" | "no points" | "nothing";
}

/** Returns a refusal that names the items that cannot become points. `item`: the word for one item, such as `line`. */
export function leftOutRefusal(item: string, { count, reason }: Rejected, { holds }: TakenPush): PushRefusal {
  const those = count === 1 ? `1 ${item} is` : `${count} ${item.replace(/y$/, "ie")}s are`;
  const others = holds === "points" ? "the others are kept" : "nothing is kept";
  return new PushRefusal(400, `${those} left out, ${others}: ${reason}`);
}

/**
 * Stores the points of a push. Resolves when the points are stored, or when there are none. Throws ApiError when the
 * push is refused. Counts refused pushes, and items that cannot become points.
 */
export async function takePush(agent: Agent, call: Call, pushed: PushedBody): Promise<TakenPush> {
  const { push, category } = pushed;
  try {
    const taken = await agent.budget.hold(call.request.raw, (held) => take(agent, call, pushed, held));
    const { rejected } = taken;
    if (rejected !== undefined && rejected.count > 0) {
      agent.metrics.pushRejected.inc({ input: push }, rejected.count);
      agent.log.warn(`${push}: ${rejected.count} left out: ${rejected.reason}`);
    }
    return taken;
  } catch (error) {
    agent.inputs.refused(push, category, error);
    throw error;
  }
}

async function take(
  { config, ingest, admission, now }: Agent,
  call: Call,
  { push, compression, precision = "n", earlyTags = [], source = "", ...points }: PushedBody,
  held: Reservation,
): Promise<TakenPush> {
  const { raw } = call.request;
  const received = await receiveBody(
    admission,
    raw,
    {
      ...points,
      source,
      matchesByName: true,
      cap: config["http_api.max_body_bytes"],
      compression: compression ?? headerOf(raw, "content-encoding").replace(/^identity$/i, ""),
    },
    held,
    call,
  );
  if (received === undefined) return { holds: "nothing" };
  let report: ConversionReport = {};
  const write = {
    ...usualRequest,
    ...points,
    ...received,
    precision,
    source,
    earlyTags,
    now: now(),
    label: push,
    storageIndex: undefined,
  };
  try {
    await ingest(write, call, (its) => {
      report = its;
    });
  } catch (error) {
    // The body of the push holds no items, or none of its items can become a point. The protocol decides how to answer.
    if (!(error instanceof ApiError && error.code === "agent.noPoints")) throw error;
    return { ...report, holds: "no points" };
  }
  return { ...report, holds: "points" };
}
