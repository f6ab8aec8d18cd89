// POST /v1/write/:category (docs/reference/agent.md#writes): takes points, and returns the echo (the corrected points,
// when the client asks for them).

import type { IncomingMessage, ServerResponse } from "node:http";
import type { CategoryName } from "../../../../lib/point/index.ts";
import type { RequestAbort } from "../../../http/abort-signal.ts";
import { formOf } from "../../../http/body/point-form.ts";
import { ApiError } from "../../../http/errors.ts";
import type { WriteAgent } from "../../agent.ts";
import { writeLabel } from "../../ingest/input-counts.ts";
import { browserAddress } from "../../ingest/rum/address.ts";
import type { EchoForm } from "../../ingest/write-request.ts";
import type { Route } from "../../serving/route.ts";
import type { Input } from "../input.ts";
import { sendPush } from "../push/push-route.ts";
import { answerUnknown } from "../push/unknown-path.ts";
import { receiveBody } from "../receive-body.ts";
import { precisionOf, storageIndexOf, type WriteQuery } from "../write-query.ts";

/** Route for writes with an unknown category. All other writes are handled in write-front.ts. */
const write: Route = {
  method: "POST",
  url: "/v1/write/:category",
  handle: async ({ config }, { path, reply }) => {
    // This route also gets requests for a protocol that is switched off, such as `/v1/write/json-lines`. The answer to
    // such a request has the format of the protocol.
    const answer = answerUnknown("POST", path, config);
    if (answer !== undefined) return sendPush(reply, answer);
    throw new ApiError("agent.invalidCategory", `invalid URL "${path}"`);
  },
};

export const httpWrite: Input = { name: "HTTP writes", routes: [write] };

const usualLabel = writeLabel("agent-http");

/** A write request that has passed the guards (checks before a request is handled). */
export interface WriteCall {
  readonly raw: IncomingMessage;
  readonly response: ServerResponse;
  readonly category: CategoryName;
  readonly query: WriteQuery;
  readonly contentType: string;
  readonly abort: RequestAbort;
  /** Returns whether the agent handles no other request at this moment. */
  readonly isAlone: () => boolean;
}

export interface Echo {
  readonly form: EchoForm | undefined;
  readonly bytes: Uint8Array;
}

/**
 * Processes a write. Resolves when the points are stored, with the echo (the points to return in the answer); undefined
 * means an empty answer.
 */
export async function takeWrite(agent: WriteAgent, call: WriteCall): Promise<Echo | undefined> {
  const { raw, category, query, contentType, abort } = call;
  const { source, input, echo } = query;
  const label = input === "" ? usualLabel : writeLabel(input);
  const held = agent.budget.open(raw);
  try {
    const form = formOf(contentType);
    const precision = precisionOf(query.precision);
    const storageIndex = category === "logging" ? storageIndexOf(query.storageIndex) : undefined;
    const received = await receiveBody(
      agent.admission,
      raw,
      {
        category,
        form,
        conversion: undefined,
        source,
        cap: agent.config["http_api.max_body_bytes"],
        compression: query.encoding || (raw.headers["content-encoding"] ?? ""),
      },
      held,
      abort,
    );
    if (received === undefined) throw new ApiError("agent.emptyBody");
    const echoed = await agent.ingest(
      {
        body: received.body,
        sentBytes: received.sentBytes,
        encoding: received.encoding,
        category,
        form,
        conversion: undefined,
        precision,
        strict: query.strict,
        echo,
        dry: query.dry,
        now: agent.now(),
        earlyTags: [],
        browserAddress:
          category === "rum" ? browserAddress(raw, agent.config["http_api.rum_origin_ip_header"]) : undefined,
        electionTags: query.electionTags,
        hostTags: query.hostTags,
        source,
        label: storageIndex === undefined ? label : `${label}.${storageIndex}`,
        storageIndex,
        isAlone: call.isAlone(),
      },
      abort,
    );
    return echoed === undefined || echoed.length === 0 ? undefined : { form: echo, bytes: echoed };
  } catch (error) {
    if (!query.dry) agent.inputs.refused(label, category, error);
    throw error;
  } finally {
    held.release();
  }
}
