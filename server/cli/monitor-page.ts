// The page of `millrace monitor`: the state of an agent as lines of text.

import { escapeControls } from "../../lib/point/shown-text.ts";
import { type Look, type Module, stateOf } from "../monitor/state.ts";
import { tableText } from "./table.ts";

export interface PageOptions {
  /** Columns; longer lines are cut. */
  readonly width: number;
  /** Milliseconds since 1970, for ages. */
  readonly now: number;
  /** What is shown; left out: everything. */
  readonly only?: ReadonlySet<Module>;
}

/** Without a look before, rates are unknown. */
export function monitorPage(look: Look, before: Look | undefined, { width, now, only }: PageOptions): string[] {
  return stateOf(look, before, now)
    .filter(({ module }) => only === undefined || only.has(module))
    .map(({ title, table = [], lines = [] }) => [
      ...(title === undefined ? [] : [title]),
      ...tableText(table),
      ...lines,
    ])
    .flatMap((block, at) => (at === 0 ? block : ["", ...block]))
    .map((text) => escapeControls(text).slice(0, width));
}
