// Writes points to standard output, for another program or for a person at a terminal. Writes one point in each line,
// in the format that the setting `[output] stdout` names. Used in place of output files, or in addition to the gateways
// when these are configured.

import { gunzipSync } from "node:zlib";
import { escapeJson, escapeLines } from "../../../lib/text/index.ts";
import { ApiError } from "../../http/errors.ts";
import type { Engine } from "../engine.ts";
import type { Batch, BatchForm } from "./batch.ts";
import type { Output } from "./output.ts";

export type StdoutForm = "lp" | "json" | "pbjson" | "pb";

/** The stream to which points are written; only those members of Node's streams that the output uses. */
export interface PointStream {
  readonly isTTY?: boolean;
  readonly destroyed: boolean;
  write(bytes: Uint8Array | string, done: (error?: Error | null) => void): boolean;
}

export interface StdoutOptions {
  readonly stream: PointStream;
  readonly form: StdoutForm;
  /** Wire format of the batches (encoded points) that the output gets. */
  readonly batchForm: BatchForm;
  readonly engine: Pick<Engine, "windows" | "encode">;
  readonly onWritten: (batch: Batch) => void;
}

const lineFeed = Uint8Array.of(0x0a);

export function createStdoutOutput(options: StdoutOptions): Output {
  let failure = "";
  return {
    wantsCompressed: false,
    put: async (batches) => {
      // All batches are converted before the first `await`, because the next write reuses the memory of their bodies.
      const texts = batches.map((batch) => textOf(batch, options));
      for (const text of texts) {
        const reason = await written(options.stream, text);
        if (reason !== undefined) {
          failure = reason;
          throw new ApiError("agent.queueFailed", `standard output could not be written: ${reason}`, {
            "retry-after": "5",
          });
        }
      }
      failure = "";
      for (const batch of batches) options.onWritten(batch);
    },
    queues: () => [],
    problems: () => (failure === "" ? [] : [`standard output could not be written: ${failure}`]),
    close: async () => {},
  };
}

/**
 * Returns an output that stores points in the output `first`, and then writes them to standard output. Points that
 * `first` refuses are not written. When standard output fails, the write is not refused, because its points are already
 * stored.
 */
export function besideStdout(first: Output, stdout: Output, onFailed: (error: Error) => void): Output {
  const { putPassThrough } = first;
  return {
    get wantsCompressed() {
      return first.wantsCompressed;
    },
    put: async (batches, storageIndex) => {
      const copies = batches.map((batch) => ({ ...batch, body: new Uint8Array(batch.body) }));
      await first.put(batches, storageIndex);
      await stdout.put(copies).catch(onFailed);
    },
    ...(putPassThrough === undefined ? {} : { putPassThrough: (kind, body) => putPassThrough.call(first, kind, body) }),
    queues: () => first.queues(),
    problems: () => first.problems(),
    close: () => first.close(),
  };
}

/** Returns the reason why the text could not be written; undefined when it was written. */
function written(stream: PointStream, text: Uint8Array): Promise<string | undefined> {
  if (stream.destroyed) return Promise.resolve("it is closed");
  return new Promise((resolve) => stream.write(text, (error) => resolve(error?.message)));
}

function textOf(batch: Batch, { stream, form, batchForm, engine }: StdoutOptions): Uint8Array {
  const body = batch.gzip === true ? gunzipSync(batch.body) : new Uint8Array(batch.body);
  const text = form === batchForm ? ended(body, form) : converted(body, batch, form, batchForm, engine);
  if (stream.isTTY !== true || form === "pb") return text;
  // On a terminal, control characters are escaped, since they could change its state.
  const shown = Buffer.from(text).toString();
  return Buffer.from(form === "lp" ? escapeLines(shown) : escapeJson(shown));
}

/** Returns the body with a line feed at its end when it is line protocol. Protobuf messages need no separator. */
function ended(body: Uint8Array, form: StdoutForm): Uint8Array {
  if (form !== "lp" || body.length === 0 || body.at(-1) === 0x0a) return body;
  return Buffer.concat([body, lineFeed]);
}

function converted(
  body: Uint8Array,
  { category }: Batch,
  form: StdoutForm,
  batchForm: BatchForm,
  engine: StdoutOptions["engine"],
): Uint8Array {
  const parts: Uint8Array[] = [];
  const windows = engine.windows(body, { category, form: batchForm, precision: "n", now: 0n, strict: false });
  try {
    for (let points = windows.next(); points !== undefined; points = windows.next()) {
      if (form === "lp" || form === "pb") {
        parts.push(ended(new Uint8Array(engine.encode(points, form)), form));
        continue;
      }
      // Encodes each point as a JSON list of one point and removes the brackets of the list, so that each line holds
      // one point.
      for (const point of points) parts.push(new Uint8Array(engine.encode([point], form)).subarray(1, -1), lineFeed);
    }
  } finally {
    windows.release();
  }
  return Buffer.concat(parts);
}
