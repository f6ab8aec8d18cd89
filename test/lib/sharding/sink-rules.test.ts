// Sink rules: loading them (docs/reference/gateway.md#sink-rules), matching headers
// (docs/reference/gateway.md#conditions), and explaining a match.

import { describe, expect, it } from "vitest";
import { explain, explanationText } from "../../../lib/sharding/explain.ts";
import { createGlobalTags } from "../../../lib/sharding/global-tags.ts";
import {
  createSinkMatcher,
  decide,
  type MatchMode,
  notMatchedBody,
  targetUrl,
} from "../../../lib/sharding/match-sink-rules.ts";
import { loadSinkRules, type SinkRules } from "../../../lib/sharding/sink-rules.ts";
import { hasTokenShape, maskToken, maskTokens } from "../../../lib/sharding/token.ts";
import { rowsOf } from "./rows.ts";
import loadingTable from "./sink-loading.jsonl?raw";
import matchingTable from "./sink-matching.jsonl?raw";

interface LoadingRow {
  readonly name: string;
  readonly file: unknown;
  /** Expected problems, each with severity and message. */
  readonly problems: readonly (readonly [string, string])[];
}

interface MatchingRow {
  readonly name: string;
  readonly file: unknown;
  readonly header: string;
  readonly mode?: MatchMode;
  /**
   * The sinks (targets) to which the rules send the request, as one letter for each sink: the last letter of its token.
   * Empty when the rules drop the request.
   */
  readonly targets: string;
  readonly result: string;
}

function rulesOf(file: unknown): SinkRules {
  const { rules, problems } = loadSinkRules(JSON.stringify(file));
  if (rules === undefined) throw new Error(JSON.stringify(problems));
  return rules;
}

describe("loading sink rules", () => {
  it.each(rowsOf<LoadingRow>(loadingTable))("$name", ({ file, problems: wanted }) => {
    const { rules, problems } = loadSinkRules(JSON.stringify(file));
    expect(problems.map(({ severity, message }) => [severity, message])).toEqual(wanted);
    expect(rules === undefined).toBe(wanted.some(([severity]) => severity === "error"));
  });

  it.each([
    '{"rules": [{"url": "http://x?token=tkn_0123456789abcdef0123456789abcdef" oops',
    "tkn_0123456789abcdef0123456789abcdef",
    `{"rules": [${" ".repeat(100)}tkn_0123456789abcdef0123456789abcdef]}`,
    "",
  ])("refuses text that is not JSON, and shows no token of it in the message: %s", (text) => {
    const { rules, problems } = loadSinkRules(text);
    expect(rules).toBeUndefined();
    expect(problems).toHaveLength(1);
    expect(problems[0]!.message).toMatch(/^sinker rules: invalid JSON: ./);
    expect(problems[0]!.message).not.toMatch(/tkn|0123/);
  });
});

describe("matching a header", () => {
  it.each(rowsOf<MatchingRow>(matchingTable))(
    "$name: $header",
    ({ file, header, mode = "all", targets, result: wanted }) => {
      const rules = rulesOf(file);
      const { result, entries } = decide(rules, header, "/v1/write/keyevent", mode);
      expect(entries.map(({ token }) => token.at(-1)).join("")).toBe(targets);
      expect(result).toBe(wanted);
      const cached = createSinkMatcher(rules);
      for (let turn = 0; turn < 2; turn++)
        expect(cached(header, "/v1/write/keyevent", mode)).toEqual({ result, entries });
    },
  );

  it("does not cache a long header", () => {
    const knew: boolean[] = [];
    const match = createSinkMatcher(rulesOf(rowsOf<MatchingRow>(matchingTable)[1]!.file), (known) => knew.push(known));
    for (const header of ["host=my-host", "host=my-host"]) expect(match(header, "/p", "all").entries).toHaveLength(2);
    const long = `host=my-host,x=${"y".repeat(5000)}`;
    for (let turn = 0; turn < 2; turn++) expect(match(long, "/p", "all").entries).toHaveLength(2);
    expect(knew).toEqual([false, true]);
  });

  it("returns the exact error body when no rule matches", () => {
    expect(notMatchedBody("host=db-1", "/v1/write/logging")).toBe(
      '{"error_code":"gateway.sinkRulesNotMatched","message":"X-Global-Tags: `host=db-1\', URL: `/v1/write/logging\'"}',
    );
  });

  it("sends to the entry's URL plus the path of the request, with the token of the entry", () => {
    const [plain, prefixed] = rulesOf({
      strict: true,
      rules: [
        { rules: ["{}"], url: "https://u:9/?token=tkn_x" },
        { rules: ["{}"], url: "http://u/in/?token=tkn_y&a=1#x" },
      ],
    }).entries;
    expect(targetUrl(plain!, "/v1/write/rum", "token=mine&precision=s")).toBe(
      "https://u:9/v1/write/rum?token=tkn_x&precision=s",
    );
    expect(targetUrl(prefixed!, "/v1/write/rum")).toBe("http://u/in/v1/write/rum?token=tkn_y&a=1");
  });
});

describe("the explanation of a match", () => {
  const rules = rulesOf({
    strict: false,
    rules: [
      {
        info: "web",
        rules: ["{ host match 'web-*' and env = 'prod' }"],
        url: "http://u/?token=tkn_0123456789abcdef0123456789abcdef",
      },
      { rules: ["{ Region in ['cn'] }", "{ 1 = 1 }"], url: "http://v/?token=short" },
      { rules: ["*"], url: "http://d/?token=short" },
    ],
  });

  it("shows every comparison and the value that it was made with", () => {
    expect(explanationText(explain(rules, "host=web-1,region=cn", "/v1/write/rum", "all"))).toBe(
      [
        "header: host = `web-1', region = `cn'",
        "rules[0] (web) http://u/?token=tkn_***bcdef: does not match",
        "  false { host match 'web-*' and env = 'prod' }",
        "    true  host match 'web-*': host is `web-1'",
        "    false env = 'prod': env is not in the header",
        "rules[1] http://v/?token=***: matches",
        "  false { Region in ['cn'] }",
        "    false Region in ['cn']: Region is not in the header, only region (keys are case-sensitive)",
        "  true  { 1 = 1 }",
        "    true  1 = 1: two constants",
        "rules[2] http://d/?token=***: default, not needed",
        "result: matched, sent to rules[1]",
      ].join("\n"),
    );
  });

  it("says when the default entry is used, and when there is no default entry", () => {
    const withDefault = rulesOf({ rules: [{ rules: ["{ a = '1' }", "*"], url: "http://d/?token=x" }] });
    expect(explanationText(explain(withDefault, "", "/p", "all"))).toContain(
      "default, taken because nothing else matches",
    );
    const without = rulesOf({ strict: true, rules: [{ rules: ["{ a = '1' }"], url: "http://d/?token=x" }] });
    const explanation = explain(without, "", "/p", "all");
    expect(explanation.decision.result).toBe("dropped");
    expect(explanationText(explanation).split("\n")).toEqual([
      "header: no keys",
      "rules[0] http://d/?token=***: does not match",
      "  false { a = '1' }",
      "    false a = '1': a is not in the header",
      "result: dropped with 406, nothing matches and there is no default rule",
    ]);
  });

  it("marks which of the matching entries are targets", () => {
    const twice = rulesOf({
      strict: true,
      rules: [
        { rules: ["{}"], url: "http://d/?token=x" },
        { rules: ["{}"], url: "http://e/?token=x" },
      ],
    });
    expect(explain(twice, "", "/p", "first").entries.map(({ matches, isTarget }) => [matches, isTarget])).toEqual([
      [true, true],
      [true, false],
    ]);
  });
});

describe("common mistakes that the explanation shows", () => {
  const rules = rulesOf({
    strict: true,
    rules: [
      { info: "all", rules: ["{ host != nil }"], url: "http://u/?token=x" },
      { info: "web", rules: ["{ host match 'web-*' }"], url: "http://v/?token=x" },
    ],
  });
  const explained = (header: string, mode: MatchMode) => explanationText(explain(rules, header, "/v1/write/rum", mode));

  it("an earlier rule matches first, so a later rule gets no request", () => {
    const text = explained("host=web-1", "first");
    expect(text).toContain("rules[0] (all) http://u/?token=***: matches\n");
    expect(text).toContain(
      "rules[1] (web) http://v/?token=***: matches, but its url or an earlier entry was taken already",
    );
  });

  it("strict rules without a default entry drop requests that match no rule", () => {
    expect(explained("env=prod", "all")).toMatch(
      /result: dropped with 406, nothing matches and there is no default rule$/,
    );
  });

  it("a numeric field adds no key to the header", async () => {
    const tags = createGlobalTags([{ fields: "host" }]);
    const header = await tags.headerOf("metric", { measurement: "m", tags: {}, fields: { host: 17 } });
    expect(explained(header, "all")).toContain("host match 'web-*': host is not in the header");
  });
});

describe("tokens", () => {
  it.each([
    [`tkn_${"a".repeat(32)}`, true],
    [`token_${"0".repeat(32)}`, true],
    [`tokn_${"A".repeat(24)}`, true],
    [`tkn_${"a".repeat(31)}`, false],
    ["<TOKEN>", false],
  ])("%s has the shape of a token: %s", (token, wanted) => expect(hasTokenShape(token)).toBe(wanted));

  it("are masked, and a full token keeps its prefix and its last five characters", () => {
    expect(maskToken(`tkn_${"a".repeat(27)}vwxyz`)).toBe("tkn_***vwxyz");
    expect(maskToken("tkn_short")).toBe("***");
    expect(maskTokens("http://a/?x=1&token=secret&y=2 http://b?token=secret")).toBe(
      "http://a/?x=1&token=***&y=2 http://b?token=***",
    );
  });

  const token = `tkn_${"0123456789abcdef".repeat(2)}`;

  it.each([
    `http://u:99999/?token=${token}`,
    `ht tp://u/?x=1;token=${token}`,
    `http://[bad/${token}`,
    `ftp://u/?TOKEN=${token}`,
    `http://user:${token}@[::1/?token=x`,
    `http://u:99999/?key=x${token}`,
    "ftp://u/;Token=0123456789",
  ])("do not appear in the error message about an invalid URL: %s", (url) => {
    const { problems } = loadSinkRules(JSON.stringify({ strict: true, rules: [{ rules: ["{ a = '1' }"], url }] }));
    expect(problems[0]!.message).toMatch(/^sinker rules\[0\]: invalid url "/);
    for (const { message } of problems) expect(message).not.toMatch(/0123456789/);
  });
});
