// POST /v1/write/:category (docs/reference/agent.md#writes).

import type { IncomingMessage, ServerResponse } from "node:http";
import type { CategoryName } from "../../../lib/point/category.ts";
import type { Ending } from "../../http/abort-signal.ts";
import { encodingOf, readBody } from "../../http/body/body.ts";
import { formOf } from "../../http/body/point-form.ts";
import { ApiError } from "../../http/errors.ts";
import { turnEnd } from "../../queue/turn.ts";
import type { WriteAgent } from "../agent.ts";
import { plainBody } from "../ingest/admission.ts";
import { precisionOf, storageIndexOf, type WriteQuery } from "../ingest/query.ts";
import { browserAddress } from "../ingest/rum-address.ts";
import { writeLabel } from "../inputs/input-counts.ts";
import type { EchoForm } from "../write-messages.ts";
import type { Route } from "./route.ts";

/** The categories that there are never come here: ../write/front.ts takes them. */
export const write: Route = {
  method: "POST",
  url: "/v1/write/:category",
  handle: async (_agent, { path }) => {
    throw new ApiError("agent.invalidCategory", `invalid URL "${path}"`);
  },
};

const usualInput = "agent-http";

/** A write that has passed the guards. */
export interface WriteCall {
  readonly raw: IncomingMessage;
  readonly response: ServerResponse;
  readonly category: CategoryName;
  readonly query: WriteQuery;
  readonly contentType: string;
  readonly ending: Ending;
  /** Whether no other request is under way now. */
  readonly isAlone: () => boolean;
}

export interface Echo {
  readonly form: EchoForm | undefined;
  readonly bytes: Uint8Array;
}

/** Resolves when the points are kept; undefined: an empty answer. */
export async function takeWrite(agent: WriteAgent, call: WriteCall): Promise<Echo | undefined> {
  const { raw, category, query, contentType, ending } = call;
  const { source, input, echo } = query;
  const label = writeLabel(input || usualInput);
  const held = agent.budget.open(raw);
  try {
    const form = formOf(contentType);
    const precision = precisionOf(query.precision);
    const storageIndex = category === "logging" ? storageIndexOf(query.storageIndex) : undefined;
    const encodingName = query.encoding || (raw.headers["content-encoding"] ?? "");
    if (agent.admission.isFull) {
      const encoding = encodingName === "zstd" ? "zstd" : "";
      await agent.admission.admit(raw, { category, form, foreign: undefined, encoding, source });
    }
    const cap = agent.config["http_api.max_body_bytes"];
    const sent = await readBody(raw, cap, held);
    if (sent.length === 0) throw new ApiError("agent.emptyBody");
    // With those that came at the same time.
    await turnEnd();
    const encoding = encodingOf(encodingName);
    const compressed = { bytes: sent, encoding, form, cap };
    const body = encoding === "" ? sent : await plainBody(agent.admission, compressed, held, ending);
    const echoed = await agent.feed(
      {
        body,
        sentBytes: sent.length,
        encoding: encoding === "zstd" ? "zstd" : "",
        category,
        form,
        foreign: undefined,
        precision,
        strict: query.strict,
        echo,
        dry: query.dry,
        now: agent.now(),
        earlyTags: [],
        ...(category === "rum"
          ? { browserAddress: browserAddress(raw, agent.config["http_api.rum_origin_ip_header"]) }
          : {}),
        electionTags: query.electionTags,
        hostTags: query.hostTags,
        source,
        label: storageIndex === undefined ? label : `${label}.${storageIndex}`,
        storageIndex,
        isAlone: call.isAlone(),
      },
      ending,
    );
    return echoed === undefined || echoed.length === 0 ? undefined : { form: echo, bytes: echoed };
  } catch (error) {
    if (!query.dry) agent.inputs.refused(label, category, error);
    throw error;
  } finally {
    held.release();
  }
}
