// The route GET /v1/sinker/rules (docs/reference/gateway.md#the-rules-in-force), which returns the texts of the
// rules that are in force. Secrets in the texts are left out.

import { maskTokens } from "../../../lib/sharding/index.ts";
import { answerContent } from "../../http/answer.ts";
import type { Gateway } from "../gateway.ts";
import type { Route } from "./route.ts";

/**
 * The rules of one kind, as the route returns them: sink rules (which route requests to targets), or tag rules (which
 * generate the header X-Global-Tags).
 */
interface RulesInForce {
  /**
   * `on`: rules are in force. `off`: no rules are configured. `invalid`: rules are configured, but they cannot be used.
   */
  readonly state: "on" | "off" | "invalid";
  /** The reason why the file of rules was refused when it was last read; empty when it was not refused. */
  readonly fault: string;
  /** The text of the rules that are in force; empty when there are none. */
  readonly text: string;
}

function sinkRules({ sinker }: Gateway): RulesInForce {
  return { state: sinker.state.kind, fault: maskTokens(sinker.fault), text: withoutSecrets(sinker.text ?? "") };
}

function tagRules({ tagging }: Gateway): RulesInForce {
  if (tagging === undefined) return { state: "off", fault: "", text: "" };
  const { text, fault } = tagging;
  return { state: text === undefined ? "invalid" : "on", fault: maskTokens(fault), text: maskedTokens(text ?? "") };
}

/**
 * Returns the text of sink rules (rules that choose the targets of a request) without secrets. The text is
 * parsed as JSON and written anew, because a token that is written with JSON escapes is not recognized in the
 * original text.
 */
function withoutSecrets(text: string): string {
  if (text === "") return "";
  const masked = JSON.parse(text, (_name, value: unknown) =>
    typeof value === "string" ? withoutSecret(value) : value,
  );
  return `${JSON.stringify(masked, null, 2)}\n`;
}

/**
 * Returns a string from the sink rules (rules that choose the targets of a request) without secrets. A URL keeps
 * only its scheme, host, path and token; tokens are masked. A masked token still has the form of a token, so
 * that the rules can still be checked and explained.
 */
function withoutSecret(text: string): string {
  if (!URL.canParse(text) || !/^https?:/i.test(text)) return maskedTokens(text);
  const url = new URL(text);
  const token = url.searchParams.get("token");
  url.username = "";
  url.password = "";
  url.hash = "";
  url.pathname = maskedTokens(url.pathname);
  url.search = token === null ? "" : `?token=${maskedToken(token)}`;
  return url.href;
}

/** Masks a token except for its last five characters. Masks a short token completely. */
function maskedToken(token: string): string {
  return `tkn_${"x".repeat(27)}${token.length < 20 ? "xxxxx" : token.slice(-5).replace(/[^A-Za-z0-9]/g, "x")}`;
}

/** Masks everything in a text that has the form of a token. */
function maskedTokens(text: string): string {
  return text.replace(/(?:tkn|token|tokn)_[A-Za-z0-9]{16,}/g, maskedToken);
}

export const rules: readonly Route[] = [
  {
    method: "GET",
    url: "/v1/sinker/rules",
    isLocal: true,
    handle: async (gateway, { reply }) => {
      reply.header("cache-control", "no-store").header("x-content-type-options", "nosniff");
      return await answerContent(reply, {
        sinks: sinkRules(gateway),
        tags: tagRules(gateway),
        match_mode: gateway.config["sinker.match_mode"],
      });
    },
  },
];
