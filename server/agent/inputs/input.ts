// The declaration of an input, which is a protocol through which the agent receives points. Each folder beside this
// file exports one input; inputs.ts lists them all.

import type { Converter } from "../ingest/converter.ts";
import type { Route } from "../serving/route.ts";

/** A protocol through which the agent receives points. */
export interface Input {
  /** Name of the input in logs and in the documentation. */
  readonly name: string;
  /** The HTTP routes of this input. */
  readonly routes: readonly Route[];
  /** Converts bodies of this input to points; absent when the bodies are encoded points already. */
  readonly converter?: Converter;
}
