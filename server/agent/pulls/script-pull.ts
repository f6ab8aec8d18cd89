// Asks the gateway for the scripts of the workspace and which points they are for (docs/reference/agent.md#scripts). What is in force is
// kept in a file, for the time between a start and the first answer.

import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { answerText } from "../../outbound/retry-classification.ts";
import type { Log } from "../../telemetry/log.ts";
import { type Sharding, shardingHeaders } from "../ingest/sharding.ts";
import type { Gateway } from "../outputs/gateways.ts";
import type { Scripts } from "../scripts/script-layers.ts";
import { type PulledScripts, parsePulledScripts, unchanged } from "./pulled-scripts.ts";

export interface ScriptPullOptions {
  readonly gateway: Gateway;
  readonly scripts: Scripts;
  readonly sharding: Sharding | undefined;
  readonly intervalMs: number;
  /** Of what is in force. */
  readonly file: string;
  readonly log: Log;
}

export interface ScriptPull {
  close(): void;
}

const none: PulledScripts = { update_time: 0, pipelines: [], relation_update_time: 0, relation: [] };

export function startScriptPull({ gateway, scripts, sharding, intervalMs, file, log }: ScriptPullOptions): ScriptPull {
  /** What is in force. */
  let now = none;
  /** What was answered since the start: everything is fetched anew. */
  let [updateTime, relationTime] = [0, 0];
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let isFailing = false;

  const take = (text: string): void => {
    const parsed = parsePulledScripts(text, updateTime);
    if (parsed === undefined) return;
    const { pulled, sources, unknown } = parsed;
    if (pulled.relation_update_time !== unchanged) {
      relationTime = pulled.relation_update_time;
      scripts.relate(pulled.relation);
      now = { ...now, relation_update_time: relationTime, relation: pulled.relation };
    }
    if (sources !== undefined) {
      updateTime = pulled.update_time;
      const count = Object.values(sources).reduce((sum, each) => sum + Object.keys(each).length, 0);
      now = { ...now, update_time: updateTime, pipelines: count === 0 ? [] : pulled.pipelines };
      log.info(`scripts of the gateway: ${count}, in place of those of before`);
      if (unknown.length > 0) log.warn(`scripts of the gateway: unknown category ${unknown.join(", ")}; left out`);
      scripts.setRemote(sources);
      const inForce = now.pipelines.filter(({ asDefault }) => asDefault === true);
      scripts.setRemoteDefaults(Object.fromEntries(inForce.map(({ category, name }) => [category, name])));
    }
  };

  const failed = (reason: string): void => {
    if (isFailing) log.debug(`scripts of the gateway: ${reason}`);
    else log.warn(`scripts of the gateway: ${reason}; those in force are kept`);
    isFailing = true;
  };

  const ask = async (): Promise<void> => {
    const { status, cause, bytes } = await gateway.call({
      method: "GET",
      path: "/v1/agent/pull",
      query: { remote_pipelines: "true", ts: String(updateTime), relation_ts: String(relationTime) },
      headers: shardingHeaders(sharding),
    });
    if (isClosed) return;
    // A gateway without scripts to give.
    if (status === 404) return log.debug("scripts of the gateway: 404");
    if (status !== 200) return failed(answerText({ status, cause }));
    try {
      const before = now;
      take(Buffer.from(bytes).toString());
      if (JSON.stringify(now) !== JSON.stringify(before)) keep(file, now, log);
      isFailing = false;
    } catch (error) {
      failed((error as Error).message);
    }
  };

  const pull = async (): Promise<void> => {
    await ask();
    if (isClosed) return;
    timer = setTimeout(pull, intervalMs);
    timer.unref();
  };

  try {
    take(readFileSync(file, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") log.warn(`${file}: ${(error as Error).message}`);
  }
  [updateTime, relationTime] = [0, 0];
  void pull();
  return {
    close: () => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

function keep(file: string, now: PulledScripts, log: Log): void {
  try {
    writeFileSync(`${file}.new`, JSON.stringify({ remote_pipelines: now }), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  } catch (error) {
    log.warn(`${file}: ${(error as Error).message}; the scripts of the gateway are in force, but not kept`);
  }
}
