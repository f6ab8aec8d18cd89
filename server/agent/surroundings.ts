// What the configuration lets scripts find outside of their points: a database of addresses, and the way out.

import type { Config } from "../config/schema.ts";
import type { ScriptSurroundings } from "./protocol.ts";

export function scriptSurroundings(config: Config): ScriptSurroundings {
  const type = config["pipeline.ipdb_type"];
  const { geoip_file: places = "", isp_file: providers = "" } = config["pipeline.ipdb_attr"];
  const ownFiles = type === "geolite2";
  return {
    geoip:
      type === "none" || type === "" ? undefined : ownFiles ? { places, providers } : { places: "", providers: "" },
    requests: config["pipeline.disable_http_request_func"]
      ? undefined
      : {
          allowHosts: config["pipeline.http_request_host_whitelist"],
          allowNetworks: config["pipeline.http_request_cidr_whitelist"],
          denyHosts: config["pipeline.http_request_host_denylist"],
          denyNetworks: config["pipeline.http_request_cidr_denylist"],
          refuseInternal: config["pipeline.http_request_disable_internal_net"],
        },
  };
}
