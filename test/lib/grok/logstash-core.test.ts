// Logstash's own examples of its core patterns, from the specs of
// github.com/logstash-plugins/logstash-patterns-core (Apache-2.0, Copyright Elasticsearch and contributors).
// Each row of logstash-core/examples.jsonl has a string, the pattern that it is matched against, and the
// captures that Oniguruma, Ruby's regex engine, finds (with `.` matching line breaks, as in Logstash). The
// member `examples` of a row lists the numbers of the examples that use the row. An example passes when all of
// its rows pass. The specs have 803 examples. 699 of them use rows of this file; the other examples match
// nothing in their mode (legacy or ECS).

import { describe, expect, it } from "vitest";
import { Grok } from "../../../lib/grok/grok.ts";
import { loadPatternFiles, patternProblemText } from "../../../lib/grok/load.ts";
import ecsText from "./logstash-core/ecs-v1.grok?raw";
import examplesText from "./logstash-core/examples.jsonl?raw";
import legacyText from "./logstash-core/legacy.grok?raw";

interface Row {
  readonly mode: "legacy" | "ecs";
  readonly pattern: string;
  readonly text: string;
  readonly match: boolean;
  readonly fields?: Readonly<Record<string, string | number>>;
  readonly examples: readonly number[];
}

const rows = examplesText
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Row);

const loaded = {
  legacy: loadPatternFiles({ "legacy.grok": legacyText }),
  ecs: loadPatternFiles({ "ecs-v1.grok": ecsText }, { ecs: true }),
};

/** Numbers of the examples that are known to fail. The keys are the reasons. */
const known: Readonly<Record<string, readonly number[]>> = {
  "Ruby makes a float of text that only begins with one": [106],
};

/**
 * Returns the expected fields with the names that they have in Millrace, which replaces characters that its
 * names cannot contain: for example `src-ip` becomes `src_ip`.
 */
function ours({ mode, fields = {} }: Row): Record<string, unknown> {
  if (mode === "ecs") return { ...fields };
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name.replace(/\W/g, "_"), value]));
}

/** Removes the fields whose groups took no part in the match, because Logstash leaves them out. */
function captured(fields: Record<string, unknown> | null): Record<string, unknown> | null {
  return fields && Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== "" && value !== 0));
}

describe("the core patterns of Logstash", () => {
  it.each(["legacy", "ecs"] as const)("load without a problem: %s", (mode) => {
    expect(loaded[mode].problems.map(patternProblemText)).toEqual([]);
  });

  it("match and capture the same texts as in Logstash, except for the known failures", () => {
    const groks = new Map<string, Grok>();
    const grokOf = ({ mode, pattern }: Row): Grok => {
      const id = `${mode} ${pattern}`;
      const grok = groks.get(id) ?? Grok.compile(pattern, { patterns: loaded[mode].patterns });
      groks.set(id, grok);
      return grok;
    };
    const failed = new Set<number>();
    const all = new Set<number>();
    for (const row of rows) {
      const got = captured(grokOf(row).match(row.text, { trim: false }));
      const wanted = row.match ? captured(ours(row)) : null;
      for (const example of row.examples) all.add(example);
      try {
        expect(got).toEqual(wanted);
      } catch {
        for (const example of row.examples) failed.add(example);
      }
    }
    expect([...failed]).toEqual(Object.values(known).flat());
    expect(all.size - failed.size).toBe(698);
    expect(all.size).toBe(699);
  });
});
