// Decides which samples become points, by regular expressions over the name of the metric and the values of labels. An
// expression has to match the whole name or value, as in the rules of Prometheus, and takes linear time.

import { Regex } from "../../../../lib/regex/index.ts";
import type { Sample } from "./parse-text.ts";

export interface FilterRules {
  /** Names of which one has to match; empty = any name. */
  readonly keep: readonly string[];
  readonly drop: readonly string[];
  /** Expressions by label, each of which has to match. A label that a sample lacks is empty. */
  readonly keepLabels: Readonly<Record<string, string>>;
  /** Expressions by label, none of which may match. */
  readonly dropLabels: Readonly<Record<string, string>>;
}

export interface SampleFilter {
  takes(sample: Sample): boolean;
  /** Frees the memory of the expressions. */
  free(): void;
}

/** Compiles the rules. Throws RegexSyntaxError. */
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
  /** Decisions about names, of which a scrape has far fewer than samples. */
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
