// The part of `millrace doctor` for inputs that take data in the protocols of other products, such as Loki. Shows which
// of these protocols are switched on, and which clients can use them.

import { isOn, type Push, tokenOf } from "../../agent/inputs/push/push.ts";
import { pushes } from "../../agent/inputs/push/pushes.ts";
import { parseListenAddress } from "../../config/listen-address.ts";
import type { Config } from "../../config/schema.ts";
import { createAccess } from "../../http/guards/access.ts";
import type { Grade } from "./tail.ts";

export interface PushFinding {
  readonly grade: Grade;
  readonly text: string;
}

/**
 * Examines the settings of each protocol (such as Loki) by which clients push data to the agent, if the protocol is
 * switched on. Returns the findings for the report.
 */
export function examinePushes(config: Config): PushFinding[] {
  const findings = pushes.filter((push) => isOn(push, config)).flatMap((push) => examinePush(push, config));
  const listen = config["inputs.otlp_grpc.listen"];
  if (listen === "") return findings;
  const about = `otlp_grpc: takes OTLP over gRPC at ${listen}`;
  const isOpen = !isLoopback(listen) && config["inputs.otlp_grpc.token"] === "";
  return [...findings, isOpen ? openTo(about) : { grade: "ok", text: about }];
}

function examinePush(push: Push, config: Config): PushFinding[] {
  const listen = config["http_api.listen"];
  const about = `${push.name}: takes ${push.paths.map((path) => `POST ${path}`).join(", ")} at ${listen}`;
  if (isLoopback(listen)) return [{ grade: "ok", text: about }];
  const access = createAccess({
    clients: { isLocal: () => false },
    publicApis: config["http_api.public_apis"],
    allowedOrigins: [],
    allowedHosts: [],
    listenHost: "",
  });
  const closed = push.paths.filter((path) => !access.isPublic(path));
  const isForNetworks = config["http_api.public_ips"].length > 0;
  if (closed.length > 0 && !isForNetworks) {
    const text = `${about}; only senders on this machine reach ${closed.join(", ")}: [http_api] public_apis lists the paths for others`;
    return [{ grade: "warn", text }];
  }
  return [
    tokenOf(push, config) === "" && closed.length < push.paths.length ? openTo(about) : { grade: "ok", text: about },
  ];
}

const openTo = (about: string): PushFinding => ({
  grade: "warn",
  text: `${about}; whoever reaches the port may write: a token is not set`,
});

function isLoopback(listen: string): boolean {
  const address = parseListenAddress(listen);
  return "path" in address || address.host === "::1" || address.host.startsWith("127.");
}
