// Asks the gateway at intervals for the scripts of the workspace (a tenant of the platform) and for the
// relations (which assign scripts to names of points), as described in docs/reference/agent.md#scripts. Saves
// the scripts in force in a file. After a start, the agent uses the saved scripts until the first answer.

import type { Log } from "../../telemetry/log.ts";
import { type Sharding, shardingHeaders } from "../ingest/sharding.ts";
import type { Gateway, GatewayAnswer } from "../outputs/gateways.ts";
import type { Scripts } from "../scripts/script-layers.ts";
import type { ScriptSources } from "../scripts/script-sources.ts";
import { keepAnswer, type PullLoop, restoreAnswer, startPullLoop, textOf } from "./pull-loop.ts";
import { type PulledScripts, parsePulledScripts, unchanged } from "./pulled-scripts.ts";

export interface ScriptPullOptions {
  readonly gateway: Gateway;
  readonly scripts: Scripts;
  readonly sharding: Sharding | undefined;
  readonly intervalMs: number;
  /** File in which the gateway's scripts that are in force are saved. */
  readonly file: string;
  readonly log: Log;
}

const subject = "scripts of the gateway";
const none: PulledScripts = { update_time: 0, pipelines: [], relation_update_time: 0, relation: [] };

export function startScriptPull({ gateway, scripts, sharding, intervalMs, file, log }: ScriptPullOptions): PullLoop {
  let inForce = none;
  /**
   * Update times of the scripts and of the relations (which assign scripts to names of points) in the last
   * answers. Both start at 0, so that the first answer contains all scripts and relations.
   */
  let [updateTime, relationTime] = [0, 0];

  const use = (text: string): void => {
    const parsed = parsePulledScripts(text, updateTime);
    if (parsed === undefined) return;
    const { pulled, sources, unknown } = parsed;
    if (pulled.relation_update_time !== unchanged) useRelation(pulled);
    if (sources !== undefined) useScripts(pulled, sources, unknown);
  };

  const useRelation = (pulled: PulledScripts): void => {
    relationTime = pulled.relation_update_time;
    scripts.relate(pulled.relation);
    inForce = { ...inForce, relation_update_time: relationTime, relation: pulled.relation };
  };

  const useScripts = (pulled: PulledScripts, sources: ScriptSources, unknown: readonly string[]): void => {
    updateTime = pulled.update_time;
    const count = Object.values(sources).reduce((sum, each) => sum + Object.keys(each).length, 0);
    inForce = { ...inForce, update_time: updateTime, pipelines: count === 0 ? [] : pulled.pipelines };
    log.info(`${subject}: ${count}, in place of those of before`);
    if (unknown.length > 0) log.warn(`${subject}: unknown category ${unknown.join(", ")}; left out`);
    scripts.setRemote(sources);
    const defaults = inForce.pipelines.filter(({ asDefault }) => asDefault === true);
    scripts.setRemoteDefaults(Object.fromEntries(defaults.map(({ category, name }) => [category, name])));
  };

  const ask = (): Promise<GatewayAnswer> =>
    gateway.call({
      method: "GET",
      path: "/v1/agent/pull",
      query: { remote_pipelines: "true", ts: String(updateTime), relation_ts: String(relationTime) },
      headers: shardingHeaders(sharding),
    });

  const take = (answer: GatewayAnswer): boolean => {
    const text = textOf(answer);
    if (text === undefined) {
      log.debug(`${subject}: 404`);
      return false;
    }
    const before = inForce;
    use(text);
    if (JSON.stringify(inForce) !== JSON.stringify(before)) keep(file, inForce, log);
    return true;
  };

  restoreAnswer(file, use, log);
  [updateTime, relationTime] = [0, 0];
  return startPullLoop({ subject, log, ask, take, intervalMs: () => intervalMs });
}

function keep(file: string, pulled: PulledScripts, log: Log): void {
  try {
    keepAnswer(file, JSON.stringify({ remote_pipelines: pulled }));
  } catch (error) {
    log.warn(`${file}: ${(error as Error).message}; the scripts of the gateway are in force, but not kept`);
  }
}
