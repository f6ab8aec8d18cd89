// POST /v1/write/rum/replay (docs/reference/agent.md#session-replays; docs/reference/gateway.md#headers-from-an-agent):
// passes a session replay (the record of a browser session) to the gateway unchanged. The values of the request's form
// select the workspace (a tenant of the platform) that gets the replay.

import { headerOfBody, type Pair } from "../../../lib/sharding/index.ts";
import { readBody } from "../../http/body/body.ts";
import { formDataOf } from "../../http/body/form-data.ts";
import { ApiError } from "../../http/errors.ts";
import { headerOf } from "../../http/guards/client.ts";
import type { Route } from "../serving/route.ts";

export const sessionReplay: Route = {
  method: "POST",
  url: "/v1/write/rum/replay",
  isOn: (config) => config["rum.enable"],
  handle: async ({ output, sharding, budget, config }, { request, reply, contentType, keep }) => {
    if (output.putPassThrough === undefined) {
      throw new ApiError("agent.noGatewayAvailable", "session replays are kept by a gateway: set [gateway] urls");
    }
    const { putPassThrough } = output;
    await budget.hold(request.raw, async (held) => {
      const body = await readBody(request.raw, config["http_api.max_body_bytes"], held);
      if (body.length === 0) throw new ApiError("agent.emptyBody");
      const globalTags =
        sharding === undefined
          ? undefined
          : headerOfBody(
              await formValues(body, contentType),
              "session_replay",
              new Set(sharding.keys() ?? []),
              sharding.header(),
            );
      const contentEncoding = headerOf(request.raw, "content-encoding");
      if (!keep()) throw new ApiError("agent.internalServerError", "the replay was answered 408");
      await putPassThrough("rum_replay", { body, contentType, contentEncoding, globalTags });
    });
    return await reply.send();
  },
};

/**
 * Returns the names of the form's parts and their string values. Returns an empty list when the body is not a form or
 * is compressed.
 */
async function formValues(body: Uint8Array, contentType: string): Promise<Pair[]> {
  try {
    const form = await formDataOf(body, contentType);
    return [...form].flatMap(([name, value]): Pair[] => (typeof value === "string" ? [[name, value]] : []));
  } catch {
    return [];
  }
}
