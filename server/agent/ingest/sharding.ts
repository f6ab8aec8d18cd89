// The shard keys: keys of tags or fields whose values decide to which shard the gateway sends a point
// (docs/reference/gateway.md#headers-from-an-agent). The keys of all global tags are also shard keys, so the
// shard keys change as soon as the global tags change.

import { customerKeys, headerName, headerOfAllTags, shardKeys, toHeaderBytes } from "../../../lib/sharding/index.ts";
import type { Config } from "../../config/schema.ts";
import type { GlobalTags } from "./global-tags.ts";

export interface Sharding {
  /** Returns the shard keys; undefined when there are neither global tags nor configured keys. */
  keys(): readonly string[] | undefined;
  /** Returns the value of the header X-Global-Tags for requests to the gateway that send no points. */
  header(): string;
}

/**
 * Returns the functions that compute the agent's shard keys; undefined when sharding is switched off or no gateway is
 * configured.
 */
export function createSharding(config: Config, tags: GlobalTags): Sharding | undefined {
  if (!config["gateway.enable_sinker"] || config["gateway.urls"].length === 0) return undefined;
  const { keys: customer } = customerKeys(config["gateway.global_customer_keys"]);
  return {
    keys: () => {
      const keys = shardKeys(tags.host, tags.election, customer);
      return keys.size === 0 ? undefined : [...keys];
    },
    header: () => headerOfAllTags(tags.host, tags.election),
  };
}

/** Returns the sharding headers for requests to the gateway that send no points. */
export function shardingHeaders(sharding: Sharding | undefined): Record<string, string> {
  return sharding === undefined ? {} : { [headerName]: toHeaderBytes(sharding.header()) };
}
