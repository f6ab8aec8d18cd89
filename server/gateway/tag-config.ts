// Reads the file with the rules that generate the header X-Global-Tags (docs/reference/gateway.md#rules-for-tags). The
// file is JSON or YAML and contains a list of rules or the id of a function. This list or id may also be the value of
// the only member of an object; the name of this member comes from the configuration of the function platform.

import { parse } from "yaml";

const itemName = /^CUSTOM_INTERNAL_[A-Z0-9]+_X_GLOBAL_TAGS$/;

/** Returns the rules or the id of a function without checking them. Throws a syntax error of the JSON or YAML. */
export function readTagConfig(text: string): unknown {
  const config: unknown = parse(text);
  if (typeof config !== "object" || config === null || Array.isArray(config)) return config;
  const entries = Object.entries(config);
  const [name, value] = entries[0] ?? ["", undefined];
  return entries.length === 1 && itemName.test(name) ? (value as unknown) : config;
}
