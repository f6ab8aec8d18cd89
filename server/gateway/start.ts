// Starts a gateway: first its rules and queues, then its HTTP server. A stop closes these components in reverse
// order.

import { hostname as machineName } from "node:os";
import path from "node:path";
import { durationMs } from "../config/go-duration.ts";
import { parseListenAddress } from "../config/listen-address.ts";
import { createReloads } from "../config/reloads.ts";
import type { Config } from "../config/schema.ts";
import { InflightBudget } from "../http/body/inflight.ts";
import { createClients } from "../http/guards/client.ts";
import { listen, readTlsFiles } from "../http/listen.ts";
import { version } from "../http/version.ts";
import { lockFolder } from "../queue/lock/lock.ts";
import { makePrivateFolder } from "../queue/private-files.ts";
import type { Log } from "../telemetry/log.ts";
import { within } from "../time/within.ts";
import { createGatewayApp } from "./app.ts";
import { openForwarder } from "./forward.ts";
import { createGatewayMetrics, type GatewayMetrics } from "./metrics.ts";
import { openSinker, type Sinker } from "./sinker.ts";
import { openTagging, type Tagging } from "./tagging.ts";
import { createTargets } from "./targets.ts";

export interface RunningGateway {
  /** The URL of the gateway, such as `http://127.0.0.1:9528`. */
  readonly url: string;
  /** A description of how the gateway handles requests, for the log and the start message. */
  readonly about: string;
  /**
   * Asks the gateway to read its rules again. The call returns at once; the gateway reads the rules soon
   * afterwards.
   */
  reload(): void;
  close(): Promise<void>;
}

export interface GatewayStart {
  readonly config: Config;
  readonly log: Log;
  /** When this signal aborts, the gateway stops waiting for a port that another process uses. */
  readonly signal?: AbortSignal;
}

const closeMs = 10_000;

/** Returns the gateway's subfolder of the data folder. */
export function gatewayFolder(config: Config): string {
  return path.join(path.resolve(config.data_dir), "gateway");
}

export async function startGateway({ config, log, signal }: GatewayStart): Promise<RunningGateway> {
  /** Functions that close the components started so far. They are called in the reverse order of the start. */
  const open: (() => unknown)[] = [];
  const close = async () => {
    for (const each of open.splice(0).reverse()) await each();
  };
  try {
    const address = parseListenAddress(config["gateway_api.listen"]);
    const remoteHost = remoteHostOf(config);
    const folder = gatewayFolder(config);
    makePrivateFolder(folder);
    open.push(await lockFolder(folder));
    const metrics = createGatewayMetrics();
    const sinker = openConfiguredSinker({ config, folder, log, metrics });
    open.push(sinker.close);
    const targets = createTargets(remoteHost);
    const forwarder = await openForwarder({ config, targets, folder: path.join(folder, "queue"), log, metrics });
    open.push(() => forwarder.close());
    const tagging = await openConfiguredTagging({ config, folder, log, metrics });
    open.push(() => tagging?.close());
    const budget = bodyBudget(config);
    const hostname = config["environments.ENV_HOSTNAME"] || machineName();
    const startedAt = process.hrtime.bigint();
    const app = createGatewayApp(
      { config, hostname, startedAt, sinker, targets, forwarder, tagging, budget, metrics, log },
      readTlsFiles(config["gateway_api.tls.cert"], config["gateway_api.tls.privkey"]),
    );
    open.push(() => within(app.close(), closeMs));
    const url = await listen(app, address, log, signal);
    metrics.info.set(infoLabels(config, url), 1);
    const reloads = createReloads({
      reload: () => {
        sinker.reload();
        tagging?.reload();
      },
      gapMs: () => durationMs(config.reload_interval, 5000),
      onWait: (ms) => log.info(`the rules are read again in ${ms} ms`),
    });
    open.push(reloads.close);
    return { url, about: aboutText(config, sinker.state.kind), reload: reloads.ask, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Returns the configured address of the platform, or an empty string when none is configured. The gateway sends to this
 * address all requests that it does not route by sink rules (rules that choose targets). Throws when the address is not
 * an http(s) URL.
 */
function remoteHostOf(config: Config): string {
  const remoteHost = config["gateway_api.remote_host"];
  if (remoteHost !== "" && !/^https?:$/.test(URL.canParse(remoteHost) ? new URL(remoteHost).protocol : "")) {
    throw new Error(`gateway_api.remote_host: ${JSON.stringify(remoteHost)} is no http(s) address`);
  }
  return remoteHost;
}

/** The values that are needed to open a component of the gateway, such as its queues or its rules. */
interface Opening {
  readonly config: Config;
  /** The gateway's folder in the data folder. */
  readonly folder: string;
  readonly log: Log;
  readonly metrics: GatewayMetrics;
}

function openConfiguredSinker({ config, folder, log, metrics }: Opening): Sinker {
  const configured = config["sinker.file.path"];
  return openSinker({
    file: configured || path.join(folder, "sinker.json"),
    mayBeMissing: configured === "",
    log,
    metrics,
  });
}

/** Opens the rules that generate X-Global-Tags. Returns undefined when the configuration names no file of rules. */
async function openConfiguredTagging({ config, folder, log, metrics }: Opening): Promise<Tagging | undefined> {
  const file = config["sinker.tags.path"];
  if (file === "") return undefined;
  return await openTagging({
    file,
    maxIdentifiers: config["sinker.tags.max_identifiers"],
    maxPoints: config["sinker.tags.max_points"],
    maxGrowth: config["sinker.tags.max_growth"],
    functionsFolder: config["sinker.tags.functions_dir"] || path.join(folder, "functions"),
    functionTimeoutMs: durationMs(config["sinker.tags.function_timeout"], 1000),
    functionMemoryMb: config["sinker.tags.function_memory_mb"],
    extraFields: config["sinker.tags.extra_fields"],
    log,
    metrics,
  });
}

/**
 * Returns a memory budget that limits the total size of all request bodies in memory, according to the
 * configuration.
 */
function bodyBudget(config: Config): InflightBudget {
  return new InflightBudget(config["gateway_api.max_inflight_bytes"], {
    bytesPerClient: config["gateway_api.max_inflight_bytes_per_client"],
    largestBody: config["gateway_api.max_http_body_bytes"],
    minBytesPerSecond: config["gateway_api.min_body_bytes_per_second"],
    clients: createClients({ trustedProxies: config["gateway_api.trusted_proxies"] }),
  });
}

/** Returns the labels of the metric that describes the running gateway, such as its URL. */
function infoLabels(config: Config, url: string) {
  const remote = config["gateway_api.remote_host"];
  return {
    listen: url,
    max_body: String(config["gateway_api.max_http_body_bytes"]),
    remote: remote === "" ? "" : new URL(remote).origin,
    version,
  };
}

function aboutText(config: Config, sinker: "on" | "off" | "invalid"): string {
  const remote = config["gateway_api.remote_host"];
  const rest = remote === "" ? "nowhere" : new URL(remote).origin;
  switch (sinker) {
    case "on":
      return `routed by sink rules; what brings a token of its own goes to ${rest}`;
    case "invalid":
      return "refused with 503 until the sink rules can be used";
    case "off":
      return remote === ""
        ? "refused with 503: there are neither sink rules nor a remote_host"
        : `forwarded to ${rest}`;
  }
}
