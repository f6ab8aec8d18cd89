// The state that outlives an agent when the configuration is reloaded: listeners, connections, waiting requests, the
// lock of the data folder, metrics, and intake processes (further processes that accept writes).

import type { FileHandle } from "node:fs/promises";
import path from "node:path";
import type { Config } from "../../config/schema.ts";
import { lockFolder } from "../../queue/lock/lock.ts";
import type { Log } from "../../telemetry/log.ts";
import { createMetrics, type Metrics } from "../../telemetry/metrics.ts";
import type { KeptPart } from "../inputs/input.ts";
import { endPaused, type Intakes, type PausedIntakes } from "../intake/intakes.ts";
import { type KeptScripts, noKeptScripts } from "../scripts/local-scripts.ts";
import type { Namespace } from "../scripts/namespaces.ts";
import { createScriptErrors, type ScriptErrors } from "../scripts/script-errors.ts";
import { createHttpServers, type HttpServers } from "../serving/http-servers.ts";
import { createListeners } from "../serving/listeners.ts";

export interface KeptState {
  readonly metrics: Metrics;
  readonly httpServers: HttpServers;
  readonly paused: PausedIntakes;
  /**
   * Files that inputs leave open during a reload, for the agent that starts with the new configuration. So deleted
   * files can still be read to their end.
   */
  readonly keptFiles: Map<string, FileHandle>;
  /**
   * Sockets and other resources that inputs leave open during a reload, for the agent that starts with the new
   * configuration. So messages that arrive during the reload are not lost.
   */
  readonly keptParts: Map<string, KeptPart>;
  /**
   * The intake processes (further processes that accept writes), to which the main process may pass connections;
   * undefined while there are none.
   */
  intakes: Intakes | undefined;
  /** Returns the scripts in force that come from the script folder which `config` names. */
  scriptsOf(config: Config): KeptScripts;
  /**
   * Functions that show the compile errors of scripts in the metrics, one for each namespace (scripts of the gateway or
   * of files).
   */
  readonly scriptErrors: Readonly<Record<Namespace, ScriptErrors>>;
  /** Locks the data folder that the configuration names. Throws when another process has locked it. */
  lockFolder(config: Config): Promise<void>;
  listen(config: Config, log: Log, signal?: AbortSignal): Promise<void>;
  urlOf(config: Config): string;
  /** Releases the resources (listeners, locks, scripts) that the given configuration does not need. */
  keepOnly(config: Config): void;
  /** Closes the listeners, so that no more connections are accepted. */
  refuse(): void;
  /**
   * Answers all requests from now on with the status 503, the waiting requests first. Ends the paused intake processes
   * (further processes that accept writes), since no agent will use them again.
   */
  refuseRequests(): Promise<void>;
  /** Closes all kept state. Must be called after the agent is closed. */
  close(): Promise<void>;
}

export function createKeptState(): KeptState {
  const httpServers = createHttpServers();
  const metrics = createMetrics();
  const locks = new Map<string, () => void>();
  const scripts = new Map<string, KeptScripts>();
  const listeners = createListeners((socket, entrance) => {
    const isGiven = entrance === "tcp" && keptState.intakes?.take(socket, httpServers.count) === true;
    if (!isGiven) httpServers.take(socket, entrance === "further");
  });
  const keptState: KeptState = {
    metrics,
    scriptErrors: { remote: createScriptErrors("remote", metrics), default: createScriptErrors("default", metrics) },
    httpServers,
    paused: [],
    keptFiles: new Map(),
    keptParts: new Map(),
    intakes: undefined,
    scriptsOf: (config) => {
      const folder = folderOf(config);
      const known = scripts.get(folder) ?? noKeptScripts();
      scripts.set(folder, known);
      return known;
    },
    lockFolder: async (config) => {
      const folder = folderOf(config);
      if (!locks.has(folder)) locks.set(folder, await lockFolder(folder));
    },
    listen: listeners.open,
    urlOf: (config) => listeners.urlOf(config, httpServers.isSecure),
    keepOnly: (config) => {
      listeners.keepOnly(config);
      for (const [folder, unlock] of locks) {
        if (folder === folderOf(config)) continue;
        unlock();
        locks.delete(folder);
        scripts.delete(folder);
      }
    },
    refuse: listeners.close,
    refuseRequests: async () => {
      httpServers.refuse();
      await endPaused(keptState.paused);
    },
    close: async () => {
      listeners.close();
      await keptState.refuseRequests();
      await httpServers.close(closeMs);
      for (const file of keptState.keptFiles.values()) await file.close().catch(() => {});
      keptState.keptFiles.clear();
      for (const part of keptState.keptParts.values()) await part.close().catch(() => {});
      keptState.keptParts.clear();
      for (const unlock of locks.values()) unlock();
      locks.clear();
    },
  };
  return keptState;
}

const closeMs = 10_000;

function folderOf(config: Config): string {
  return path.resolve(config.data_dir);
}
