// The functions point_window and window_hit. point_window remembers the last dropped points. When window_hit is
// called, the dropped points directly before and after the current point are passed on after all, to show the
// point's context (docs/reference/functions.md#point_window).

import { isInt, isList, isText, textOf, type Value, VOID } from "../../runtime/value.ts";
import { type Call, type Declaration, declare } from "../declare.ts";

const DEFAULT_TAGS: readonly string[] = ["filepath", "host"];

function size(call: Call, index: number, value: Value): number {
  if (!isInt(value)) throw call.runFailure("param data type expect int", call.arg(index));
  return Number(value);
}

/**
 * Returns the names of the tags that identify a stream of points; an empty list means the default tags. Returns
 * undefined when an element is not a string.
 */
function tagNames(call: Call, value: Value): readonly string[] | undefined {
  if (!isList(value)) throw call.runFailure("param data type expect array", call.arg(2));
  return value.every(isText) ? value.map(textOf) : undefined;
}

export const pointWindow = declare({
  name: "point_window",
  summary:
    "Remembers the last points of a stream that were dropped, for `window_hit`. At most 10,000 streams or 64 MiB; the oldest go.",
  params: [
    { name: "before", type: "int", summary: "how many points before the hit are kept" },
    { name: "after", type: "int", summary: "how many points from the hit on are brought back" },
    {
      name: "stream_tags",
      type: "list",
      optional: true,
      summary: `the keys whose texts tell streams apart; filepath and host when left out`,
    },
  ],
  style: "named",
  state: true,
  examples: [
    {
      script: `point_window(3, 2, ["host"]); drop(); if _ == "panic" { window_hit() }; add_key(seen, true)`,
      input: "x",
      gives: { seen: true },
    },
  ],
  bind(call) {
    const [before, after] = [call.value(0), call.value(1)];
    const tags = call.arg(2) === undefined ? null : call.value(2);
    const readers = call.readers();
    const byDefault = DEFAULT_TAGS.map((name) => ({ name, read: readers(name) }));
    return (run) => {
      const sizes = [size(call, 0, before(run)), size(call, 1, after(run))] as const;
      const names = tags === null ? [] : tagNames(call, tags(run));
      if (names === undefined || run.window !== null) return VOID;
      const stream: string[] = [];
      for (const { name, read } of names.length === 0
        ? byDefault
        : names.map((name) => ({ name, read: readers(name) }))) {
        const value = read(run);
        if (value === undefined || !isText(value)) return VOID;
        stream.push(name, textOf(value));
      }
      run.window = run.state.windows.of(JSON.stringify(stream), ...sizes, run.host.now());
      return VOID;
    };
  },
});

export const windowHit = declare({
  name: "window_hit",
  summary: "Brings back the points that `point_window` remembers around this one.",
  params: [],
  style: "positional",
  arity: { min: 0, tooFew: "" },
  state: true,
  examples: [{ script: `window_hit(); add_key(seen, true)`, input: "x", gives: { seen: true } }],
  bind: () => (run) => {
    if (run.window !== null) run.window.hit = Math.max(1, run.window.after);
    return VOID;
  },
});

export const windowFunctions: readonly Declaration[] = [pointWindow, windowHit];
