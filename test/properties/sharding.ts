// Properties of every header X-Global-Tags, condition and set of sink rules. `npm test` tries each property a bounded
// number of times; `npm run fuzz` tries it until its time is over.

import fc from "fast-check";
import { compileCondition } from "../../lib/filter/condition.ts";
import { ConditionError } from "../../lib/filter/errors.ts";
import { explain } from "../../lib/sharding/explain.ts";
import { createGlobalTags } from "../../lib/sharding/global-tags.ts";
import { formatHeader, fromHeaderBytes, parseHeader, toHeaderBytes } from "../../lib/sharding/header.ts";
import { HeaderSubject } from "../../lib/sharding/header-subject.ts";
import { createSinkMatcher, decide, type MatchMode } from "../../lib/sharding/match-sink-rules.ts";
import { compileSearchFilter, SearchFilterError } from "../../lib/sharding/search-filter.ts";
import { loadSinkRules, type SinkRules } from "../../lib/sharding/sink-rules.ts";
import type { Property } from "./properties.ts";
import { ensure, same } from "./same.ts";

const words =
  "{ } ( ) [ ] , ; = == != > >= < <= + - * / % ^ . ! & | && || a b `c-d` 'x' \"y\" 'it''s' 12 -3.5 0x1f 5m 12a and OR in notin match NOTMATCH true nil re identifier filter # \n ' ` \\ 中 😀 re('x') ['a','b']";
const soup = fc.array(fc.constantFrom(...words.split(" ")), { maxLength: 16 }).map((parts) => parts.join(" "));
const anyText = fc.string({ unit: "binary", maxLength: 30 });

/** Parses a condition. Throws an error when the parser reports a mistake at a position outside of the text. */
function readCondition(text: string): void {
  try {
    compileCondition(text).matches(new HeaderSubject("a=x,b=12", "/p"));
  } catch (error) {
    if (!(error instanceof ConditionError)) throw error;
    const lines = text.split("\n");
    ensure(error.line >= 1 && error.line <= lines.length, `line ${error.line}`);
    // An error may be at the end of the text, so its column may be one after the end of the line. For a closing bracket
    // without an opening one, the column may be two after the end.
    const longest = new TextEncoder().encode(lines[error.line - 1]).length + 2;
    ensure(error.column >= 1 && error.column <= longest, `column ${error.column}`);
    ensure(error.reason !== "", "a reason");
  }
}

interface Model {
  readonly text: string;
  readonly holds: (pairs: ReadonlyMap<string, string>) => boolean;
}

const quote = (text: string) => `'${text.replace(/[\\']/g, "\\$&")}'`;
const keyText = (key: string) => (/^[a-z]+$/.test(key) ? key : `\`${key}\``);
const key: fc.Arbitrary<string> = fc.constantFrom("a", "b", "key-c", "中");
const value: fc.Arbitrary<string> = fc.constantFrom("", "x", "xy", "it's", "a\\b", "12", "中文");

const leaf: fc.Arbitrary<Model> = fc.oneof(
  fc.tuple(key, value).map(([k, v]) => ({
    text: `${keyText(k)} = ${quote(v)}`,
    holds: (pairs: ReadonlyMap<string, string>) => pairs.get(k) === v,
  })),
  fc.tuple(key, value).map(([k, v]) => ({
    text: `${keyText(k)} != ${quote(v)}`,
    holds: (pairs: ReadonlyMap<string, string>) => pairs.get(k) !== v,
  })),
  fc.tuple(key, fc.boolean()).map(([k, isNil]) => ({
    text: `${keyText(k)} ${isNil ? "=" : "!="} nil`,
    holds: (pairs: ReadonlyMap<string, string>) => pairs.has(k) !== isNil,
  })),
  fc.tuple(key, fc.array(value, { maxLength: 3 }), fc.boolean()).map(([k, list, isIn]) => ({
    text: `${keyText(k)} ${isIn ? "IN" : "notin"} [${list.map(quote).join(", ")}]`,
    holds: (pairs: ReadonlyMap<string, string>) => list.includes(pairs.get(k) ?? "none") === isIn,
  })),
  fc.tuple(key, value, fc.boolean()).map(([k, v, isMatch]) => ({
    text: `${keyText(k)} ${isMatch ? "match" : "notmatch"} ${quote(`${v.replaceAll("\\", "\\\\")}*`)}`,
    holds: (pairs: ReadonlyMap<string, string>) => pairs.get(k)?.startsWith(v) === isMatch,
  })),
);

const { expression } = fc.letrec<{ expression: Model }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc
      .tuple(tie("expression"), tie("expression"), fc.constantFrom("and", "OR", "&&", "||"))
      .map(([left, right, op]): Model => {
        const isAnd = op === "and" || op === "&&";
        return {
          text: `(${left.text}) ${op} (${right.text})`,
          holds: (pairs) => (isAnd ? left.holds(pairs) && right.holds(pairs) : left.holds(pairs) || right.holds(pairs)),
        };
      }),
  ),
}));

/** Tags of a sharding header. A value with a comma is left out, because the header cannot express it. */
const pairs = fc.dictionary(
  key,
  value.filter((text) => text !== "it's"),
  { maxKeys: 3, noNullPrototype: true },
);
const headerText = (dictionary: Readonly<Record<string, string>>) =>
  Object.entries(dictionary)
    .map(([name, each]) => `${name}=${each}`)
    .join(",");

const madeUpHeader = fc.string({ unit: fc.constantFrom(..."a=, b\t中=,"), maxLength: 40 });

/** Sink rules with one condition each; the last rule is the default. */
const sinkRules = fc.array(fc.tuple(expression, fc.constantFrom("x", "y", "z")), { maxLength: 5 }).map((entries) => {
  const file = {
    rules: [
      ...entries.map(([{ text }, to]) => ({ rules: [`{ ${text} }`], url: `http://${to}/?token=t` })),
      { rules: ["*"], url: "http://rest/?token=t" },
    ],
  };
  const { rules } = loadSinkRules(JSON.stringify(file));
  if (rules === undefined) throw new Error(`no rules: ${JSON.stringify(file)}`);
  return { rules, entries };
});

/** Comparisons of every kind, as texts. The index of sink rules handles each kind in its own way. */
const anyComparison: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom("a", "b", "`key-c`", "__made_up_api"), fc.constantFrom("", "x", "xy", "xyx", "y", "/p", "12"))
  .chain(([k, v]) =>
    fc.constantFrom(
      `${k} = '${v}'`,
      `${k} != '${v}'`,
      `${k} < '${v}'`,
      `${k} >= 12`,
      `${k} = 12`,
      `${k} != 12`,
      `${k} = nil`,
      `${k} != nil`,
      `${k} < nil`,
      `${k} in ['${v}', 'x', 12]`,
      `${k} in [nil, '${v}']`,
      `${k} in [re('^${v}'), 'y']`,
      `${k} notin ['${v}']`,
      `${k} notin [nil, '${v}']`,
      `${k} match '${v}'`,
      `${k} match '${v}*'`,
      `${k} match '*${v}'`,
      `${k} match '?${v}'`,
      `${k} match 'x*${v}'`,
      `${k} match '*'`,
      `${k} notmatch '${v}*'`,
      `${k} match ['^${v}x?$', '^y']`,
      `${k} notmatch ['^${v}']`,
      `${k} = re('^(?:${v}|${v}x)y*$')`,
      `${k} = re('(?i)^${v}')`,
      `${k} = re('(^x)+${v}')`,
      `${k} != re('^${v}')`,
      "1 = 1",
      "'x' = 'y'",
      "'x' in ['x']",
    ),
  );

const anyCondition = fc
  .array(fc.tuple(anyComparison, fc.constantFrom(" and ", " or ", ", ", " }; { ")), { maxLength: 4 })
  .map((terms) => `{ ${terms.map(([text, joint], at) => (at === 0 ? text : joint + text)).join("")} }`)
  .filter((text) => {
    try {
      compileCondition(text);
      return true;
    } catch {
      return false;
    }
  });

const anyRules = fc
  .array(fc.tuple(fc.array(anyCondition, { minLength: 1, maxLength: 3 }), fc.constantFrom(..."tuvwxyz")), {
    maxLength: 12,
  })
  .map((entries) => {
    const rules = entries.map(([texts, to]) => ({ rules: texts, url: `http://${to}/?token=t` }));
    const loaded = loadSinkRules(JSON.stringify({ strict: true, rules })).rules;
    if (loaded === undefined) throw new Error(`no rules: ${JSON.stringify(rules)}`);
    return loaded;
  });

/**
 * Decides in a simple way, without an index, to which sinks the rules send a request: tests every condition of every
 * entry. Returns the indexes of the entries that select a sink.
 */
function decidedPlainly({ entries }: SinkRules, header: string, path: string, mode: MatchMode): number[] {
  const subject = new HeaderSubject(header, path);
  const fitting = entries.filter(({ conditions }) => conditions.some((condition) => condition.matches(subject)));
  const firsts = fitting.filter(({ url }, at) => fitting.findIndex((other) => other.url === url) === at);
  return (mode === "first" ? firsts.slice(0, 1) : firsts).map(({ index }) => index);
}

export const shardingProperties: readonly Property[] = [
  {
    name: "the index of sink rules finds the entries that testing every condition finds",
    runs: 300,
    property: fc.property(
      anyRules,
      fc.array(
        fc.tuple(
          fc.array(fc.constantFrom("a=", "b=", "key-c=", "__made_up_api=", ",", "x", "xy", "y", "12", " "), {
            maxLength: 10,
          }),
          fc.constantFrom("/p", "xy", ""),
          fc.constantFrom<MatchMode>("all", "first"),
        ),
        { minLength: 1, maxLength: 4 },
      ),
      (rules, requests) => {
        for (const [parts, path, mode] of requests) {
          const found = decide(rules, parts.join(""), path, mode).entries.map(({ index }) => index);
          same(found, decidedPlainly(rules, parts.join(""), path, mode));
        }
      },
    ),
  },
  {
    name: "tokens of conditions are a condition or a mistake with its place",
    runs: 1500,
    property: fc.property(soup, fc.boolean(), (inner, isBraced) => readCondition(isBraced ? `{ ${inner} }` : inner)),
  },
  {
    name: "any text is a condition or a mistake with its place",
    runs: 1500,
    property: fc.property(anyText, readCondition),
  },
  {
    name: "a condition holds where its model holds: blocks are alternatives, commas are not",
    runs: 1500,
    property: fc.property(
      fc.array(fc.array(expression, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
      pairs,
      (model, dictionary) => {
        const text = model.map((block) => `{ ${block.map((each) => each.text).join(", ")} }`).join("; # or\n");
        const known = new Map(Object.entries(dictionary));
        const wanted = model.some((block) => block.every((each) => each.holds(known)));
        same(compileCondition(text).matches(new HeaderSubject(headerText(dictionary), "/p")), wanted);
      },
    ),
  },
  {
    name: "a condition binds `and` tighter than `or`",
    runs: 1500,
    property: fc.property(
      fc.array(fc.tuple(leaf, fc.constantFrom("and", "or")), { minLength: 1, maxLength: 6 }),
      pairs,
      (terms, dictionary) => {
        const text = `{ ${terms.map(([{ text: each }, op], at) => (at === 0 ? each : `${op} ${each}`)).join(" ")} }`;
        const known = new Map(Object.entries(dictionary));
        const alternatives: boolean[] = [];
        for (const [at, [term, op]] of terms.entries()) {
          if (at === 0 || op === "or") alternatives.push(term.holds(known));
          else alternatives.push(alternatives.pop()! && term.holds(known));
        }
        const found = compileCondition(text).matches(new HeaderSubject(headerText(dictionary), "/p"));
        same(found, alternatives.includes(true));
      },
    ),
  },
  {
    name: "a header is read back but for what it cannot hold",
    runs: 500,
    property: fc.property(
      fc.uniqueArray(
        fc.tuple(
          fc
            .string({ unit: "binary", minLength: 1, maxLength: 8 })
            .filter((text) => !/[,=\0-\x1f\x7f]|^ | $/.test(text)),
          fc.string({ unit: "binary", maxLength: 12 }).filter((text) => !/,/.test(text)),
        ),
        { selector: ([name]) => name, maxLength: 6 },
      ),
      (list) => {
        const kept = list
          .map(([name, text]): [string, string] => [name, text.replace(/[\0-\x1f\x7f]+/g, " ").trim()])
          .filter(([, text]) => text !== "");
        const header = formatHeader(list);
        same([...parseHeader(header)], kept);
        ensure(!/[\0-\x1f\x7f]/.test(header), "no control character");
        same(toHeaderBytes(fromHeaderBytes(toHeaderBytes(header))), toHeaderBytes(header));
      },
    ),
  },
  {
    name: "a made-up header is read without an error, each key once and never empty",
    runs: 1000,
    property: fc.property(madeUpHeader, (header) => {
      // Every value that the parser returns must occur in the header. The comparison ignores spaces before and after
      // commas.
      const squeezed = header.replaceAll(/ *, */g, ",");
      for (const [name, text] of parseHeader(header)) {
        ensure(!/^$|[,=]/.test(name), `the key ${JSON.stringify(name)}`);
        ensure(squeezed.includes(text.replace(/ +$/, "")), `the value ${JSON.stringify(text)}`);
      }
    }),
  },
  {
    name: "sink rules send where their models say, remembered or not, and explain it so",
    runs: 500,
    property: fc.property(
      sinkRules,
      pairs,
      fc.constantFrom<MatchMode>("all", "first"),
      ({ rules, entries }, dictionary, mode) => {
        const header = headerText(dictionary);
        const known = new Map(Object.entries(dictionary));
        const fitting = entries.flatMap(([model, to]) => (model.holds(known) ? [to] : []));
        const wanted = fitting.length === 0 ? ["rest"] : [...new Set(mode === "first" ? fitting.slice(0, 1) : fitting)];
        const decision = decide(rules, header, "/p", mode);
        same(
          decision.entries.map(({ url }) => new URL(url).host),
          wanted,
        );
        const match = createSinkMatcher(rules);
        for (let turn = 0; turn < 2; turn++) {
          const again = match(header, "/p", mode);
          ensure(again.result === decision.result && again.entries.length === decision.entries.length, "the same");
        }
        const explained = explain(rules, header, "/p", mode);
        for (const { entry, matches, isTarget, conditions } of explained.entries) {
          same(isTarget, decision.entries.includes(entry));
          same(matches, entries[entry.index]?.[0].holds(known) ?? false);
          same(
            conditions.some((each) => each.matches),
            matches,
          );
        }
      },
    ),
  },
  {
    name: "any text is sink rules or a mistake, and any filter of tag rules too",
    runs: 1000,
    property: fc.property(fc.oneof(soup, anyText), fc.jsonValue({ maxDepth: 3 }), (text, json) => {
      loadSinkRules(text);
      loadSinkRules(JSON.stringify({ strict: true, rules: [{ rules: [text], url: "http://x/?token=t" }, json] }));
      try {
        compileSearchFilter(text)(() => "x");
      } catch (error) {
        if (!(error instanceof SearchFilterError)) throw error;
      }
    }),
  },
  {
    name: "any configuration gives points a header that is read back, with three keys at most",
    runs: 500,
    property: fc.asyncProperty(fc.jsonValue({ maxDepth: 3 }), anyText, async (json, text) => {
      const point = { measurement: "m", tags: { a: text, b: "x" }, fields: { n: 1 } };
      for (const config of [json, [json], [{ fields: ["a", "b", { dest: text, fixed: text }, json] }]]) {
        const header = await createGlobalTags(config).headerOf("metric", point);
        ensure(parseHeader(header).size <= 3, "three keys at most");
        ensure(!/[\0-\x1f\x7f]/.test(header), "no control character");
      }
    }),
  },
];
