// Benchmarks of sink rules over headers: against the same rules handwritten in JavaScript, where both split the header
// once; and a matcher that has seen the headers before against a new one.

import { createSinkMatcher, decide } from "../../lib/sharding/match.ts";
import { loadSinkRules, type SinkRules } from "../../lib/sharding/sink-rules.ts";
import type { Pair } from "./measure.ts";

const headers = 1000;

/**
 * Returns rules of which a third test equality, a third a list and a third a wildcard. The last pair of the header
 * decides each of them.
 */
function ruleTexts(count: number): { rules: string[] }[] {
  return Array.from({ length: count }, (_, at) => {
    const kinds = [
      `{ cluster = 'c-${at}' and env != 'test' }`,
      `{ host in ['h-${at}', 'h-${at}-b'] }`,
      `{ service match 'team-${at}-*' }`,
    ];
    return { rules: [kinds[at % kinds.length]!] };
  });
}

function rulesOf(count: number): SinkRules {
  const entries = ruleTexts(count).map((entry, at) => ({ ...entry, url: `http://target-${at}/?token=t` }));
  const file = { strict: false, rules: [...entries, { rules: ["*"], url: "http://default/?token=t" }] };
  const { rules, problems } = loadSinkRules(JSON.stringify(file));
  if (rules === undefined) throw new Error(JSON.stringify(problems));
  return rules;
}

/** Returns headers; every tenth one matches no rule. */
function headerTexts(count: number): string[] {
  return Array.from({ length: headers }, (_, at) => {
    const rule = at % 10 === 9 ? count + 1 : (at * 7) % count;
    return `cluster=c-${rule},host=h-${rule},service=team-${rule}-web,env=prod`;
  });
}

type ByHand = (pairs: Record<string, string>) => boolean;

function byHand(count: number): ByHand[] {
  return Array.from({ length: count }, (_, at): ByHand => {
    const cluster = `c-${at}`;
    const hosts = new Set([`h-${at}`, `h-${at}-b`]);
    const service = `team-${at}-`;
    const kinds: ByHand[] = [
      (pairs) => pairs.cluster === cluster && pairs.env !== "test",
      (pairs) => hosts.has(pairs.host!),
      (pairs) => pairs.service?.startsWith(service) === true,
    ];
    return kinds[at % kinds.length]!;
  });
}

function matchesByHand(rules: readonly ByHand[], header: string): number {
  const pairs = Object.fromEntries(header.split(",").map((pair) => pair.split("=") as [string, string]));
  let found = 0;
  for (const rule of rules) if (rule(pairs)) found++;
  return found === 0 ? 1 : found;
}

export function shardingPairs(): Pair[] {
  return [10, 100, 1000].flatMap((count) => {
    const rules = rulesOf(count);
    const texts = headerTexts(count);
    const hand = byHand(count);
    const wanted = texts.reduce((sum, text) => sum + matchesByHand(hand, text), 0);
    const check = (found: number) => {
      if (found !== wanted) throw new Error(`${found} targets of ${wanted}`);
    };
    const anew = () =>
      check(texts.reduce((sum, text) => sum + decide(rules, text, "/v1/write/logging", "all").entries.length, 0));
    const match = createSinkMatcher(rules);
    return [
      {
        name: `${headers} sink matches over ${count} rules`,
        baseline: "the rules by hand in JS",
        ours: anew,
        theirs: () => check(texts.reduce((sum, text) => sum + matchesByHand(hand, text), 0)),
      },
      {
        name: `${headers} sink matches over ${count} rules, headers seen before`,
        baseline: "decided anew",
        ours: () => check(texts.reduce((sum, text) => sum + match(text, "/v1/write/logging", "all").entries.length, 0)),
        theirs: anew,
      },
    ];
  });
}
