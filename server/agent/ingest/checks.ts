// Checks the points of a write before they are processed. A write is refused when it has no points, when a point
// has a warning and the client asked for `strict`, or when a RUM (real user monitoring) point breaks the rules
// for such points. The points may come in windows (batches of bounded size); the result is for the whole body.

import type { Points } from "../engine.ts";
import { refusedRum } from "./rum/points.ts";
import type { RumRules, WriteAnswer, WriteJob } from "./write-job.ts";

/** The error answer to a write whose body has no points. */
export const noPoints: WriteAnswer = { ok: false, code: "agent.noPoints", message: "" };

export interface WriteChecks {
  inspect(points: Points): void;
  /**
   * Whether one of the points that `inspect` has checked so far breaks a rule. If so, no further point of the
   * write may be processed.
   */
  readonly isRefused: boolean;
  readonly points: number;
  /**
   * Returns the refusal of the write; undefined when the write is accepted. Call this function after `inspect` has seen
   * all points.
   */
  refusal(): WriteAnswer | undefined;
}

export function createChecks({ strict, category }: WriteJob, rules: RumRules): WriteChecks {
  let points = 0;
  let warning: string | undefined;
  let rum: WriteAnswer | undefined;
  return {
    inspect: (window) => {
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

/** Returns the first warning of the first point that has a warning, as `<type>: <message>`. */
function firstWarning(points: Points): string | undefined {
  for (let at = 0; at < points.length; at++) {
    const [warning] = points.warnings(at);
    if (warning !== undefined) return `${warning.type}: ${warning.message}`;
  }
  return undefined;
}
