// Adds two inputs to the configuration of an agent under `millrace start`, so that the user need not set them.
// The input `prometheus` requests /metrics from the platform, the gateway and the agent of the same process. The
// input `host` measures this machine (processor, memory, disks). The bundled dashboards `millrace` and `host`
// show these metrics.

import { hostOf, type ListenAddress, parseListenAddress } from "../../config/listen-address.ts";
import type { Config } from "../../config/schema.ts";
import { defaultEntry } from "../../config/setting.ts";
import { type PrometheusSettings, prometheusFields } from "../../config/settings/inputs-prometheus.ts";

/**
 * Returns the configuration with which the agent also reads the metrics of the services of this process and measures
 * this machine. `platformUrl`: the URL of the platform. Returns `config` itself when the setting
 * `inputs.own_metrics.enable` is off.
 */
export function withOwnMetrics(config: Config, platformUrl: string): Config {
  if (!config["inputs.own_metrics.enable"]) return config;
  const readsHost = config["inputs.host.enable"] || config["inputs.own_metrics.host"];
  return { ...withOwnTargets(config, platformUrl), "inputs.host.enable": readsHost };
}

/** Adds the metrics of the services to the targets of the input `prometheus`. */
function withOwnTargets(config: Config, platformUrl: string): Config {
  const named = new Set(config["inputs.prometheus"].flatMap(({ urls }) => urls.map(placeOf)));
  // The platform is the first target, because at the time of the first request only the platform listens. The
  // agent requests the metrics of the gateway and its own metrics later, because it requests its targets one after
  // the other, spread over the interval.
  const urls = [ownUrl(platformUrl), ...urlsOf(config)].filter(
    (url) => url !== undefined && !named.has(placeOf(url)),
  ) as string[];
  if (urls.length === 0) return config;
  const own: PrometheusSettings = {
    ...defaultEntry(prometheusFields),
    urls,
    interval: config["inputs.own_metrics.interval"],
    // The certificates are not verified, because they name the addresses under which other machines reach the services,
    // not the loopback address that is used here.
    insecure_skip_verify: true,
  };
  return { ...config, "inputs.prometheus": [...config["inputs.prometheus"], own] };
}

function urlsOf(config: Config): (string | undefined)[] {
  const gateway = config["gateway_api.listen"];
  return [
    gateway === "none" ? undefined : urlOf(parseListenAddress(gateway), config["gateway_api.tls.cert"] !== ""),
    urlOf(parseListenAddress(config["http_api.listen"]), config["http_api.tls.cert"] !== ""),
  ];
}

/**
 * Returns the URL of the metrics of a service; undefined for a Unix socket, and for port 0, which the system replaces
 * by a port that is not known yet.
 */
function urlOf(address: ListenAddress, isSecure: boolean): string | undefined {
  if ("path" in address || address.port === 0) return undefined;
  return ownUrl(`${isSecure ? "https" : "http"}://${hostOf(address)}:${address.port}`);
}

/**
 * Returns the URL of the metrics of a service that listens at `url`, with a loopback address as the host. Returns
 * undefined when the service does not listen on a loopback address: the service answers requests for its metrics at any
 * other address with 403.
 */
function ownUrl(url: string): string | undefined {
  const own = new URL("/metrics", url);
  if (own.hostname === "0.0.0.0") own.hostname = "127.0.0.1";
  if (own.hostname === "[::]") own.hostname = "[::1]";
  const isLoopback = own.hostname === "localhost" || own.hostname === "[::1]" || own.hostname.startsWith("127.");
  return isLoopback ? own.href : undefined;
}

/** Returns a string by which targets are compared: all spellings of the URL of one target give the same string. */
function placeOf(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname === "localhost" ? "127.0.0.1" : hostname}:${port}${pathname}`;
}
