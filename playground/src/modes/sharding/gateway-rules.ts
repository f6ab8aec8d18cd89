// Requests the rules of the running gateway, through the agent that serves the page
// (docs/reference/agent.md#the-rules-of-the-gateway).

import type { ShardingInput } from "../../state/project.ts";
import { t } from "../../text/translate.ts";
import type { Matching } from "../../worker/sharding/routing.ts";

/**
 * Rules of one kind (sink rules or rules for tags), and the reason why the gateway refused their file when it last read
 * it; empty when it accepted the file.
 */
interface RulesInForce {
  readonly text: string;
  readonly fault: string;
}

export interface GatewayRules {
  /** The origin of the gateway, such as `http://127.0.0.1:9528`. */
  readonly gateway: string;
  readonly sinks: RulesInForce;
  readonly tags: RulesInForce;
  readonly matching: Matching;
  /** The shard keys of the agent. */
  readonly keys: readonly string[];
}

type Members = Readonly<Record<string, unknown>>;

const membersOf = (value: unknown): Members => (typeof value === "object" && value !== null ? (value as Members) : {});
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** Requests the rules of the gateway. Throws an Error that tells the user why the page gets no rules. */
export async function askGatewayRules(send: typeof fetch): Promise<GatewayRules> {
  let response: Response;
  let body: Members = {};
  try {
    response = await send("openapi/gateway-rules", { cache: "no-store" });
  } catch {
    throw new Error(t("The agent does not answer. Is it still running?"));
  }
  try {
    body = membersOf(await response.json());
  } catch {
    // A server that is not an agent may answer without JSON. The body then stays empty, and the function throws an
    // error below.
  }
  if (!response.ok || typeof membersOf(body.content).gateway !== "string")
    throw new Error(refusal(response.status, body));
  const { gateway, sinks, tags, match_mode, keys } = membersOf(body.content);
  return {
    gateway: textOf(gateway),
    sinks: rulesOf(sinks),
    tags: rulesOf(tags),
    matching: match_mode === "first" ? "first" : "all",
    keys: Array.isArray(keys) ? keys.filter((key) => typeof key === "string") : [],
  };
}

function rulesOf(given: unknown): RulesInForce {
  const { text, fault } = membersOf(given);
  return { text: textOf(text), fault: textOf(fault) };
}

function refusal(status: number, { error_code, message }: Members): string {
  if (error_code === "agent.publicAccessDisabled")
    return t("Only the page of an agent on this machine may ask for the rules. Choose the gateway's files instead.");
  const reason = textOf(message);
  if (error_code === "agent.noGatewayRules" && reason !== "") return `${reason[0]!.toUpperCase()}${reason.slice(1)}.`;
  if (status === 404 || status === 405 || status === 200)
    return t("This page comes from no agent, or from one of an older version. Choose the gateway's files instead.");
  return reason === ""
    ? t("The agent answered with the status {status}.", { status })
    : t("The agent answered with the status {status}: {reason}.", { status, reason });
}

/**
 * Returns the input with its rules replaced by the rules of the gateway; its points stay. When the gateway has no rules
 * for tags, the shard keys of the agent make the header X-Global-Tags. Null when there are neither rules nor shard
 * keys.
 */
export function withGatewayRules(
  input: ShardingInput,
  { sinks, tags, matching, keys }: GatewayRules,
): ShardingInput | null {
  if (sinks.text === "" && tags.text === "" && keys.length === 0) return null;
  const maker = tags.text === "" && keys.length > 0 ? "keys" : "rules";
  return { ...input, maker, tags: tags.text, sinks: sinks.text, matching, keys: keys.join(", ") };
}

/**
 * Returns a sentence for the user. It says which rules the page has copied from the gateway, which rules it has not
 * copied, and how the copied rules differ from the gateway's files.
 */
export function takenText({ gateway, sinks, tags, keys }: GatewayRules): string {
  const taken = [
    ...(sinks.text === "" ? [] : [t("sink rules")]),
    ...(tags.text === "" ? [] : [t("rules for tags")]),
    ...(tags.text === "" && keys.length > 0 ? [t("shard keys of the agent")] : []),
  ];
  const faults = [sinks.fault, tags.fault].filter((fault) => fault !== "").join("; ");
  return [
    t("The {rules} of {gateway} are in the editors.", { rules: taken.join(t(" and ")), gateway }),
    t(sinks.text === "" ? "It has no sink rules in force." : "Tokens in them are masked."),
    ...(faults === ""
      ? []
      : [t("The gateway refused its changed file: {faults}. These are the rules before.", { faults })]),
  ].join(" ");
}

/** Returns the reason why the page could copy no rules from the gateway. */
export function noRulesText({ gateway, sinks, tags }: GatewayRules): string {
  const faults = [sinks.fault, tags.fault].filter((fault) => fault !== "").join("; ");
  return faults === ""
    ? t("The gateway {gateway} has neither sink rules nor rules for tags.", { gateway })
    : t("The gateway {gateway} cannot use its rules: {faults}.", { gateway, faults });
}
