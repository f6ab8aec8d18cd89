// The input for OTLP over gRPC (docs/reference/otlp.md#grpc). A gRPC request is one message of known length in an
// HTTP/2 stream, so Node's HTTP/2 module is enough and no gRPC library is used. Without such a library, the agent
// itself can count the bytes of a message against the memory limit as they arrive, and can check the token before it
// reads the message. The server's code is loaded only when the configuration switches this input on.

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
