// The keys by which a gateway shards points (docs/reference/gateway.md#headers-from-an-agent). When the global tags
// change, the keys change at once.

import { customerKeys, headerName, headerOfAllTags, shardKeys, toHeaderBytes } from "../../../lib/sharding/index.ts";
import type { Config } from "../../config/schema.ts";
import type { GlobalTags } from "./global-tags.ts";

export interface Sharding {
  /** Returns the shard keys; undefined when there is neither a global tag nor a configured key. */
  keys(): readonly string[] | undefined;
  /** Returns the X-Global-Tags header for requests that carry no points. */
  header(): string;
}

/** Returns undefined when sharding is switched off or there is no gateway. */
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

/** Returns the sharding headers of requests that carry no points. */
export function shardingHeaders(sharding: Sharding | undefined): Record<string, string> {
  return sharding === undefined ? {} : { [headerName]: toHeaderBytes(sharding.header()) };
}
