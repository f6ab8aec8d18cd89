// The converter of Influx writes. The body is already line protocol. When the agent cannot decode some of its lines,
// the other lines are stored, and the answer names the failed lines.

import { shortenedText } from "../../../../lib/text/index.ts";
import type { PointError } from "../../engine.ts";
import type { ConvertedPoints, Converter } from "../../ingest/converter.ts";
import type { Conversion } from "../../ingest/write-request.ts";

export interface InfluxConversion extends Conversion {
  readonly converter: "influx";
}

export const influxConverter: Converter<InfluxConversion> = {
  name: "influx",
  convert: (body) => ({ points: body }),
  withoutFailures,
};

/** Largest number of failed lines that the answer to a write quotes. */
const mostNamed = 3;
const newline = 0x0a;

/**
 * Returns a copy of the body in which newlines replace the lines that could not be decoded. Returns undefined
 * when the error of the decoder does not list all of these lines.
 */
function withoutFailures(body: Uint8Array, { lines, failed }: PointError): ConvertedPoints | undefined {
  if (lines.length === 0 || lines.length < failed) return undefined;
  const points = body.slice();
  for (const { offset, length } of lines) points.fill(newline, offset, offset + length);
  return { points, rejected: { count: failed, reason: reasonOf(lines, failed) } };
}

function reasonOf(lines: PointError["lines"], failed: number): string {
  const named = lines
    .slice(0, mostNamed)
    .map(
      ({ line, reason, lineNumber }) => `line ${lineNumber}: unable to parse '${shortenedText(line, 160)}': ${reason}`,
    );
  if (failed > named.length) named.push(`${failed - named.length} more`);
  return named.join("; ");
}
