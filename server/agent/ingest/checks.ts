// Checks the points of a write before anything is done with them: that there are any, that `strict` finds no warning,
// and that RUM points follow their rules. The points may come in windows; the result is that of the whole body.

import type { Points } from "../engine.ts";
import { refusedRum } from "./rum/points.ts";
import type { RumRules, WriteAnswer, WriteJob } from "./write-job.ts";

/** The answer to a body without points. */
export const noPoints: WriteAnswer = { ok: false, code: "agent.noPoints", message: "" };

export interface WriteChecks {
  look(points: Points): void;
  /** Whether the points so far are refused. No point of the write may then be processed. */
  readonly isRefused: boolean;
  readonly points: number;
  /** Returns the refusal of the write, undefined when it is accepted. Call it after `look` has seen all points. */
  refusal(): WriteAnswer | undefined;
}

export function createChecks({ strict, category }: WriteJob, rules: RumRules): WriteChecks {
  let points = 0;
  let warning: string | undefined;
  let rum: WriteAnswer | undefined;
  return {
    look: (window) => {
      points += window.length;
      if (strict) warning ??= firstWarning(window);
      if (category === "rum") rum ??= refusedRum(window, rules);
    },
    get isRefused() {
      return warning !== undefined || rum !== undefined;
    },
    get points() {
      return points;
    },
    refusal: () => {
      if (points === 0) return noPoints;
      return warning === undefined ? rum : { ok: false, code: "agent.pointGotWarning", message: warning };
    },
  };
}

/** Returns `<type>: <message>` of the first warning of the first point that has one. */
function firstWarning(points: Points): string | undefined {
  for (let at = 0; at < points.length; at++) {
    const [warning] = points.warnings(at);
    if (warning !== undefined) return `${warning.type}: ${warning.message}`;
  }
  return undefined;
}
