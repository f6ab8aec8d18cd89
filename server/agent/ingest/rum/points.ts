// Checks RUM (real user monitoring) points and resolves their error stacks by source maps, in a worker thread
// (docs/reference/agent.md#rum).

import { Key, type Points } from "../../engine.ts";
import type { Platform } from "../../source-maps/names.ts";
import type { SourceMaps } from "../../source-maps/source-maps.ts";
import { StackError } from "../../source-maps/stack-error.ts";
import { textOf } from "../point-text.ts";
import type { RumRules, RumStack, WriteAnswer } from "../write-job.ts";

const measurements = new Set(["view", "resource", "action", "long_task", "error", "telemetry"]);

const appId = new Key("app_id");
const env = new Key("env");
const version = new Key("version");
const sdkName = new Key("sdk_name");
const errorStack = new Key("error_stack");
const resolvedStack = new Key("error_stack_source_base64");

/** Returns the refusal of the first RUM point that breaks a rule; undefined when all points are accepted. */
export function refusedRum(points: Points, { appIds, checkPoints }: RumRules): WriteAnswer | undefined {
  if (appIds.length === 0 && !checkPoints) return undefined;
  for (let at = 0; at < points.length; at++) {
    const point = points.at(at);
    const id = textOf(point, appId);
    if (id === undefined) return { ok: false, code: "agent.badRequest", message: 'invalid key "app_id"' };
    if (appIds.length > 0 && !appIds.includes(id)) {
      return { ok: false, code: "agent.RUMApp_idNotInTheWhiteList", message: "" };
    }
    if (checkPoints && !measurements.has(point.name)) {
      const message = `unknown RUM measurement: ${point.name}`;
      return { ok: false, code: "agent.unknownRUMMeasurement", message };
    }
  }
  return undefined;
}

/**
 * Resolves the error stack of each point that has one. Adds the resolved stack to the point, in base64. Returns one
 * outcome for each stack.
 */
export async function resolveStacks(points: Points, sourceMaps: SourceMaps): Promise<RumStack[]> {
  const outcomes: RumStack[] = [];
  for (let at = 0; at < points.length; at++) {
    if (points.at(at).name !== "error") continue;
    const point = points.at(at);
    const stack = textOf(point, errorStack) ?? "";
    if (stack === "") continue;
    const application = {
      appId: textOf(point, appId) ?? "",
      env: textOf(point, env) ?? "",
      version: textOf(point, version) ?? "",
    };
    const sdk = textOf(point, sdkName) ?? "";
    const note = (status: RumStack["status"]) => outcomes.push({ appId: application.appId, sdkName: sdk, status });
    if (application.appId === "") {
      note("lack-field");
      continue;
    }
    try {
      const resolved = await sourceMaps.resolve(platformOf(sdk), application, stack);
      // While the error stack was being resolved, other code may have moved the cursor of the decoded points. So the
      // point is looked up by its index again.
      points.at(at).setField(resolvedStack, Buffer.from(resolved).toString("base64"));
      note("success");
    } catch (error) {
      if (!(error instanceof StackError)) throw error;
      note(statusOf(error.message));
    }
  }
  return outcomes;
}

function platformOf(sdk: string): Platform {
  if (sdk.includes("miniapp")) return "miniapp";
  if (sdk.includes("android")) return "android";
  return sdk.includes("ios") ? "ios" : "web";
}

function statusOf(message: string): RumStack["status"] {
  if (message.endsWith(" not exists")) return "no-zip";
  return message.includes("the tool [") ? "no-tool" : "error";
}
