// The resources that scripts can use besides their points, as configured: an address database, outgoing HTTP requests,
// and the naming of grok fields.

import type { Config } from "../../config/schema.ts";
import type { GeoipFiles } from "../../geoip/lookup.ts";
import type { OutboundRules } from "../../outbound/guarded-fetch.ts";

/** The resources and settings that scripts can use besides their points. */
export interface ScriptEnvironment {
  /** Files of the database that maps IP addresses to places; undefined when there is none. */
  readonly geoip: GeoipFiles | undefined;
  /** The rules for HTTP requests of scripts; undefined when scripts may not send requests. */
  readonly requests: OutboundRules | undefined;
  /** Whether grok stores the capture `[source][address]` as the field `source.address`. */
  readonly ecsPatterns: boolean;
}

export function scriptEnvironment(config: Config): ScriptEnvironment {
  return {
    ecsPatterns: config["pipeline.ecs_patterns"],
    geoip: geoipFiles(config["pipeline.ipdb_type"], config["pipeline.ipdb_attr"]),
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

function geoipFiles(type: string, its: Readonly<Record<string, string>>): GeoipFiles | undefined {
  const { geoip_file: places = "", isp_file: providers = "", cidr_file: networks = "" } = its;
  switch (type) {
    case "none":
    case "":
      return undefined;
    case "geolite2":
      return { places, providers };
    case "cidr":
      return { networks };
    default:
      return { places: "", providers: "" };
  }
}
