// Generates the header X-Global-Tags for write requests without this header, from the points in the body
// (docs/reference/gateway.md#rules-for-tags). All points of a body with the same generated header are sent as
// one request. A body that cannot be decoded, and points for which no header is generated, are sent without the
// header.

import { createHash } from "node:crypto";
import { createMillrace, type Encodable, type Millrace, type Points, TooManyPoints } from "../../lib/index.ts";
import type { CategoryName } from "../../lib/point/index.ts";
import {
  createGlobalTags,
  type ExtraFields,
  type GlobalTags,
  groupHeaders,
  headerName,
  plainPointOf,
  toHeaderBytes,
} from "../../lib/sharding/index.ts";
import { decompressInTurns, encodingOf } from "../http/body/body.ts";
import type { Reservation } from "../http/body/inflight.ts";
import { formOf } from "../http/body/point-form.ts";
import { createWrittenBytes, WrittenTooMuch, writtenBytesFor } from "../http/body/written-bytes.ts";
import { ApiError } from "../http/errors.ts";
import type { Log } from "../telemetry/log.ts";
import type { ForwardedRequest } from "./forwarded-request.ts";
import type { GatewayMetrics } from "./metrics.ts";
import { watchRuleFile } from "./rule-file.ts";
import { readTagConfig } from "./tag-config.ts";
import { openTagFunctions } from "./tag-functions.ts";

export interface TaggedRequest {
  /** The generated value of the header X-Global-Tags, as a string. */
  readonly header: string;
  readonly sent: ForwardedRequest;
}

export interface Tagging {
  /** The text of the file from which the rules in force were read; undefined when no rules are in force. */
  readonly text: string | undefined;
  /** The reason why the file of rules was refused when it was last read; empty when it was not refused. */
  readonly fault: string;
  /**
   * Splits a request without the header X-Global-Tags into requests with this header. Reserves memory for the
   * decompressed body and for the new bodies, through `held` (the request's share of the memory budget). Rejects
   * when no more memory can be reserved, or when the new bodies take more bytes than `maxGrowth` allows.
   */
  tagged(sent: ForwardedRequest, category: CategoryName, held: Reservation): Promise<readonly TaggedRequest[]>;
  reload(): void;
  close(): Promise<void>;
}

export interface TaggingOptions {
  /** The path of the file with the rules that generate the header, in JSON or YAML. */
  readonly file: string;
  readonly maxIdentifiers: number;
  readonly functionsFolder: string;
  readonly functionTimeoutMs: number;
  readonly functionMemoryMb: number;
  readonly extraFields: ExtraFields;
  /** Maximum number of points in a body; a body with more points is sent without a header. 0 = no limit. */
  readonly maxPoints: number;
  /**
   * The limit for the total size of the new bodies, as a number of bytes per byte of the body that the client sent
   * (see `writtenBytesFor`).
   */
  readonly maxGrowth: number;
  readonly log: Log;
  readonly metrics: GatewayMetrics;
}

/** Largest size of a decompressed body in bytes; a larger body is sent without a header. */
const maxBodyBytes = 32 * 1024 * 1024;
/**
 * Maximum number of messages that are logged in one second. All messages, logged or not, are counted in the
 * metrics.
 */
const loggedPerSecond = 5;

export async function openTagging(options: TaggingOptions): Promise<Tagging> {
  const { file, log, metrics, maxIdentifiers, maxPoints, maxGrowth } = options;
  const mill = await createMillrace();
  const functions = openTagFunctions({
    folder: options.functionsFolder,
    timeoutMs: options.functionTimeoutMs,
    memoryMb: options.functionMemoryMb,
  });
  const report = rateLimitedLog(log, () => metrics.tagProblems.inc());
  let tags: GlobalTags = createGlobalTags(undefined);
  let rules = 0;
  let inForce: string | undefined;
  let fault = "";

  const take = (text: string): void => {
    let config: unknown;
    try {
      config = readTagConfig(text);
    } catch (error) {
      failed((error as Error).message.split("\n")[0]);
      return;
    }
    tags = createGlobalTags(config, { maxIdentifiers, functionOf: functions.of, report });
    for (const { severity, path, message } of tags.problems) {
      const text = `global tags rules${path.replace(/^rules/, "")}: ${message}`;
      if (severity === "error") log.error(text);
      else log.warn(text);
    }
    inForce = text;
    fault = "";
    rules = Array.isArray(config) ? config.length : config === null || config === undefined ? 0 : 1;
    log.info(`global tags reload ok: ${typeof config === "string" ? "a function" : `${rules} rules`}, source=${file}`);
  };
  const failed = (reason: string) => {
    fault = reason;
    log.error(`global tags reload failed: ${reason}, keep ${rules} old rules`);
  };
  const watched = watchRuleFile({ file, onText: take, onFailure: (error) => failed(error.message) });

  return {
    get text() {
      return inForce;
    },
    get fault() {
      return fault;
    },
    tagged: async (sent, category, held) => {
      const body = await readableBody(sent, held);
      const batch = body === undefined ? "cannot be read" : decode(mill, body, { sent, category, maxPoints });
      if (typeof batch === "string") {
        report("warning", `${sent.api}: the body ${batch}, it goes on without ${headerName}`);
        return [{ header: "", sent }];
      }
      try {
        const kept = batch.withField();
        const points = kept === undefined ? batch : batch.select(kept);
        const plain = Array.from(points, (point) => plainPointOf(point));
        const headers = await Promise.all(plain.map((point) => tags.headerOf(category, point, options.extraFields)));
        metrics.taggedPoints.inc({ category }, headers.filter((header) => header !== "").length);
        const groups = groupHeaders(headers);
        // Points without a field are left out of the new bodies. A body that contains only such points is sent
        // unchanged, because the target ignores these points anyway.
        if (groups.length === 0 || (groups.length === 1 && kept === undefined)) {
          const header = groups[0]?.header ?? "";
          return [{ header, sent: { ...sent, headers: withHeader(sent.headers, header) } }];
        }
        return requestsOf(mill, sent, points, groups, { maxGrowth, held });
      } finally {
        batch.release();
      }
    },
    reload: watched.reload,
    close: async () => {
      watched.close();
      await functions.close();
    },
  };
}

/**
 * Returns one request for each group of points (the points for which the same header was generated). Throws an ApiError
 * when the new bodies take more bytes than `maxGrowth` allows.
 */
function requestsOf(
  mill: Millrace,
  sent: ForwardedRequest,
  points: Pick<Points, "select">,
  groups: ReturnType<typeof groupHeaders>,
  { maxGrowth, held }: { readonly maxGrowth: number; readonly held: Reservation },
): TaggedRequest[] {
  const written = createWrittenBytes(writtenBytesFor(sent.body.length, maxGrowth));
  try {
    return groups
      .map(({ header, indexes }): TaggedRequest => {
        const part = encodedPart(mill, points.select(indexes), (bytes) => {
          written.add(bytes);
          held.grow(bytes);
        });
        return { header, sent: partOf(sent, header, part, indexes) };
      })
      .filter((each) => each.sent.body.length > 0);
  } catch (error) {
    if (!(error instanceof WrittenTooMuch)) throw error;
    throw new ApiError("gateway.bodyTooLarge", `${error.message} ([sinker.tags] max_growth)`);
  }
}

/**
 * Encodes points as protobuf. Calls `account` with the length of each encoded chunk. When the chunks together
 * become too long, `account` throws an error, which ends the encoding and reaches the caller.
 */
function encodedPart(mill: Millrace, points: Encodable, account: (bytes: number) => void): Uint8Array {
  const pieces: Uint8Array[] = [];
  mill.encodeTo(points, "pb", (piece) => {
    account(piece.length);
    pieces.push(piece.slice());
  });
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
}

interface Decoding {
  readonly sent: ForwardedRequest;
  readonly category: CategoryName;
  readonly maxPoints: number;
}

/** Returns the decoded points of a body, or the reason why the body cannot be used. */
function decode(mill: Millrace, body: Uint8Array, { sent, category, maxPoints }: Decoding): Points | string {
  try {
    const precision = new URLSearchParams(sent.query).get("precision") ?? "";
    const form = formOf(sent.headers["content-type"] ?? "");
    return mill.decodePoints(body, { category, form, precision, maxPoints });
  } catch (error) {
    return error instanceof TooManyPoints
      ? `holds more than ${maxPoints} points ([sinker.tags] max_points)`
      : "cannot be read";
  }
}

async function readableBody(
  { body, headers, query }: ForwardedRequest,
  held: Reservation,
): Promise<Uint8Array | undefined> {
  try {
    const encoding = encodingOf(new URLSearchParams(query).get("encoding") || (headers["content-encoding"] ?? ""));
    if (body.length > maxBodyBytes) return undefined;
    return await decompressInTurns(body, encoding, maxBodyBytes, held);
  } catch (error) {
    if (error instanceof ApiError && error.code === "agent.tooManyBytesInFlight") throw error;
    return undefined;
  }
}

function withHeader(headers: ForwardedRequest["headers"], header: string): ForwardedRequest["headers"] {
  return { ...headers, [headerName.toLowerCase()]: toHeaderBytes(header) };
}

/**
 * Returns a request with some points of the original request, in protobuf, which preserves all values. The id of
 * this request is derived from the indexes of its points, so two different sets of points never have the same
 * id. This is needed because the client may repeat the original request, and the gateway may then split it
 * differently.
 */
function partOf(
  sent: ForwardedRequest,
  header: string,
  body: Uint8Array,
  indexes: readonly number[],
): ForwardedRequest {
  const { "content-encoding": _encoding, ...headers } = withHeader(sent.headers, header);
  const query = new URLSearchParams(sent.query);
  query.delete("encoding");
  query.set("precision", "n");
  const digest = createHash("sha256").update(indexes.join()).digest("hex").slice(0, 12);
  return {
    ...sent,
    query: query.toString(),
    headers: {
      ...headers,
      "content-type": "application/protobuf",
      "x-points": String(indexes.length),
      "x-pkg-id": `${headers["x-pkg-id"]}-${digest}`,
    },
    body,
    points: indexes.length,
  };
}

/**
 * Returns a function that logs at most `loggedPerSecond` messages in a second, because a user's function that
 * fails usually fails for every point.
 */
function rateLimitedLog(log: Log, count: () => void): (severity: "error" | "warning", message: string) => void {
  let second = 0;
  let logged = 0;
  return (severity, message) => {
    count();
    const now = Math.floor(performance.now() / 1000);
    if (now !== second) {
      second = now;
      logged = 0;
    }
    if (++logged > loggedPerSecond) return;
    if (severity === "error") log.error(`global tags: ${message}`);
    else log.warn(`global tags: ${message}`);
  };
}
