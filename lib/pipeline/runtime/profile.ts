// Measures where a script spends its time: how often each statement ran, and how long it took without the statements
// inside it.

import { requireFunction } from "../../text/argument.ts";
import type { Position } from "../syntax/errors.ts";
import type { Probe, ProbedStatement } from "./instrumentation.ts";

/** The measured time of one statement of a script. */
export interface StatementTime {
  readonly position: Position;
  /** The source text from the start of the statement to the end of its line. */
  readonly text: string;
  readonly count: number;
  /** Total time in the unit of the given clock, including the cost of reading the clock. */
  readonly time: number;
}

/** A probe (a receiver of run events) that measures the time of each statement. */
export interface Profile extends Probe {
  /** Returns the statements, the one that took the most time first. */
  statements(): readonly StatementTime[];
}

interface Tally {
  count: number;
  time: number;
}

/**
 * Makes a profile, which adds up the times of any number of runs. The runs must not overlap in time.
 *
 * @example
 * const profile = createProfile(() => performance.now());
 * // compile with `probes: true`, run with `probe: profile`
 * profile.statements(); // []
 */
export function createProfile(now: () => number): Profile {
  requireFunction("createProfile", "now", now);
  const tallies = new Map<ProbedStatement, Tally>();
  const open: Tally[] = [];
  let since = 0;
  /** Adds the time since the last event to the innermost open statement. */
  const charge = () => {
    const at = now();
    const top = open.at(-1);
    if (top !== undefined) top.time += at - since;
    since = at;
  };
  return {
    enter(_run, statement) {
      charge();
      let tally = tallies.get(statement);
      if (tally === undefined) tallies.set(statement, (tally = { count: 0, time: 0 }));
      tally.count++;
      open.push(tally);
      since = now();
    },
    leave() {
      charge();
      open.pop();
      since = now();
    },
    branch() {},
    end() {
      open.length = 0;
    },
    statements() {
      return Array.from(tallies, ([{ source, at }, tally]) => {
        const lineEnd = source.text.indexOf("\n", at);
        const text = source.text.slice(at, lineEnd < 0 ? undefined : lineEnd).trimEnd();
        return { position: source.position(at), text, ...tally };
      }).sort((a, b) => b.time - a.time);
    },
  };
}
