// The input that takes OTLP over gRPC (docs/reference/otlp.md#grpc). The protocol is small: a request is one message of
// known length in an HTTP/2 stream. So the agent speaks it on Node's HTTP/2 itself: bytes count against the budget as
// they arrive, and tokens are checked before any body is read. The code is loaded only when the configuration asks for it.

import type { Input } from "../input.ts";

export const otlpGrpc: Input = {
  name: "OTLP over gRPC",
  routes: [],
  open: async (agent) => {
    if (agent.config["inputs.otlp_grpc.listen"] === "") return undefined;
    const { openServer } = await import("./server.ts");
    return await openServer(agent);
  },
};
