// The declaration of an input. Each input folder exports one; inputs.ts lists them all.

import type { Converter } from "../ingest/converter.ts";
import type { Route } from "../serving/route.ts";

/** A protocol through which the agent receives points. */
export interface Input {
  /** Name in logs and in the documentation. */
  readonly name: string;
  /** The HTTP routes of this input. */
  readonly routes: readonly Route[];
  /** Converts bodies that are not in a form of points. */
  readonly converter?: Converter;
}
