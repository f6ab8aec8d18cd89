// The data and functions that the views of an answer need from the mode that shows the views.

import type { Session } from "../../state/session.svelte.ts";
import type { Answered, Survey, Wish } from "../../worker/query-run/asking.ts";
import type { Picked } from "./cell-text.ts";

export interface AnswerHost {
  readonly session: Session;
  readonly answer: Answered | null;
  /** Whether live mode is on, which sends the query again and again. */
  readonly isLive: boolean;
  /** Whether the answer is older than the query or its points. */
  readonly isStale: boolean;
  /** The value whose menu is open; null for none. */
  picked: Picked | null;
  /** Counts the points of the answered query; null for a query that computes its rows, and when counting fails. */
  survey(keys: readonly string[], group: string): Promise<Survey | null>;
  /** Sets the time range, in milliseconds since 1970. */
  zoom(from: number, to: number): Promise<void>;
  /** Changes the query so that it has only the rows with a value, or not these rows, or is grouped by the key. */
  filter(picked: Picked, wish: Wish): Promise<void>;
}
