// Whether and by which keys points are told apart (docs/reference/gateway.md#headers-from-an-agent). The keys follow the global tags at
// once when these are changed.

import { headerName, toHeaderBytes } from "../../../lib/sharding/header.ts";
import { customerKeys, headerOfAllTags, shardKeys } from "../../../lib/sharding/shard-keys.ts";
import type { Config } from "../../config/schema.ts";
import type { GlobalTags } from "./global-tags.ts";

export interface Sharding {
  /** Undefined when there is neither a global tag nor a configured key. */
  keys(): readonly string[] | undefined;
  /** X-Global-Tags of requests that carry no points. */
  header(): string;
}

/** Undefined when it is switched off or there is no gateway. */
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

/** Of requests that carry no points. */
export function shardingHeaders(sharding: Sharding | undefined): Record<string, string> {
  return sharding === undefined ? {} : { [headerName]: toHeaderBytes(sharding.header()) };
}
