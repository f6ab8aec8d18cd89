// Measures the work that a process does only once, when it starts: creating an instance, and loading a file of sink
// rules.

import { createMillrace } from "../../lib/millrace.ts";
import { createSinkMatcher } from "../../lib/sharding/match-sink-rules.ts";
import { loadSinkRules } from "../../lib/sharding/sink-rules.ts";
import type { CompileTime } from "./scripts.ts";
import { variedRuleFile } from "./sharding.ts";

const turns = 15;
const rules = 10_000;

export const startNames = { create: "create an instance", load: `load ${rules} varied sink rules` };

export async function measureCreate(): Promise<CompileTime> {
  const times: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const begin = performance.now();
    await createMillrace();
    times.push(performance.now() - begin);
  }
  return { name: startNames.create, medianMs: median(times) };
}

/** Measures the milliseconds to load a file of sink rules and to make their index. */
export function measureLoad(): CompileTime {
  const file = variedRuleFile(rules);
  const times = Array.from({ length: turns }, () => {
    const begin = performance.now();
    const loaded = loadSinkRules(file);
    if (loaded.rules === undefined) throw new Error(JSON.stringify(loaded.problems));
    createSinkMatcher(loaded.rules);
    return performance.now() - begin;
  });
  return { name: startNames.load, medianMs: median(times) };
}

function median(times: number[]): number {
  times.sort((a, b) => a - b);
  return times[times.length >> 1]!;
}
