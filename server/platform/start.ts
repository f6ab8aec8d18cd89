// Starts the components of the platform: the points store first and the HTTP server last. Stops them in reverse
// order.

import { readFileSync } from "node:fs";
import path from "node:path";
import { durationMs } from "../config/go-duration.ts";
import { parseListenAddress } from "../config/listen-address.ts";
import { retentionByCategory } from "../config/retention.ts";
import type { Config } from "../config/schema.ts";
import { InflightBudget } from "../http/body/inflight.ts";
import { type Access, createAccess } from "../http/guards/access.ts";
import { createClients } from "../http/guards/client.ts";
import { listen } from "../http/listen.ts";
import { lockFolder } from "../queue/lock/lock.ts";
import { makeFolder, privateFolderMode } from "../queue/private-files.ts";
import type { StoreEvent, StoreStart } from "../store/protocol.ts";
import { openStore } from "../store/store.ts";
import type { Log } from "../telemetry/log.ts";
import { within } from "../time/within.ts";
import { createPlatformApp, type Platform } from "./app.ts";
import { openLocalKey } from "./local-key.ts";
import { openMetadata } from "./metadata/database.ts";
import type { Metadata } from "./metadata/metadata.ts";
import { createPlatformMetrics, type PlatformMetrics } from "./metrics.ts";
import { openReplays } from "./replays.ts";
import { type Retention, startRetention } from "./retention.ts";
import { type SeedFile, seedMetadata } from "./seed.ts";
import { openWorkspaces } from "./workspaces.ts";

export interface RunningPlatform {
  /** The URL of the platform, such as `http://127.0.0.1:9527`. */
  readonly url: string;
  /**
   * The token of the workspace for the points of this machine, and the path of the file in which this token is
   * stored.
   */
  readonly localToken: string;
  readonly tokenFile: string;
  /** Whether clients on this machine may query without a token. */
  readonly isOpenToLocal: boolean;
  /**
   * The API key for the workspace with the points of this machine. The platform creates it for the agent in the
   * same process. Undefined unless `givesLocalKey` is set.
   */
  readonly localKey: string | undefined;
  close(): Promise<void>;
}

export interface PlatformStart {
  readonly config: Config;
  readonly log: Log;
  /**
   * Whether clients on this machine may query without a token. Ignored when the platform can be reached from other
   * machines.
   */
  readonly opensToLocal?: boolean;
  /** Whether the platform creates an API key for the agent in the same process. The key exists only in memory. */
  readonly givesLocalKey?: boolean;
  /** Workspaces and keys that the platform creates at the start if they do not exist yet. */
  readonly seed?: SeedFile;
  /** When this signal aborts, the platform stops waiting for a port that another process uses. */
  readonly signal?: AbortSignal;
}

const closeMs = 10_000;

/** Returns the platform's subfolder of a data folder. */
export function platformFolder(config: Config): string {
  return path.join(path.resolve(config.data_dir), "platform");
}

const dayMs = 24 * 60 * 60 * 1000;

/** Deletes old entries of the audit log, at the start and then once a day. Returns a function that stops this. */
function forgetOldAudit(metadata: Metadata, days: number, log: Log): () => void {
  if (days === 0) return () => {};
  const forget = () =>
    metadata.forgetAudit(Date.now() - days * dayMs).catch((error: Error) => log.error(`audit log: ${error.message}`));
  void forget();
  const timer = setInterval(forget, dayMs);
  timer.unref();
  return () => clearInterval(timer);
}

/**
 * Logs an event of the points store as one line. The store sends one event per problem, not one per failed
 * request.
 */
function handleStoreEvent(event: StoreEvent, log: Log, metrics: PlatformMetrics): void {
  switch (event.kind) {
    case "info":
    case "warn":
      log[event.kind](event.line);
      break;
    case "lost":
      metrics.lost.inc(event.points);
      break;
    case "problem":
      if (event.reason === null) log.info("the points store takes points again");
      else log.error(`the points store cannot take points, and refuses them with 503 until it can: ${event.reason}`);
  }
}

function isLoopbackHost(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || /^127(?:\.[0-9]{1,3}){3}$/.test(host);
}

/**
 * Returns the access rules for clients on this machine. The rules are the same as in the agent: they check the
 * client's address and the headers Host and Origin.
 */
function localAccess(config: Config, listenHost: string): Access {
  const clients = createClients({ trustedProxies: config["platform.trusted_proxies"] });
  return createAccess({ clients, listenHost, publicApis: [], allowedOrigins: [], allowedHosts: [] });
}

export async function startPlatform({
  config,
  log,
  opensToLocal = false,
  givesLocalKey = false,
  seed,
  signal,
}: PlatformStart): Promise<RunningPlatform> {
  /** Functions that close the started components. They are called in the reverse order of the start. */
  const open: (() => unknown)[] = [];
  const close = async () => {
    for (const each of open.splice(0).reverse()) await each();
  };
  try {
    const address = parseListenAddress(config["platform.listen"]);
    const folder = platformFolder(config);
    makeFolder(folder, privateFolderMode);
    open.push(await lockFolder(folder));
    const stored = await openMetadata({ url: config["store.url"], folder });
    open.push(() => stored.close());
    open.push(forgetOldAudit(stored, config["open_api.audit_days"], log));
    const isKnown = async (id: string) => (await stored.workspaces.byPoints(id)) !== undefined;
    const workspaces = openWorkspaces(folder, config["platform.tokens"], isKnown);
    if (seed !== undefined) await seedMetadata(stored, seed, workspaces.localToken);
    const localKey = givesLocalKey ? openLocalKey(stored, workspaces.localToken) : undefined;
    const metadata = localKey?.metadata ?? stored;
    const points = path.join(folder, "points");
    const metrics = createPlatformMetrics();
    const store = await openStore(storeStart(config, points), (event) => handleStoreEvent(event, log, metrics));
    open.push(() => store.close());
    const replays = await openReplays(path.join(folder, "replays"), config["platform.max_replay_bytes"]);
    const budget = bodyBudget(config);
    open.push(startRetention(retentionOf({ config, store, replays, metrics, log })));
    const files = { segments: path.join(points, "segments"), log: path.join(points, "log") };
    const parts = { config, store, replays, workspaces, metadata, budget, metrics, files, log };
    const isOpenToLocal = opensToLocal && "host" in address && isLoopbackHost(address.host);
    const local = isOpenToLocal
      ? { access: localAccess(config, address.host), token: workspaces.localToken }
      : undefined;
    const app = createPlatformApp(local === undefined ? parts : { ...parts, local });
    open.push(() => within(app.close(), closeMs));
    const listening = await listen(app, address, log, signal);
    const tokenFile = path.join(folder, "token");
    const { localToken } = workspaces;
    return { url: listening, localToken, tokenFile, isOpenToLocal, localKey: localKey?.secret, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Returns the settings with which the points store is started. `folder`: the folder of its files. */
function storeStart(config: Config, folder: string): StoreStart {
  const url = config["platform.store.url"];
  return {
    wasm: new WebAssembly.Module(readFileSync(new URL("../../lib/wasm/millrace.wasm", import.meta.url))),
    folder,
    memoryLimit: config["platform.memory_limit"],
    clickhouse: url === "" ? null : { url, cluster: config["platform.store.cluster"] },
    queryTimeoutMs: durationMs(config["platform.query_timeout"], 60_000),
    maxQueries: config["platform.max_queries"],
    maxQueryBytes: config["platform.query_memory_mb"] * 1024 ** 2,
    hot: { points: config["platform.hot_points"], ms: durationMs(config["platform.hot_time"], 600_000) },
    mergeFiles: config["platform.merge_files"],
    keys: { maxKeys: config["platform.max_keys"], maxNames: config["platform.max_measurements"] },
  };
}

/**
 * Returns the memory budget, which limits the total size of all request bodies in memory as the configuration
 * says.
 */
function bodyBudget(config: Config): InflightBudget {
  return new InflightBudget(config["platform.max_inflight_bytes"], {
    bytesPerClient: config["platform.max_inflight_bytes_per_client"],
    largestBody: config["platform.max_body_bytes"],
    minBytesPerSecond: config["platform.min_body_bytes_per_second"],
    clients: createClients({ trustedProxies: config["platform.trusted_proxies"] }),
  });
}

function retentionOf({
  config,
  store,
  replays,
  metrics,
  log,
}: Pick<Platform, "config" | "store" | "replays" | "metrics" | "log">): Retention {
  return {
    kept: retentionByCategory(config["platform.retention"]),
    batchIdsMs: durationMs(config["platform.batch_ids_kept"], 604_800_000),
    everyMs: durationMs(config["platform.retention_interval"], 600_000),
    replaysMs: durationMs(config["platform.replays_kept"], 2_592_000_000),
    store,
    replays,
    log,
    now: Date.now,
    every: (ms, work) => {
      const timer = setInterval(work, ms).unref();
      return () => clearInterval(timer);
    },
    deleted: (points) => metrics.expired.inc(points),
  };
}
