// Converts the metrics text of a Prometheus target to points. The conversion runs in the thread that decodes writes.

import type { ConvertedPoints, Converter } from "../../ingest/converter.ts";
import type { Conversion } from "../../ingest/write-request.ts";
import { parseText } from "./parse-text.ts";
import { createSampleFilter, type FilterRules } from "./sample-filter.ts";
import { createPoints } from "./write-samples.ts";

export interface PrometheusTextConversion extends Conversion, FilterRules {
  readonly converter: "prometheus-text";
  readonly isOpenMetrics: boolean;
  readonly measurement: string;
  readonly honorTimestamps: boolean;
  readonly maxSamples: number;
  /** Time at which the agent asked the target for its metrics, in nanoseconds since 1970. */
  readonly time: bigint;
  /** Time in seconds between the request to the target and the end of the target's answer. */
  readonly seconds: number;
}

export const prometheusTextConverter: Converter<PrometheusTextConversion> = {
  name: "prometheus-text",
  convert,
  refusal: { code: "agent.invalidData", prefix: "metrics of a target: " },
};

function convert(body: Uint8Array, conversion: PrometheusTextConversion): ConvertedPoints {
  const { isOpenMetrics, measurement, honorTimestamps, maxSamples, time, seconds } = conversion;
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("latin1");
  const points = createPoints(measurement, time);
  const filter = createSampleFilter(conversion);
  let [samples, beyond, malformed] = [0, 0, 0];
  let reason = "";
  try {
    parseText(
      text,
      isOpenMetrics,
      (sample) => {
        if (samples === maxSamples) beyond++;
        else {
          samples++;
          if (filter.takes(sample)) points.add(honorTimestamps ? sample : { ...sample, time: undefined });
        }
      },
      (line, why) => {
        if (malformed++ === 0) reason = `line ${line}: ${why}`;
      },
    );
  } finally {
    filter.free();
  }
  for (const [name, value] of scrapeSamples(1, seconds, samples))
    points.add({ name, value, labels: [], time: undefined });
  if (beyond > 0) reason += `${reason === "" ? "" : "; "}${beyond} samples beyond ${maxSamples} (max_samples)`;
  const count = malformed + beyond;
  return count === 0 ? { points: points.end() } : { points: points.end(), rejected: { count, reason } };
}

/**
 * Returns samples that describe a scrape (a request for the metrics of a target), such as `up`. A Prometheus
 * server adds the same samples to each scrape.
 */
function scrapeSamples(up: 0 | 1, seconds: number, samples: number): readonly (readonly [string, number])[] {
  return [
    ["up", up],
    ["scrape_duration_seconds", seconds],
    ["scrape_samples_scraped", samples],
  ];
}

/** Returns the points that report a failed scrape (a request for the metrics of a target). */
export function failedScrape(measurement: string, time: bigint, seconds: number): Uint8Array {
  const points = createPoints(measurement, time);
  for (const [name, value] of scrapeSamples(0, seconds, 0)) points.add({ name, value, labels: [], time: undefined });
  return points.end();
}
