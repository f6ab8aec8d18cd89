// Rate limits of the Open API: requests are counted per minute, the key's limit is checked before the workspace's
// limit, and requests with a wrong key do not count.

import { expect, it } from "vitest";
import { defaults } from "../../../../server/config/schema.ts";
import type { Scope } from "../../../../server/platform/metadata/scope.ts";
import { createRateLimit } from "../../../../server/platform/open-api/access/rate-limit.ts";
import { OpenApiError } from "../../../../server/platform/open-api/protocol/errors.ts";
import { startPlatform } from "./running-platform.ts";

function scopeOf(workspace: string, key: string): Scope {
  return { workspace, pointsId: "", traceId: "", actor: { uuid: key, name: key, roles: [] } };
}

function limitOf(key: number, workspace: number, status = "429") {
  const clock = { ms: 1_700_000_010_000 };
  const config = {
    ...defaults(),
    "open_api.key_requests_per_minute": key,
    "open_api.workspace_requests_per_minute": workspace,
    "open_api.rate_limit_status": status,
  };
  const limit = createRateLimit(config, () => clock.ms);
  const count = (of: string, by: string) => {
    try {
      limit.count(scopeOf(of, by));
      return "taken";
    } catch (error) {
      if (!(error instanceof OpenApiError)) throw error;
      return `${error.status} ${error.code} ${error.headers["retry-after"]}`;
    }
  };
  return { clock, count };
}

it("limits nothing by default", () => {
  const { count } = limitOf(0, 0);
  for (let at = 0; at < 1000; at++) expect(count("w", "k")).toBe("taken");
});

it("limits each key by itself until the window ends", () => {
  const { clock, count } = limitOf(2, 0);
  expect([count("w", "a"), count("w", "a"), count("w", "b")]).toEqual(["taken", "taken", "taken"]);
  // Requests are counted per minute of the clock, and 30 seconds of this minute are left, so the client is told to wait
  // 30 seconds.
  expect(count("w", "a")).toBe("429 TriggerApiAkCurrentLimiting 30");
  clock.ms += 29_999;
  expect(count("w", "a")).toBe("429 TriggerApiAkCurrentLimiting 1");
  clock.ms += 1;
  expect(count("w", "a")).toBe("taken");
});

it("limits all keys of a workspace together, and reports the key's limit first", () => {
  const { count } = limitOf(2, 3);
  expect(["a", "a", "b"].map((key) => count("w", key))).toEqual(["taken", "taken", "taken"]);
  expect(count("w", "b")).toMatch(/^429 TriggerApiWorkspaceCurrentLimiting /);
  expect(count("w", "a")).toMatch(/^429 TriggerApiAkCurrentLimiting /);
  expect(count("other", "c")).toBe("taken");
});

it("answers 401 where that is configured", () => {
  const { count } = limitOf(1, 0, "401");
  count("w", "a");
  expect(count("w", "a")).toMatch(/^401 TriggerApiAkCurrentLimiting /);
});

it("limits over HTTP only requests with a valid key on a known route", async () => {
  const platform = await startPlatform({ config: "[open_api]\nkey_requests_per_minute = 3\n" });
  try {
    for (let at = 0; at < 5; at++) {
      expect((await platform.call("/validate", { key: "wrong" })).status).toBe(403);
      expect((await platform.call("/nothing")).status).toBe(400);
      expect((await platform.call("/validate", { method: "POST" })).status).toBe(405);
    }
    const answers = [];
    // The limit is three requests in each minute of the clock. When a new minute begins between the requests, the
    // platform accepts three more. So at least one of 7 requests is always refused.
    for (let at = 0; at < 7; at++) answers.push(await platform.call("/validate"));
    const refused = answers.find(({ status }) => status !== 200)!;
    expect(answers.slice(0, 3).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(refused.body).toMatchObject({
      code: 429,
      errorCode: "TriggerApiAkCurrentLimiting",
      message: "Too many requests for this API KEY.",
    });
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    expect((await platform.call("/validate", { key: platform.otherKey })).status).toBe(200);
  } finally {
    await platform.stop();
  }
});
