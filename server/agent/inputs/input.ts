// The declaration of an input: each folder of this room exports one, and inputs.ts lists them all.

import type { Converter } from "../ingest/converter.ts";
import type { Route } from "../serving/route.ts";

/** A way in which points come to the agent. */
export interface Input {
  /** Name in logs and in the documentation. */
  readonly name: string;
  /** The HTTP interfaces that take the bodies of this input. */
  readonly routes: readonly Route[];
  /** Makes points of bodies that are in none of the forms of points. */
  readonly converter?: Converter;
}
