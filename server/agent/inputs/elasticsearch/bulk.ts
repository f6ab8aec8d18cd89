// Converts the body of an Elasticsearch bulk request to logs in PBJSON (the JSON form of the agent's protobuf
// points), and makes the answer. The answer has one item for each action, in the order of the actions. When one
// document cannot be converted to a log, the other documents are still stored.

import { JsonSyntaxError, type JsonValue, readJson } from "../../../../lib/text/index.ts";
import { safeJson } from "../../../http/errors.ts";
import { ConversionError, type ConvertedPoints } from "../../ingest/converter.ts";
import { reasonNotToParse } from "../pbjson/json-extent.ts";
import { addObject, refusedOfLogs } from "../pbjson/json-log.ts";
import { linesOf } from "../pbjson/lines.ts";
import { PointText } from "../pbjson/point-text.ts";
import { createSink, type PointSink } from "../pbjson/sink.ts";
import type { BulkConversion } from "./converter.ts";
import { documentForm, measurementOf } from "./documents.ts";

interface Action {
  readonly op: "create" | "index" | "update" | "delete";
  readonly index: string;
  readonly id: string | undefined;
}

/** The error for one action of a bulk request, whose document is not stored. */
interface ItemError {
  readonly status: 400 | 429;
  readonly type: string;
  readonly reason: string;
}

/**
 * Returns the points of a bulk request, and the answer. Throws ConversionError. `maxPoints`: largest number of points;
 * 0 = no limit.
 */
export function convertBulk(body: Uint8Array, conversion: BulkConversion, maxPoints: number): ConvertedPoints {
  const began = performance.now();
  const reason = reasonNotToParse(body);
  if (reason !== undefined) throw new ConversionError(reason);
  const sink = createSink(conversion.maxPointBytes);
  const items: string[] = [];
  const lines = linesOf(body);
  for (let line = lines.next(); line.done !== true; line = lines.next()) {
    const action = actionOf(line.value.text, line.value.number, conversion);
    let error: ItemError | undefined;
    if (action.op === "delete") error = refused("delete");
    else {
      const source = lines.next();
      if (source.done === true)
        throw new ConversionError(`line ${line.value.number}: the line of its document is missing`);
      if (action.op === "update") error = refused("update");
      else if (maxPoints > 0 && sink.points >= maxPoints) error = tooMany(maxPoints);
      else error = addDocument(source.value.text, action, sink);
    }
    sink.reject(error && `${error.status} ${error.type}`);
    items.push(itemOf(action, error, conversion.isBrief));
  }
  if (items.length === 0) throw new ConversionError("the request holds no action");
  const { points, rejected } = sink.end();
  const took = Math.round(performance.now() - began);
  const head = conversion.isBrief ? "" : `"took":${took},`;
  const reply = new TextEncoder().encode(`{${head}"errors":${rejected !== undefined},"items":[${items.join(",")}]}`);
  return rejected === undefined ? { points, reply } : { points, rejected, reply };
}

const refused = (op: string): ItemError => ({
  status: 400,
  type: "action_request_validation_exception",
  reason: `the agent takes the actions create and index, not ${op}`,
});

const tooMany = (most: number): ItemError => ({
  status: 429,
  type: "es_rejected_execution_exception",
  reason: `more than ${most} documents in one request ([http_api] max_points); send the item again`,
});

const longestIndex = 255;
const longestId = 512;
const ops: readonly string[] = ["create", "index", "update", "delete"];

/** Parses an action such as `{"create":{"_index":"logs"}}`. Throws ConversionError. */
function actionOf(text: string, number: number, { index: usual }: BulkConversion): Action {
  const wrong = (what: string) => new ConversionError(`line ${number}: malformed action/metadata line, ${what}`);
  const value = parsed(text);
  if (value instanceof JsonSyntaxError) throw wrong(value.message);
  const [[op, meta] = []] = value instanceof Map ? value : [];
  if (op === undefined || !ops.includes(op)) throw wrong("one of create, index, update and delete is expected");
  if (!(meta instanceof Map)) throw wrong("the action needs an object");
  const index = meta.get("_index") ?? usual;
  const id = meta.get("_id") ?? undefined;
  if (typeof index !== "string" || index.length > longestIndex) {
    throw wrong(`_index must be a text of at most ${longestIndex} characters`);
  }
  if (id !== undefined && (typeof id !== "string" || id.length > longestId)) {
    throw wrong(`_id must be a text of at most ${longestId} characters`);
  }
  return { op: op as Action["op"], index, id };
}

function parsed(text: string): JsonValue | JsonSyntaxError {
  try {
    return readJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error;
    throw error;
  }
}

/** Adds the point of a document. Returns the error when the document cannot become a point. */
function addDocument(text: string, action: Action, sink: PointSink): ItemError | undefined {
  const value = parsed(text);
  if (value instanceof JsonSyntaxError) return unreadable(value.message);
  if (!(value instanceof Map)) return unreadable("a document must be an object");
  const point = new PointText(measurementOf(action.index), true, refusedOfLogs);
  const { time = 0n, badTime } = addObject(point, value, text, documentForm);
  if (badTime !== undefined) return unreadable(`field [${badTime}] holds no time`);
  sink.add(point.end(time));
  return undefined;
}

const unreadable = (reason: string): ItemError => ({
  status: 400,
  type: "document_parsing_exception",
  reason: `failed to parse: ${reason}`,
});

/**
 * Returns an item of the answer. With `isBrief`, the item has only the members that senders usually select with the
 * parameter `filter_path`: status and error.
 */
function itemOf({ op, index, id }: Action, error: ItemError | undefined, isBrief: boolean): string {
  if (isBrief && error === undefined) return `{"${op}":{"status":201}}`;
  const its = isBrief ? {} : { _index: index, ...(id === undefined ? {} : { _id: id }) };
  const outcome =
    error === undefined
      ? { ...(isBrief ? {} : { _version: 1, result: "created" }), status: 201 }
      : { status: error.status, error: { type: error.type, reason: error.reason } };
  return safeJson({ [op]: { ...its, ...outcome } });
}
