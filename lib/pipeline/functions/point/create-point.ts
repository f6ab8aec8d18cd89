// The function create_point: makes an additional point in a script (docs/reference/functions.md#create_point).

import type { CategoryName } from "../../../point/category.ts";
import { correct } from "../../../point/correct.ts";
import { Point } from "../../../point/point.ts";
import { Key } from "../../../point/view.ts";
import { isBytes } from "../../../text/bytes.ts";
import { byteLength } from "../../../text/utf8.ts";
import { toPoint } from "../../runtime/point-access.ts";
import type { Run } from "../../runtime/run.ts";
import { toText } from "../../runtime/to-text.ts";
import { isDict, isInt, isList, isNothing, isText, textOf, type Value, VOID } from "../../runtime/value.ts";
import { type Call, type Declaration, declare } from "../declare.ts";
import { literalOr } from "../nodes.ts";
import { goTypeName } from "../time/durations.ts";
import { categoryNamed, warnOfCategory } from "./category-argument.ts";
import { attempt } from "./containers.ts";

const DEFAULT_NAME = "__default";

function mismatch(call: Call, index: number, expected: string, value: Value): Error {
  return call.runFailure(`type of parameter expected to be ${expected}, got ${goTypeName(value)}`, call.arg(index));
}

/** Returns the keys and values of a map; an empty list for nil. */
function entriesOf(call: Call, index: number, value: Value): Iterable<[string, Value]> {
  if (isNothing(value)) return [];
  if (!isDict(value)) throw mismatch(call, index, "map", value);
  return value;
}

/** Estimated bytes in memory of a created point without its keys. */
const POINT_BYTES = 512;
/** Estimated bytes in memory of one key of a created point. */
const KEY_BYTES = 128;

function makePoint(call: Call, run: Run, name: Value, tags: Value, fields: Value, ts: Value): Point {
  const { memory, host } = run;
  if (!isText(name)) throw mismatch(call, 0, "string", name);
  const tagList = entriesOf(call, 1, tags);
  const fieldList = entriesOf(call, 2, fields);
  if (!isNothing(ts) && !isInt(ts)) throw mismatch(call, 3, "int64", ts);
  const point = new Point(textOf(name) || DEFAULT_NAME, isInt(ts) && ts > 0 ? BigInt(ts) : host.now());
  memory.keep(POINT_BYTES + point.name.length);
  for (const [key, value] of fieldList) {
    if (isNothing(value)) continue;
    const stored = toPoint(value, memory);
    memory.keep(KEY_BYTES + key.length + (typeof stored === "string" || isBytes(stored) ? byteLength(stored) : 0));
    point.setField(new Key(key), stored);
  }
  // A key that is in both maps, tags and fields, becomes a tag.
  for (const [key, value] of tagList) {
    if (isNothing(value) || isDict(value) || isList(value)) continue;
    const text = toText(value);
    memory.keep(KEY_BYTES + key.length + byteLength(text));
    point.setTag(new Key(key), text);
  }
  return point;
}

function categoryArgument(call: Call, value: Value): CategoryName | undefined {
  if (isNothing(value)) return "metric";
  if (!isText(value)) throw mismatch(call, 4, "str", value);
  const text = textOf(value);
  return categoryNamed(text);
}

type Outer = Pick<Run, "point" | "dropped" | "exited" | "window" | "pendingTags" | "maps">;

/**
 * Replaces the run's point by the newly created point, so that the `after_use` script runs over the new point. Returns
 * the earlier point and the other members of the run that were replaced; `leave` restores them.
 */
function enter(run: Run, point: Point): Outer {
  const { point: outer, dropped, exited, window, pendingTags, maps } = run;
  run.point = point;
  run.dropped = false;
  run.window = null;
  run.pendingTags = null;
  run.maps = null;
  return { point: outer, dropped, exited, window, pendingTags, maps };
}

/**
 * Restores the run's original point after the `after_use` script. Returns whether that script dropped the new point.
 */
function leave(run: Run, outer: Outer): boolean {
  const droppedNew = run.dropped;
  Object.assign(run, outer);
  return droppedNew;
}

export const createPoint = declare({
  name: "create_point",
  summary: "Makes a further point, which is passed on in its own category when the script ends well.",
  params: [
    { name: "name", type: "str", summary: "the point's name" },
    { name: "tags", type: "map", summary: "its tags; scalar values become text" },
    { name: "fields", type: "map", summary: "its fields" },
    { name: "ts", type: "int", optional: true, summary: "its time in nanoseconds; now when left out or not above 0" },
    {
      name: "category",
      type: "str",
      optional: true,
      summary: "its category, such as L or logging; metric when left out",
    },
    { name: "after_use", type: "str", optional: true, summary: "a literal: a script that runs on the new point" },
  ],
  style: "named",
  examples: [
    {
      script: `create_point("pump", {"host": "h1"}, {"f": 1}); add_key(done, true)`,
      input: "x",
      gives: { done: true },
    },
  ],
  bind(call) {
    const after =
      call.arg(5) === undefined
        ? null
        : call.link(
            literalOr(call, 5, (kind) => `param after_use expects StringLiteral, got ${kind}`),
            call.arg(5),
          );
    warnOfCategory(call, 4);
    // The arguments for tags and fields may be computed from log content. When the evaluation of one of these
    // arguments fails, the point gets no tags or no fields, and the script continues.
    const values = [0, 1, 2, 3, 4].map((index) => {
      const value = call.value(index);
      return index === 1 || index === 2 ? (run: Run) => attempt(run, value) : value;
    });
    /** Makes the point and adds it to the run's created points; returns undefined when the category is unknown. */
    const make = (run: Run): { point: Point; drop: () => void } | undefined => {
      const [name, tags, fields, ts, category] = values.map((value) => value(run)) as [
        Value,
        Value,
        Value,
        Value,
        Value,
      ];
      const point = makePoint(call, run, name, tags, fields, ts);
      const its = categoryArgument(call, category);
      if (its === undefined) return undefined;
      correct(point, its);
      const at = run.created.push({ category: its, point }) - 1;
      const drop = () => {
        run.created[at] = { category: its, point, dropped: true };
      };
      return { point, drop };
    };
    if (after === null)
      return (run) => {
        make(run);
        return VOID;
      };
    return {
      direct: (run) => {
        const made = make(run);
        if (made === undefined) return VOID;
        const outer = enter(run, made.point);
        let dropped = false;
        try {
          after.direct(run);
        } finally {
          dropped = leave(run, outer);
        }
        if (dropped) made.drop();
        return VOID;
      },
      *steps(run) {
        const made = make(run);
        if (made === undefined) return VOID;
        const outer = enter(run, made.point);
        let dropped = false;
        try {
          yield* after.steps(run);
        } finally {
          dropped = leave(run, outer);
        }
        if (dropped) made.drop();
        return VOID;
      },
    };
  },
});

export const pointFunctions: readonly Declaration[] = [createPoint];
