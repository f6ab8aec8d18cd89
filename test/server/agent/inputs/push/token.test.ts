// The token of a pushed request, which may be in the header Authorization or in a query parameter.

import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import type { PushRefusal } from "../../../../../server/agent/inputs/push/push.ts";
import { checkToken } from "../../../../../server/agent/inputs/push/token.ts";
import type { Call } from "../../../../../server/agent/serving/route.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");

function outcome(token: string, authorization: string | undefined, query = ""): string {
  const raw = { headers: authorization === undefined ? {} : { authorization } } as IncomingMessage;
  try {
    checkToken({ request: { raw } as Call["request"], query: new URLSearchParams(query) }, token);
    return "taken";
  } catch (error) {
    return (error as PushRefusal).kind;
  }
}

describe("a token", () => {
  it.each([
    ["", undefined, "", "taken"],
    ["t", undefined, "", "no token"],
    ["t", "", "", "no token"],
    ["t", "Bearer t", "", "taken"],
    ["t", "bearer  t", "", "taken"],
    ["t", "Splunk t", "", "taken"],
    ["t", "Token t", "", "taken"],
    ["t", "Token user:t", "", "taken"],
    ["a:b", "Token a:b", "", "taken"],
    ["t", `Basic ${base64("user:t")}`, "", "taken"],
    ["a:b", `Basic ${base64("user:a:b")}`, "", "taken"],
    ["t", `Basic ${base64("t:user")}`, "", "wrong token"],
    ["t", `ApiKey ${base64("id:t")}`, "", "taken"],
    ["id:t", `ApiKey ${base64("id:t")}`, "", "taken"],
    ["t", "Bearer tt", "", "wrong token"],
    ["t", "Bearer", "", "no token"],
    ["t", undefined, "p=t", "taken"],
    ["t", undefined, "token=t", "taken"],
    ["t", undefined, "token=x", "wrong token"],
    ["t", "Bearer x", "p=t", "taken"],
  ])("%s is required, the header %s and the query %s are sent: %s", (token, authorization, query, expected) => {
    expect(outcome(token, authorization, query)).toBe(expected);
  });
});
