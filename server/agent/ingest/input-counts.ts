// The metrics of each input. The name of an input consists of the interface through which a write came, and of
// the name that the client has sent in the parameter `input=`. Each name occupies memory until the process ends,
// so all names beyond a limit are counted under one label.

import type { CategoryName } from "../../../lib/point/index.ts";
import { shortenedText } from "../../../lib/text/index.ts";
import { ApiError } from "../../http/errors.ts";
import type { Series } from "../../telemetry/labelled-counters.ts";
import type { Metrics } from "../../telemetry/metrics.ts";

export interface Inputs {
  /** Returns the counters of an input (by its label) and category. Creates the counters when they do not exist. */
  seriesOf(label: string, category: CategoryName): InputSeries;
  /**
   * Counts a write that was refused with the given error. A readable body that has no points is not counted as an
   * error.
   */
  refused(label: string, category: CategoryName, error: unknown): void;
}

/** The counters of the writes of one input and category. */
export interface InputSeries {
  /** Value of the metric label `name`, under which the input's writes are counted. */
  readonly name: string;
  readonly total: Series;
  /** Counter of the bytes of all bodies, as the clients sent them. */
  readonly bytes: Series;
  readonly points: Observe;
  readonly last: Series;
  /**
   * Records the time in seconds from the start of the work on a write until its points are decoded. The member
   * `seconds` records the time from then on until the output has stored the points.
   */
  readonly readSeconds: Observe;
  readonly seconds: Observe;
}

type Observe = ReturnType<Metrics["ingestPoints"]["of"]>;

export const writeLabel = (input: string) => `v1-write.${input}`;

/**
 * The names of the inputs that already have counters in a `Metrics` object. The same `Metrics` object is used
 * after a reload of the configuration, so these names must be kept after a reload, too.
 */
const namesOf = new WeakMap<Metrics, Set<string>>();

/**
 * Returns the counters of inputs. `most`: the largest number of labels, which is the setting `[http_api] max_inputs`.
 */
export function createInputs(metrics: Metrics, most: number): Inputs {
  const { ingestTotal, ingestBytes, ingestPoints, lastIngest, collectSeconds, ingestSeconds, ingestErrors } = metrics;
  const names = namesOf.get(metrics) ?? new Set<string>();
  namesOf.set(metrics, names);
  const labelOf = (label: string): string => {
    if (names.has(label)) return label;
    const short = shortenedText(label);
    if (names.size >= most && !names.has(short)) return writeLabel("others");
    names.add(short);
    return short;
  };
  const known = new Map<CategoryName, Map<string, InputSeries>>();
  return {
    seriesOf: (label, category) => {
      let ofCategory = known.get(category);
      if (ofCategory === undefined) known.set(category, (ofCategory = new Map()));
      let series = ofCategory.get(label);
      if (series !== undefined) return series;
      const name = labelOf(label);
      series = ofCategory.get(name);
      if (series === undefined) {
        const labels = { name, category };
        series = {
          name,
          total: ingestTotal.of(labels),
          bytes: ingestBytes.of(labels),
          points: ingestPoints.of(labels),
          last: lastIngest.of(labels),
          readSeconds: collectSeconds.of(labels),
          seconds: ingestSeconds.of({ category, from: name }),
        };
        ofCategory.set(name, series);
      }
      return series;
    },
    refused: (label, category, error) => {
      if (error instanceof ApiError && error.code === "agent.noPoints") return;
      ingestErrors.of({ name: labelOf(label), category }).value++;
    },
  };
}
