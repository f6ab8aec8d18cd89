// The sink in which a converter collects the points of a body, as text of bounded size in PBJSON (the JSON form of the
// agent's protobuf points).

import { PointsTooLarge } from "../../ingest/converter.ts";
import type { Rejected } from "../../ingest/write-request.ts";

/** Collects the points of one body, and counts the records that cannot become points. */
export interface PointSink {
  add(point: string): void;
  /** Counts a record that cannot become a point, for the given reason. Does nothing when the reason is undefined. */
  reject(reason: string | undefined): void;
  /** Number of points that the sink has collected. */
  readonly points: number;
}

export interface Gathered {
  /** The points that the sink has collected, as PBJSON text (the JSON form of the agent's protobuf points). */
  readonly points: Uint8Array;
  readonly rejected: Rejected | undefined;
}

const chunkChars = 256 * 1024;
/**
 * Largest number of different reasons that are counted separately for rejected records. All further reasons are
 * counted together.
 */
const mostReasons = 20;

/**
 * Returns a sink, which collects points. `maxBytes` limits the bytes of the points, since a small body can expand to
 * very many points; beyond the limit, the sink throws PointsTooLarge.
 */
export function createSink(maxBytes: number): PointSink & { end(): Gathered } {
  const encoder = new TextEncoder();
  const chunks: Uint8Array[] = [];
  const reasons = new Map<string, number>();
  let text = "[";
  let bytes = 0;
  let points = 0;
  const flush = () => {
    const chunk = encoder.encode(text);
    text = "";
    bytes += chunk.length;
    if (bytes > maxBytes) throw new PointsTooLarge(`its points take more than ${maxBytes} bytes; send less at once`);
    chunks.push(chunk);
  };
  return {
    get points() {
      return points;
    },
    add: (point) => {
      points++;
      text += bytes === 0 && text === "[" ? point : `,${point}`;
      if (text.length > chunkChars) flush();
    },
    reject: (reason) => {
      if (reason === undefined) return;
      const named = reasons.has(reason) || reasons.size < mostReasons ? reason : "other reasons";
      reasons.set(named, (reasons.get(named) ?? 0) + 1);
    },
    end: () => {
      text += "]";
      flush();
      const all = [...reasons];
      const rejected =
        all.length === 0
          ? undefined
          : {
              count: all.reduce((sum, [, count]) => sum + count, 0),
              reason: all.map(([reason, count]) => `${count}: ${reason}`).join("; "),
            };
      return { points: joined(chunks, bytes), rejected };
    },
  };
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const all = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}
