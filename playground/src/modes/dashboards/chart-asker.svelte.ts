// Sends the queries of one chart. A new request cancels the previous one. The last good answer stays on the page while
// a request runs, and after a failed request.

import { type Answer, type Api, ApiFault } from "../../panes/dashboards/api.ts";
import { type Asked, questionsOf } from "./asking.ts";
import type { Span } from "./time-range.ts";

export class ChartAsker {
  /** The last good answers, one for each query; null before the first answers have arrived. */
  answers = $state.raw<readonly Answer[] | null>(null);
  /** The time range for which the answers in `answers` were requested; null before the first answers have arrived. */
  span = $state.raw<Span | null>(null);
  /** The reason why the last request failed; empty when it succeeded. */
  fault = $state("");
  busy = $state(false);
  /** True when none of the answers in `answers` has a value that the chart could draw. */
  readonly isEmpty = $derived(
    this.answers?.every(({ series }) =>
      series.every(({ columns, values }) =>
        values.every((row) => row.every((cell, at) => cell == null || columns[at] === "time")),
      ),
    ) === true,
  );
  private readonly api: Api;
  private current: AbortController | null = null;

  constructor(api: Api) {
    this.api = api;
  }

  async ask(asked: Asked, span: Span, values: Readonly<Record<string, string>>): Promise<void> {
    this.stop();
    if (asked.queries.length === 0 || asked.kind === "other") return;
    const own = new AbortController();
    this.current = own;
    this.busy = true;
    try {
      const answers = await this.api.ask(questionsOf(asked, span, values), own.signal);
      if (this.current !== own) return;
      this.answers = answers;
      this.span = span;
      this.fault = "";
    } catch (error) {
      if (this.current !== own) return;
      this.fault = error instanceof ApiFault ? error.message : String(error);
    }
    this.busy = false;
  }

  stop(): void {
    this.current?.abort();
    this.current = null;
    this.busy = false;
  }
}
