// Reads the file of the rules that generate X-Global-Tags (docs/reference/gateway.md#rules-for-tags). The file is JSON
// or YAML: a list of rules or the id of a function, or an object whose only member is one of these under the name that
// the item has in the configuration of the function platform.

import { parse } from "yaml";

const itemName = /^CUSTOM_INTERNAL_[A-Z0-9]+_X_GLOBAL_TAGS$/;

/** Returns the rules or the id of a function, not checked. Throws a syntax error of the text. */
export function readTagConfig(text: string): unknown {
  const config: unknown = parse(text);
  if (typeof config !== "object" || config === null || Array.isArray(config)) return config;
  const entries = Object.entries(config);
  const [name, value] = entries[0] ?? ["", undefined];
  return entries.length === 1 && itemName.test(name) ? (value as unknown) : config;
}
