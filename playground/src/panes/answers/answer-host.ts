// The data and functions that the views of an answer need from the mode that shows the views.

import type { Session } from "../../state/session.svelte.ts";
import type { Answered, Survey, Wish } from "../../worker/query-run/asking.ts";
import type { Picked } from "./cell-text.ts";

export interface AnswerHost {
  readonly session: Session;
  readonly answer: Answered | null;
  /** Whether live mode is on, which sends the query again and again. */
  readonly isLive: boolean;
  /** Whether the query, or the points that it reads, have changed since the answer arrived. */
  readonly isStale: boolean;
  /** The value whose menu is open; null for none. */
  picked: Picked | null;
  /**
   * Counts the points that the query returns. The result is null when counting fails, and for a query that groups or
   * computes instead of returning points.
   */
  survey(keys: readonly string[], group: string): Promise<Survey | null>;
  /**
   * Sets the time range of the query to the part of a chart that the user has dragged over, in milliseconds since 1970.
   */
  zoom(from: number, to: number): Promise<void>;
  /**
   * Changes the query after the user has chosen an action for a value. The changed query returns only the rows
   * with the value, or only the rows without the value, or it counts points by the key of the value.
   */
  filter(picked: Picked, wish: Wish): Promise<void>;
}
