// The functions of a central pipeline, which runs on the platform and not in an agent
// (docs/reference/language.md#where-scripts-run-differently). Some functions do nothing there: a call of such a
// function is still checked, and a warning says that the call has no effect.

import { VOID } from "../runtime/value.ts";
import type { Declaration } from "./declare.ts";

/** Where scripts will run: in an agent or on the central platform. */
export type RunsIn = "agent" | "central";

const withoutEffect: ReadonlySet<string> = new Set([
  "agg_create",
  "agg_metric",
  "create_point",
  "mquery_refer_table",
  "query_refer_table",
]);

export function centralDeclarations(declarations: readonly Declaration[]): readonly Declaration[] {
  return declarations.map((declaration) => (withoutEffect.has(declaration.name) ? idle(declaration) : declaration));
}

function idle(declaration: Declaration): Declaration {
  return {
    ...declaration,
    state: false,
    bind(call) {
      declaration.bind(call);
      call.warn(`${declaration.name} has no effect in a central pipeline`);
      return () => VOID;
    },
  };
}
