// The text that a call of a function begins with when the user inserts it.

import type { FunctionDoc } from "../../../lib/index.ts";

/**
 * Returns a snippet of CodeMirror with a call of a function and its required parameters. `#{name}` marks a value that
 * the user fills in.
 */
export function callSnippet({ name, params }: FunctionDoc): string {
  const required = params.filter((param) => !param.optional);
  if (params.length === 0) return `${name}()\${}`;
  if (required.length === 0) return `${name}(\${})`;
  return `${name}(${required.map((param) => (param.type === "str" ? `"#{${param.name}}"` : `#{${param.name}}`)).join(", ")})`;
}
