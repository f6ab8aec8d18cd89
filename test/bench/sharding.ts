// Benchmarks of matching sharding headers (key-value pairs of a request) against sink rules. The baseline is
// handwritten JavaScript for the same rules. Both Millrace and the baseline split each header once. Millrace's
// matcher caches the result for each header. A second benchmark compares cached results with a new decision for
// each header.

import { createSinkMatcher, decide } from "../../lib/sharding/match-sink-rules.ts";
import { loadSinkRules, type SinkRules } from "../../lib/sharding/sink-rules.ts";
import { Dice } from "./data/dice.ts";
import { lazy, type Pair } from "./measure.ts";

const headers = 1000;

/**
 * Returns sink rules. A third of the rules test equality, a third test membership in a list, and a third test a
 * wildcard pattern.
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

type RuleTexts = readonly { readonly rules: readonly string[] }[];

function fileOf(texts: RuleTexts): string {
  const entries = texts.map((entry, at) => ({ ...entry, url: `http://target-${at}/?token=t` }));
  return JSON.stringify({ strict: false, rules: [...entries, { rules: ["*"], url: "http://default/?token=t" }] });
}

function rulesOf(texts: RuleTexts): SinkRules {
  const { rules, problems } = loadSinkRules(fileOf(texts));
  if (rules === undefined) throw new Error(JSON.stringify(problems));
  return rules;
}

/** Returns sharding headers. Every tenth header matches no sink rule. */
function headerTexts(count: number): string[] {
  return Array.from({ length: headers }, (_, at) => {
    const rule = at % 10 === 9 ? count + 1 : (at * 7) % count;
    return `cluster=c-${rule},host=h-${rule},service=team-${rule}-web,env=prod`;
  });
}

type Pairs = Readonly<Record<string, string>>;
type ByHand = (pairs: Pairs) => boolean;

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

interface VariedRule {
  readonly text: string;
  readonly byHand: ByHand;
}

const regions = ["eu-1", "eu-2", "us-1", "us-2", "ap-1"];

/**
 * Rules of ten kinds, from a single equality to blocks with "or", lists, regular expressions and conditions on missing
 * keys.
 */
function variedRules(count: number): VariedRule[] {
  const dice = new Dice(31);
  return Array.from({ length: count }, (_, at): VariedRule => {
    const region = dice.pick(regions);
    const team = `t${dice.below(count)}`;
    const hosts = Array.from({ length: dice.within([2, 12]) }, (_, n) => `h-${at}-${n}`);
    const listed = new Set(hosts);
    const list = `['${hosts.join("', '")}']`;
    const prefix = new RegExp(`^app-${at}-[0-9]+$`);
    const forms: VariedRule[] = [
      { text: `{ cluster = 'c-${at}' }`, byHand: (pairs) => pairs.cluster === `c-${at}` },
      {
        text: `{ cluster = 'c-${at}' and region != '${region}' }`,
        byHand: (pairs) => pairs.cluster === `c-${at}` && pairs.region !== region,
      },
      { text: `{ host in ${list} }`, byHand: (pairs) => listed.has(pairs.host!) },
      {
        text: `{ team = '${team}' and host in ${list} }`,
        byHand: (pairs) => pairs.team === team && listed.has(pairs.host!),
      },
      { text: `{ service match 'app-${at}-*' }`, byHand: (pairs) => pairs.service?.startsWith(`app-${at}-`) === true },
      {
        text: `{ service = re('^app-${at}-[0-9]+$') }`,
        byHand: (pairs) => pairs.service !== undefined && prefix.test(pairs.service),
      },
      {
        text: `{ cluster = 'c-${at}' or host = 'h-${at}-0' and env != 'test' }`,
        byHand: (pairs) => pairs.cluster === `c-${at}` || (pairs.host === `h-${at}-0` && pairs.env !== "test"),
      },
      {
        text: `{ team = '${team}' and owner = nil }`,
        byHand: (pairs) => pairs.team === team && pairs.owner === undefined,
      },
      {
        text: `{ region = '${region}', service = 'app-${at}-1' }; { host = 'h-${at}-1' }`,
        byHand: (pairs) => (pairs.region === region && pairs.service === `app-${at}-1`) || pairs.host === `h-${at}-1`,
      },
      {
        text: `{ host match '*-${at}-1' and env in ['prod', 'gray'] }`,
        byHand: (pairs) => pairs.host?.endsWith(`-${at}-1`) === true && (pairs.env === "prod" || pairs.env === "gray"),
      },
    ];
    return dice.pick(forms);
  });
}

/** Different headers of 1 to 9 pairs in random order; a tenth of them matches no rule. */
function variedHeaders(count: number): string[] {
  const dice = new Dice(37);
  return Array.from({ length: headers }, (_, at) => {
    const rule = at % 10 === 9 ? count + 1 : dice.below(count);
    const pairs = [
      `cluster=c-${rule}`,
      `host=h-${rule}-${dice.below(12)}`,
      `service=app-${rule}-${dice.below(1000)}`,
      `team=t${rule}`,
      `region=${dice.pick(regions)}`,
      `env=${dice.pick(["prod", "gray", "test"])}`,
      `owner=${dice.word(3, 12)}`,
      `rack=r${dice.below(40)}`,
    ].filter(() => dice.chance(0.6));
    return dice.shuffled([...pairs, `id=${at}`]).join(",");
  });
}

interface Work {
  readonly rules: SinkRules;
  readonly headers: readonly string[];
  readonly byHand: readonly ByHand[];
}

function regularWork(count: number): Work {
  return { rules: rulesOf(ruleTexts(count)), headers: headerTexts(count), byHand: byHand(count) };
}

function variedWork(count: number): Work {
  const rules = variedRules(count);
  return {
    rules: rulesOf(rules.map(({ text }) => ({ rules: [text] }))),
    headers: variedHeaders(count),
    byHand: rules.map(({ byHand }) => byHand),
  };
}

/** Returns a file of sink rules with `count` varied rules. */
export function variedRuleFile(count: number): string {
  return fileOf(variedRules(count).map(({ text }) => ({ rules: [text] })));
}

export function shardingPairs(): Pair[] {
  const kinds = [
    { kind: "", make: regularWork },
    { kind: "varied ", make: variedWork },
  ];
  return kinds.flatMap(({ kind, make }) =>
    [10, 100, 1000, 10_000].flatMap((count) => {
      const work = lazy(() => {
        const { rules, headers: texts, byHand: hand } = make(count);
        const matched = (text: string): number => decide(rules, text, "/v1/write/logging", "all").entries.length;
        for (const text of texts) {
          const [found, wanted] = [matched(text), matchesByHand(hand, text)];
          if (found !== wanted) throw new Error(`${text}: ${found} targets of ${wanted}`);
        }
        const match = createSinkMatcher(rules);
        return {
          anew: () => texts.reduce((sum, text) => sum + matched(text), 0),
          seen: () => texts.reduce((sum, text) => sum + match(text, "/v1/write/logging", "all").entries.length, 0),
          byHand: () => texts.reduce((sum, text) => sum + matchesByHand(hand, text), 0),
        };
      });
      const pairs: Pair[] = [
        {
          name: `${headers} ${kind}sink matches over ${count} rules`,
          baseline: "the rules by hand in JS",
          ours: () => void work().anew(),
          theirs: () => void work().byHand(),
        },
      ];
      // The matcher keeps the result for each header in a cache, so its time does not depend on the number of rules.
      // The baseline has no cache and would take seconds with more than 1,000 rules, so it runs only up to this number.
      if (count <= 1000)
        pairs.push({
          name: `${headers} ${kind}sink matches over ${count} rules, headers seen before`,
          baseline: "decided anew",
          ours: () => void work().seen(),
          theirs: () => void work().anew(),
        });
      return pairs;
    }),
  );
}
