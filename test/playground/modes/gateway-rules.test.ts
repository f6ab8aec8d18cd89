// Tests how the sharding mode gets the rules of the running gateway: how the page asks the agent for the rules,
// and how it reads the agent's answers.

import { describe, expect, it } from "vitest";
import {
  askGatewayRules,
  noRulesText,
  takenText,
  withGatewayRules,
} from "../../../playground/src/modes/sharding/gateway-rules.ts";
import { emptyProject } from "../../../playground/src/state/project.ts";

const answering = (status: number, text: string) =>
  (async () => new Response(text, { status })) as unknown as typeof fetch;
const rules = (sinks: string, tags: string, keys: readonly string[] = [], fault = "") => ({
  ...{ gateway: "http://gw:9528", sinks: { text: sinks, fault }, tags: { text: tags, fault: "" } },
  ...{ matching: "first" as const, keys },
});
const input = { ...emptyProject.sharding, points: "m f=1", tags: "old", sinks: "old", keys: "old" };

describe("the rules of the gateway", () => {
  it("are read from the answer of the agent", async () => {
    const content = {
      gateway: "http://gw:9528",
      sinks: { state: "on", text: "{}", fault: "" },
      tags: { state: "off", text: "", fault: "" },
      ...{ match_mode: "first", keys: ["host", 1] },
    };
    expect(await askGatewayRules(answering(200, JSON.stringify({ content })))).toEqual(rules("{}", "", ["host"]));
  });

  it.each([
    [
      404,
      '{"error_code":"agent.noGatewayRules","message":"this agent knows no gateway: [gateway] urls is empty"}',
      "This agent knows no gateway: [gateway] urls is empty.",
    ],
    [403, '{"error_code":"agent.publicAccessDisabled","message":"no"}', "Only the page of an agent on this machine"],
    [404, "<html>404</html>", "This page comes from no agent"],
    [200, "<html>index</html>", "This page comes from no agent"],
    [404, '{"error_code":"agent.notFound"}', "This page comes from no agent"],
    [503, '{"error_code":"agent.notReady","message":"it stops"}', "The agent answered with the status 503: it stops."],
  ])("are missing with the reason when the agent answers %i %s", async (status, text, reason) => {
    await expect(askGatewayRules(answering(status, text))).rejects.toThrow(reason);
  });

  it("are missing when nothing answers", async () => {
    const broken = (async () => {
      throw new TypeError("failed to fetch");
    }) as unknown as typeof fetch;
    await expect(askGatewayRules(broken)).rejects.toThrow("The agent does not answer.");
  });

  it.each([
    [
      "both",
      rules("{}", "- a"),
      { maker: "rules", sinks: "{}", tags: "- a", keys: "", matching: "first", points: "m f=1" },
    ],
    [
      "sink rules and keys",
      rules("{}", "", ["host", "env"]),
      { maker: "keys", sinks: "{}", tags: "", keys: "host, env" },
    ],
    ["rules for tags alone", rules("", "- a", ["host"]), { maker: "rules", sinks: "", tags: "- a", keys: "host" }],
  ])("replace the rules of the page (%s) and keep the points", (_, taken, expected) => {
    expect(withGatewayRules(input, taken)).toMatchObject(expected);
  });

  it("change nothing on the page when the gateway has no rules", () => {
    expect(withGatewayRules(input, rules("", ""))).toBeNull();
    expect(noRulesText(rules("", ""))).toContain("has neither sink rules nor rules for tags");
    expect(noRulesText(rules("", "", [], "invalid JSON"))).toContain("cannot use its rules: invalid JSON.");
  });

  it.each([
    [
      rules("{}", "- a"),
      "The sink rules and rules for tags of http://gw:9528 are in the editors. Tokens in them are masked.",
    ],
    [rules("", "- a"), "The rules for tags of http://gw:9528 are in the editors. It has no sink rules in force."],
    [rules("{}", "", ["host"]), "The sink rules and shard keys of the agent of http://gw:9528 are in"],
    [
      rules("{}", "", [], "invalid JSON"),
      "The gateway refused its changed file: invalid JSON. These are the rules before.",
    ],
  ])("are announced with the kinds of rules that were found and that are missing", (taken, text) => {
    expect(takenText(taken)).toContain(text);
  });
});
