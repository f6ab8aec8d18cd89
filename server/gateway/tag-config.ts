// The file of the rules that generate X-Global-Tags (docs/reference/gateway.md#rules-for-tags): JSON or YAML, a list of rules or the id of
// a function, also under the name the item has in the configuration of the function platform.

import { parse } from "yaml";

const itemName = /^CUSTOM_INTERNAL_[A-Z0-9]+_X_GLOBAL_TAGS$/;

/** Throws what is wrong with the text. */
export function readTagConfig(text: string): unknown {
  const config: unknown = parse(text);
  if (typeof config !== "object" || config === null || Array.isArray(config)) return config;
  const entries = Object.entries(config);
  const [name, value] = entries[0] ?? ["", undefined];
  return entries.length === 1 && itemName.test(name) ? (value as unknown) : config;
}
