// Reads the file with the rules that generate the header X-Global-Tags
// (docs/reference/gateway.md#rules-for-tags). The file is JSON or YAML. It contains a list of rules or the id of
// a function, either directly or as a member of an object.

import { parse } from "yaml";
import { unwrapTagConfig } from "../../lib/sharding/index.ts";

/** Returns the rules or the id of a function without checking them. Throws a syntax error of the JSON or YAML. */
export function readTagConfig(text: string): unknown {
  return unwrapTagConfig(parse(text)).config;
}
