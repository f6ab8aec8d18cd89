// Statements that ask a platform for the sources and keys of its points, for completion and for lists of sources and
// keys.

import type { DqlNamespace } from "../syntax/namespaces.ts";

/**
 * Returns the statement whose rows have the sources of a namespace in their first column.
 *
 * @example
 * sourcesStatement(namespaceOf("L")); // "show_logging_source()"
 */
export function sourcesStatement({ category, long }: DqlNamespace): string {
  return category === "metric" ? "show_measurement()" : `show_${showName(long)}_source()`;
}

/**
 * Returns the statements whose rows have the keys of points in their first column: the points of `sources`, or all
 * points of the namespace when the list is empty. For metrics, the first statement returns the keys of tags and the
 * second returns the keys of fields.
 *
 * @example
 * keyStatements(namespaceOf("M"), ["cpu"]); // ['show_tag_key(from=["cpu"])', 'show_field_key(from=["cpu"])']
 */
export function keyStatements({ category, long }: DqlNamespace, sources: readonly string[]): string[] {
  const list = sources.map((source) => JSON.stringify(source)).join(", ");
  if (category === "metric") {
    const from = sources.length === 0 ? "" : `from=[${list}]`;
    return [`show_tag_key(${from})`, `show_field_key(${from})`];
  }
  return [`show_${showName(long)}_field(${sources.length === 0 ? "" : `[${list}]`})`];
}

/**
 * Returns the name that SHOW statements use for a query namespace. It differs from the namespace's own name only for
 * `unrecovered_event`: SHOW statements call it `event`.
 */
function showName(long: string): string {
  return long === "unrecovered_event" ? "event" : long;
}
