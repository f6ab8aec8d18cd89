// The worker's routing of points: shard headers from rules and from keys, targets, reasons, and the positions of
// errors.

import { describe, expect, it } from "vitest";
import { mostRoutes, route } from "../../../playground/src/worker/sharding/route.ts";
import type { RoutingJob } from "../../../playground/src/worker/sharding/routing.ts";
import { loadMill } from "./load-mill.ts";

const mill = await loadMill();

const tags = `- category: logging
  filter: "service:app-* AND -env:test"
  fields:
    - { src: log_level, dest: level, remap: { error: critical }, remap_default: other }
    - { src: team, default: unknown }
- fields: [host]
`;
const sinks = JSON.stringify(
  {
    rules: [
      {
        rules: ["{ level = 'critical' }"],
        url: "https://platform.example:9527/?token=tkn_0123456789abcdef0123456789aaaaaa",
        info: "alarms",
      },
      {
        rules: ["{ team in ['pay', 'cart'] }"],
        url: "https://pay.example/?token=tkn_0123456789abcdef0123456789bbbbbb",
      },
      { rules: ["*"], url: "https://platform.example:9527/?token=tkn_0123456789abcdef0123456789cccccc" },
    ],
  },
  null,
  2,
);
const points = `nginx,service=app-web,team=pay log_level="error",message="x" 1
nginx,service=app-web log_level="info" 2
nginx,service=db,env=test log_level="error" 3
`;

const job: RoutingJob = {
  ...{ maker: "rules", tags, keys: "", sinks, matching: "all", points, category: "logging" },
  now: 1_763_719_200_000_000_000n,
};

const routesOf = async (part: Partial<RoutingJob>) => (await route(mill, { ...job, ...part })).routes;

describe("route", () => {
  it("returns the header and the targets of each point", async () => {
    const answer = await route(mill, job);
    expect(answer.routes.map(({ header, targets }) => [header, targets])).toEqual([
      ["level=critical,team=pay", [0, 1]],
      ["level=other,team=unknown", [2]],
      ["", [2]],
    ]);
    expect(answer.targets.map(({ title, points: count, isDefault }) => [title, count, isDefault])).toEqual([
      ["alarms", 1, false],
      ["pay.example", 1, false],
      ["platform.example:9527", 2, true],
    ]);
    expect(answer).toMatchObject({ points: 3, refused: 0, tagProblems: [], sinkProblems: [], pointProblems: [] });
  });

  it("masks tokens everywhere", async () => {
    expect(JSON.stringify(await route(mill, job))).not.toMatch(/tkn_\w{10}/);
  });

  it("explains for each rule and field whether it applies to the point", async () => {
    const [first, , third] = await routesOf({});
    expect(first!.steps[0]).toMatchObject({ title: "Rule 1", applies: true });
    expect(first!.steps[0]!.fields.map(({ text, holds }) => [text, holds])).toEqual([
      ["level=critical", true],
      ["team=pay", true],
    ]);
    expect(first!.steps[1]!.fields).toMatchObject([{ text: "host", holds: false }]);
    expect(third!.steps[0]).toMatchObject({ applies: false, reason: "the filter does not fit the point" });
  });

  it("explains for each entry the outcome and the comparisons", async () => {
    const [, second] = await routesOf({});
    expect(second!.entries.map(({ isTarget, outcome }) => [isTarget, outcome])).toEqual([
      [false, "does not match"],
      [false, "does not match"],
      [true, "default, taken because nothing else matches"],
    ]);
    expect(second!.entries[0]!.conditions[0]!.parts).toEqual([
      { text: "level = 'critical'", holds: false, reason: "level is `other'" },
    ]);
  });

  it("sends a write to the first matching entry only when the job asks for it", async () => {
    const [first] = await routesOf({ matching: "first" });
    expect(first!.targets).toEqual([0]);
    expect(first!.entries[1]!.outcome).toBe("matches, but its url or an earlier entry was taken already");
  });

  it("makes the header from the keys of an agent", async () => {
    const routes = await routesOf({ maker: "keys", keys: "service, source ,, team, service" });
    expect(routes.map(({ header }) => header)).toEqual([
      "service=app-web,team=pay,source=nginx",
      "service=app-web,source=nginx",
      "service=db,source=nginx",
    ]);
    expect(routes[1]!.steps[0]!.fields.map(({ text, holds }) => [text, holds])).toEqual([
      ["service=app-web", true],
      ["source=nginx", true],
      ["team", false],
    ]);
  });

  it("counts the points that a strict gateway refuses", async () => {
    const strict = JSON.stringify({
      strict: true,
      rules: [{ rules: ["{ team = 'pay' }"], url: "https://a.example/?token=t" }],
    });
    const answer = await route(mill, { ...job, sinks: strict });
    expect(answer.refused).toBe(2);
    expect(answer.routes[1]!.targets).toEqual([]);
  });

  it("shows headers without sink rules, and routes without rules for tags", async () => {
    const headers = await route(mill, { ...job, sinks: " " });
    expect(headers).toMatchObject({ targets: [], refused: 0 });
    expect(headers.routes[0]).toMatchObject({ header: "level=critical,team=pay", targets: [], entries: [] });
    expect((await routesOf({ tags: "" }))[0]).toMatchObject({ header: "", targets: [2] });
  });

  it("says that it cannot call a function of the gateway", async () => {
    const [first] = await routesOf({ tags: '"my_set__my_script.make_tags"' });
    expect(first!.steps[0]!.reason).toBe(
      "the gateway calls its function make_tags here; the page has no functions of the gateway",
    );
  });

  it("reads rules that are wrapped in an object", async () => {
    const wrapped = `CUSTOM_INTERNAL_A1_X_GLOBAL_TAGS:\n${tags.replace(/^/gm, "  ")}`;
    expect((await routesOf({ tags: wrapped }))[0]!.header).toBe("level=critical,team=pay");
  });

  it("returns the routes of the first points, and counts all points", async () => {
    const answer = await route(mill, { ...job, points: 'a,team=pay log_level="x"\n'.repeat(mostRoutes + 50) });
    expect(answer.routes).toHaveLength(mostRoutes);
    expect(answer.points).toBe(mostRoutes + 50);
    expect(answer.targets[2]!.points).toBe(mostRoutes + 50);
  });

  it("returns no points for an empty text", async () => {
    expect(await route(mill, { ...job, points: "" })).toMatchObject({ points: 0, routes: [], pointProblems: [] });
  });
});

describe("the check of the texts", () => {
  const placed = (text: string, problems: readonly { message: string; from: number; to: number }[]) =>
    problems.map(({ message, from, to }) => [message, text.slice(from, to)]);

  it.each([
    ["- fields: [host]\n- fields:\n    - { dest: a }\n", "rules[1].fields[0]", "{ dest: a }"],
    ["CUSTOM_INTERNAL_A_X_GLOBAL_TAGS:\n  - fields: 5\n", "rules[0]", "5"],
    ["fields: [1]\n", "rules[0].fields[0]", "1"],
  ])("finds the place in the rules for tags %j", async (text, path, place) => {
    const { tagProblems } = await route(mill, { ...job, tags: text });
    const [[message, found] = []] = placed(text, tagProblems);
    expect(message).toContain(path);
    expect(found?.trim()).toContain(place);
  });

  it("finds the place of a YAML error", async () => {
    const { tagProblems } = await route(mill, { ...job, tags: "- fields: [host\n" });
    expect(tagProblems[0]).toMatchObject({ severity: "error" });
    expect(tagProblems[0]!.message).not.toContain("\n");
  });

  it("marks only the first line of a problem that spans several lines", async () => {
    const text =
      '{\n"rules": [\n{ "rules": ["{}"], "url": "https://a.example/?token=tkn_0123456789abcdef0123456789aaaaaa" }\n]\n}';
    const { sinkProblems } = await route(mill, { ...job, sinks: text });
    expect(placed(text, sinkProblems)).toEqual([['rules: default rule "*" missing', "["]]);
  });

  it("finds the condition with an error in the sink rules", async () => {
    const text = sinks.replace("{ level = 'critical' }", "{ level = 'critical'");
    const { sinkProblems, targets } = await route(mill, { ...job, sinks: text });
    expect(placed(text, sinkProblems)).toEqual([
      ["rules[0].rules[0]: 1:21 parse error: unclosed left brace", `"{ level = 'critical'"`],
    ]);
    expect(targets).toEqual([]);
  });

  it("keeps the routes when the sink rules are not JSON", async () => {
    const { sinkProblems, routes } = await route(mill, { ...job, sinks: '{ "rules": [] }\n  }' });
    expect(sinkProblems[0]!.message).toContain("invalid JSON");
    expect([sinkProblems[0]!.from, sinkProblems[0]!.to]).toEqual([18, 19]);
    expect(routes).toHaveLength(3);
  });

  it("finds the place of an error in the points", async () => {
    const text = "ok f=1\nbad f=\n";
    const { pointProblems, routes } = await route(mill, { ...job, points: text });
    expect(pointProblems).toHaveLength(1);
    expect(text.slice(pointProblems[0]!.from - 1)).toContain("=");
    expect(routes).toEqual([]);
  });
});
