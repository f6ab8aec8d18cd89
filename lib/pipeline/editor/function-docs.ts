// The declarations of the built-in functions as plain data, for hover, completion and the function reference.

import { controlFunctions } from "../functions/control.ts";
import type { Declaration, Example, Param } from "../functions/declare.ts";
import { functions } from "../functions/index.ts";

/** Documentation of a function as plain data, which can be posted from one thread to another. */
export interface FunctionDoc {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  readonly params: readonly Param[];
  /** Type of the result; undefined when the function has no result. */
  readonly returns?: Declaration["returns"];
  readonly examples: readonly Example[];
}

/**
 * Returns the documentation of all functions, in alphabetical order.
 *
 * @example
 * functionDocs().some(({ name }) => name === "grok"); // true
 */
export function functionDocs(): readonly FunctionDoc[] {
  return [...functions, ...controlFunctions]
    .map(({ name, aliases = [], summary, params, returns, examples }) => ({
      name,
      aliases,
      summary,
      params,
      returns,
      examples,
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
