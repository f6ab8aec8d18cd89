// Splits received bytes into lines, passes the lines to the aggregator, and counts the lines that are not used.

import { shownText } from "../../../../lib/text/index.ts";
import type { FetchingAgent } from "../input.ts";
import type { Sink } from "../syslog/sink.ts";
import type { Aggregator } from "./aggregator.ts";
import { parseLine } from "./parse-line.ts";

const [lineFeed, carriageReturn] = [0x0a, 0x0d];
/** Largest number of characters of a malformed line that are logged. */
const mostShown = 100;

export interface Lines {
  /** Returns the object that takes the bytes received at the address `listen`. */
  sinkFor(listen: string): Sink;
}

export function createLines({ config, log, metrics }: FetchingAgent, aggregator: Aggregator): Lines {
  const limits = {
    maxSeries: config["inputs.statsd.max_series"],
    maxBytes: config["inputs.statsd.max_series_bytes"],
  };
  const longestLine = config["inputs.statsd.max_line_bytes"];
  const logged = new Set<string>();
  const logOnce = (kind: string, text: string) => {
    if (logged.has(kind)) return;
    logged.add(kind);
    log.warn(`statsd: ${text}; further ones are counted`);
  };

  const sinkFor = (listen: string): Sink => {
    const lines = metrics.statsdLines.of({ listen });
    const bytesRead = metrics.statsdBytes.of({ listen });
    const drop = (reason: string, count: number, text: string) => {
      metrics.statsdDropped.inc({ listen, reason }, count);
      logOnce(reason, text);
    };
    const takeLine = (line: string) => {
      lines.value++;
      const parsed = parseLine(line);
      if (parsed === "malformed")
        drop("malformed", 1, `${shownText(listen)}: a line cannot be read: ${shownText(line.slice(0, mostShown))}`);
      else if (typeof parsed === "string") metrics.statsdIgnored.inc({ kind: parsed });
      else {
        const dropped = aggregator.add(parsed, limits, performance.now());
        if (dropped > 0) {
          const most = `${limits.maxSeries} series or ${limits.maxBytes} bytes`;
          drop("series", dropped, `a sample is dropped, since there are ${most} (max_series, max_series_bytes)`);
        }
      }
    };
    /** Whether the next bytes are the beginning of a line or datagram that was too long and was cut. */
    let isCut = false;
    return {
      isFull: false,
      take: (bytes, from, to) => {
        bytesRead.value += to - from;
        let end = to;
        if (isCut) {
          isCut = false;
          // The line or datagram was too long and was cut. The bytes after its last line feed are an incomplete line
          // and are dropped.
          while (end > from && bytes[end - 1] !== lineFeed) end--;
        }
        eachLine(bytes, from, end, (start, stop) => {
          if (stop - start > longestLine)
            drop("too_long", 1, `a line of more than ${longestLine} bytes (max_line_bytes) is dropped`);
          else takeLine(latin1(bytes, start, stop));
        });
      },
      lost: (loss, count) => {
        if (loss === "cut") {
          isCut = true;
          drop("too_long", count, "a line or datagram is too long (max_line_bytes, max_packet_bytes)");
        } else drop("system", count, "the system dropped datagrams that this agent did not read in time");
      },
      closed: (reason, sender, detail) => {
        metrics.statsdClosed.inc({ listen, reason });
        logOnce(`closed ${reason}`, `a connection of ${sender || "this machine"} is closed: ${shownText(detail)}`);
      },
    };
  };
  return { sinkFor };
}

/**
 * Calls `take` with the start and the end of each line in `[from, to)` that is not empty. The end is before the line
 * feed and the carriage return.
 */
function eachLine(bytes: Uint8Array, from: number, to: number, take: (from: number, to: number) => void): void {
  for (let start = from; start < to; ) {
    const at = bytes.indexOf(lineFeed, start);
    const end = at < 0 || at > to ? to : at;
    const stop = end > start && bytes[end - 1] === carriageReturn ? end - 1 : end;
    if (stop > start) take(start, stop);
    start = end + 1;
  }
}

/** Returns the bytes as a text with one character for each byte (latin1). */
const latin1 = (bytes: Uint8Array, from: number, to: number) =>
  Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString("latin1");
