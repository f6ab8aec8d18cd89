// Decides which samples become points. Regular expressions test the name of the metric and the values of labels.
// As in the rules of Prometheus, an expression must match the whole name or value. The time for matching grows
// only linearly with the length of the name or value.

import { Regex } from "../../../../lib/regex/index.ts";
import type { Sample } from "./parse-text.ts";

export interface FilterRules {
  /** Regular expressions, one of which must match the name of the metric. An empty list accepts every name. */
  readonly keep: readonly string[];
  readonly drop: readonly string[];
  /**
   * Maps the names of labels to regular expressions. A sample is kept only when each expression matches the value
   * of its label. The value counts as empty when a sample lacks the label.
   */
  readonly keepLabels: Readonly<Record<string, string>>;
  /**
   * Maps the names of labels to regular expressions. A sample is dropped when one of the expressions matches the
   * value of its label.
   */
  readonly dropLabels: Readonly<Record<string, string>>;
}

export interface SampleFilter {
  takes(sample: Sample): boolean;
  /** Frees the memory of the compiled regular expressions. */
  free(): void;
}

/** Compiles the regular expressions of the filter. Throws RegexSyntaxError. */
export function createSampleFilter({ keep, drop, keepLabels, dropLabels }: FilterRules): SampleFilter {
  const all: Regex[] = [];
  const compile = (source: string) => {
    const regex = Regex.compile(`^(?:${source})$`);
    all.push(regex);
    return regex;
  };
  const kept = keep.map(compile);
  const dropped = drop.map(compile);
  const byLabel = [
    ...Object.entries(keepLabels).map(([label, source]) => ({ label, regex: compile(source), wanted: true })),
    ...Object.entries(dropLabels).map(([label, source]) => ({ label, regex: compile(source), wanted: false })),
  ];
  /**
   * Remembers for each metric name whether it is accepted. This saves time, because many samples have the same name.
   */
  const names = new Map<string, boolean>();
  const takesName = (name: string) => {
    let taken = names.get(name);
    if (taken === undefined) {
      const bytes = Buffer.from(name, "latin1");
      taken = (kept.length === 0 || kept.some((each) => each.test(bytes))) && !dropped.some((each) => each.test(bytes));
      names.set(name, taken);
    }
    return taken;
  };
  return {
    takes: ({ name, labels }) =>
      takesName(name) &&
      byLabel.every(({ label, regex, wanted }) => {
        const value = labels.find(([key]) => key === label)?.[1] ?? "";
        return regex.test(Buffer.from(value, "latin1")) === wanted;
      }),
    free: () => {
      for (const regex of all) regex.free();
    },
  };
}
