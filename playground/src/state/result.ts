// The result of a run, and the messages that the page shows about how the run ended.

import { t } from "../text/translate.ts";
import type { RunOutcome } from "../worker/client.ts";
import type { Counts, Place, Summary } from "../worker/protocol.ts";
import type { RunInput } from "./run-input.ts";
import { countText, pluralText, sizeText } from "./text.ts";

/**
 * How a run was started. A `live` run starts automatically, is short, and is ended by the next live run. An `asked` run
 * was started by the user. A `file` run writes all points to a file. A `search` run looks for rows that the page does
 * not hold.
 */
export type RunKind = "live" | "asked" | "file" | "search";

export interface Result {
  readonly counts: Counts;
  /** Summary of the run; null while the run is in progress, and when the run was ended before it could report. */
  readonly summary: Summary | null;
  /**
   * The input of the run. Set to null when a later run over the same input has failed; the page then shows the
   * result as outdated.
   */
  readonly of: RunInput | null;
}

export interface Notice {
  readonly tone: "info" | "warning" | "error";
  readonly text: string;
  /** Hint on how to solve the problem, shown on a line of its own. */
  readonly hint?: string;
  /** Position in a script or in the input that is shown when the user clicks the notice. */
  readonly place?: Place;
  /** Whether the notice offers a run over the whole input. */
  readonly offersRun?: boolean;
}

/** A notice about an event that does not belong to a run, such as a copied link. */
export interface Toast extends Notice {
  /** Undoes the action that the notice reports; absent when the action cannot be undone. */
  readonly undo?: () => void;
  /** A button that offers the user a next action. */
  readonly action?: { readonly label: string; readonly run: () => void };
}

export const noCounts: Counts = { points: 0, kept: 0, dropped: 0, created: 0, errors: 0, refused: 0, unmatched: 0 };

/**
 * Returns the notice that the page shows after a run; null for none. `before`: the result that was on the page before
 * the run ended.
 */
export function outcomeNotice(kind: "live" | "asked", outcome: RunOutcome, before: Result | null): Notice | null {
  switch (outcome.kind) {
    case "ran":
      return endNotice(outcome.summary);
    case "script-errors": {
      const { message, error } = outcome.notes[0]!;
      const [place] = error.pos_chain;
      const { hint } = error;
      return {
        ...{ tone: "error", text: message },
        ...(hint === undefined ? {} : { hint }),
        ...(place === undefined ? {} : { place }),
      };
    }
    case "input-error":
      return { tone: "error", text: outcome.message };
    case "ended": {
      const n = before?.summary === null ? countText(before.counts.points + 1) : "";
      const text = t(
        n === ""
          ? "Stopped: the script did not come to an end. Its worker was ended and a new one has started."
          : "Stopped at point {n}: the script did not come to an end. Its worker was ended and a new one has started.",
        { n },
      );
      const again = kind === "live" ? ` ${t("Press Run to give it as long as it takes.")}` : "";
      return { tone: "warning", text: text + again };
    }
    case "failed":
      return { tone: "error", text: t("The run failed: {message}", { message: outcome.message }) };
  }
}

function endNotice({ endReason, counts, notice, missing, totalBytes }: Summary): Notice | null {
  if (missing !== "") return { tone: "error", text: missing };
  const n = countText(counts.points);
  if (endReason === "sample") {
    const text = t("A sample: the first {n} points of {size}.", { n, size: sizeText(totalBytes) });
    return { tone: "info", text, offersRun: true };
  }
  if (endReason === "stopped") return { tone: "warning", text: t("Stopped after {n} points.", { n }) };
  if (endReason === "budget")
    return {
      tone: "warning",
      text: t("Stopped after {n} points: runs that start by themselves are short.", { n }),
      offersRun: true,
    };
  if (counts.refused > 0 && notice === "") {
    const lines = pluralText(counts.refused, "line");
    return {
      tone: "info",
      text: t("{lines} could not be read as points. The agent would refuse the whole body with them.", { lines }),
    };
  }
  if (notice !== "")
    return { tone: "info", text: t("Read element by element. As one body it would be refused: {notice}", { notice }) };
  return null;
}
