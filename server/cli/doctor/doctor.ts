// `millrace doctor`: checks whether an agent has what it needs, such as folders, ports and the gateway.

import { accessSync, constants, existsSync, statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { shownText } from "../../../lib/text/index.ts";
import { processCount } from "../../agent/intake/shares.ts";
import { type Gateway, type Gateways, openConfiguredGateways } from "../../agent/outputs/gateways.ts";
import { parseListenAddress } from "../../config/listen-address.ts";
import { ConfigError } from "../../config/load.ts";
import type { Config } from "../../config/schema.ts";
import { answerText } from "../../outbound/retry-classification.ts";
import { parseMetrics, type Sample } from "../../telemetry/status/samples.ts";
import { askPlace, localPlace, type Place, placeOf, placeOptions } from "../agent-place.ts";
import { readConfig } from "../read-config.ts";
import { counted } from "../terminal/counted.ts";
import { print, printLine } from "../terminal/print.ts";
import { tryPort } from "../try-port.ts";
import { doctorUsage } from "../usage/tools.ts";
import { examineHost } from "./host.ts";
import { examineJournald } from "./journald.ts";
import { examineTargets } from "./prometheus.ts";
import { examinePushes } from "./push.ts";
import { examineAddresses, examineSyslog } from "./syslog.ts";
import { examineTails, type Grade } from "./tail.ts";

interface Finding {
  readonly grade: Grade;
  readonly about: "config" | "port" | "input" | "proxy" | "gateway" | "clock" | "disk";
  readonly text: string;
}

const fewBytes = 1024 ** 3;
const tooFewBytes = 100 * 1024 ** 2;
const skewSeconds = 5;

/** Runs all checks of `millrace doctor`. Returns the exit code, which is 1 when a check fails. */
export async function doctor(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      ...placeOptions,
      listen: { type: "string" },
      "data-dir": { type: "string" },
      config: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) {
    print(doctorUsage);
    return 0;
  }
  const named = values.to === undefined ? undefined : { at: values.to, place: placeOf(values.to, values.ca) };
  const findings: Finding[] = [];
  const say = (about: Finding["about"], grade: Grade, text: string) => {
    findings.push({ grade, about, text });
    printLine(`${grade.padEnd(4)}  ${about.padEnd(7)}  ${text}`);
  };
  const config = examineConfig(values, say);
  if (config !== undefined) {
    const agent = named ?? configuredAgent(config);
    if (named === undefined) await examinePort(config, agent, say);
    else await examineAgent(agent, say);
    for (const { grade, text } of await examineTails(config["inputs.tail"])) say("input", grade, text);
    for (const { grade, text } of examinePushes(config)) say("input", grade, text);
    for (const { grade, text } of await examineSyslog(config["inputs.syslog"])) say("input", grade, text);
    for (const { grade, text } of examineJournald(config)) say("input", grade, text);
    const statsd = await examineAddresses("statsd", config["inputs.statsd.listen"]);
    for (const { grade, text } of statsd) say("input", grade, text);
    for (const { grade, text } of examineHost(config)) say("input", grade, text);
    for (const { grade, text } of await examineTargets(config["inputs.prometheus"])) say("input", grade, text);
    await examineProxies(config, agent, say);
    await examineGateways(config, agent, say);
    await examineDisk(config, say);
  }
  const failed = findings.filter(({ grade }) => grade === "fail").length;
  const warned = findings.filter(({ grade }) => grade === "warn").length;
  print(`\n${counted(failed, "problem")}, ${counted(warned, "warning")}\n`);
  return failed > 0 ? 1 : 0;
}

/** The running agent that the checks send requests to. */
interface Asked {
  /** The address of the running agent, as the report shows it. */
  readonly at: string;
  readonly place: Place;
}

function configuredAgent(config: Config): Asked {
  const at = config["http_api.listen"];
  return { at, place: localPlace(parseListenAddress(at), config["http_api.tls.cert"] !== "") };
}

type Say = (about: Finding["about"], grade: Grade, text: string) => void;

function examineConfig(
  values: { readonly config?: string; readonly listen?: string; readonly "data-dir"?: string },
  say: Say,
): Config | undefined {
  const name = values.config ?? "defaults and environment";
  try {
    const { config, warnings } = readConfig({
      ...(values.config === undefined ? {} : { file: values.config }),
      flags: {
        ...(values.listen === undefined ? {} : { "http_api.listen": values.listen }),
        ...(values["data-dir"] === undefined ? {} : { data_dir: values["data-dir"] }),
      },
    });
    parseListenAddress(config["http_api.listen"]);
    for (const warning of warnings) say("config", "warn", warning);
    processCount(config, { warn: (message) => say("config", "warn", message) });
    say("config", "ok", `${name}: can be used`);
    return config;
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof ConfigError) for (const warning of error.warnings) say("config", "warn", warning);
    for (const line of error instanceof ConfigError ? message.split("\n") : [message]) say("config", "fail", line);
    return undefined;
  }
}

async function examinePort(config: Config, agent: Asked, say: Say): Promise<void> {
  const listen = config["http_api.listen"];
  const address = parseListenAddress(listen);
  // The check does not try to listen on the path of an existing Unix socket, because that would take the socket away
  // from the process that uses it.
  const error =
    "path" in address && existsSync(address.path)
      ? "EADDRINUSE"
      : "path" in address
        ? undefined
        : await tryPort(address);
  if (error === undefined) return say("port", "ok", `${listen} is free`);
  if (error !== "EADDRINUSE") return say("port", "fail", `${listen} cannot be listened on: ${error}`);
  const version = await versionOf(agent.place).catch(() => undefined);
  if (version === undefined) say("port", "fail", `${listen} is in use, and no agent answers there`);
  else say("port", "ok", answers(agent, version));
}

async function examineAgent(agent: Asked, say: Say): Promise<void> {
  try {
    const version = await versionOf(agent.place);
    if (version === undefined) say("port", "fail", `${agent.at} is no agent`);
    else say("port", "ok", answers(agent, version));
  } catch (error) {
    say("port", "fail", `no answer from ${agent.at}: ${shownText((error as Error).message)}`);
  }
}

/**
 * Asks the agent at an address for its version. Returns undefined when another program answers. Rejects when nothing
 * answers.
 */
async function versionOf(place: Place): Promise<string | undefined> {
  return /"content":\{"version":"([^"]*)"/.exec(await askPlace(place, "/v1/ping"))?.[1];
}

const answers = ({ at }: Asked, version: string) => `${at}: an agent ${version} answers there`;

/** Maximum number of characters of a gateway's answer that the report shows. */
const longestWords = 512;

/** Returns the Prometheus metrics of a service, or none when the service does not answer. */
async function samplesOf(place: Place): Promise<readonly Sample[]> {
  return await askPlace(place, "/metrics").then(parseMetrics, () => []);
}

const services = [
  { name: "agent", listen: "http_api.listen", cert: "http_api.tls.cert", proxies: "http_api.trusted_proxies" },
  {
    name: "gateway",
    listen: "gateway_api.listen",
    cert: "gateway_api.tls.cert",
    proxies: "gateway_api.trusted_proxies",
  },
  { name: "platform", listen: "platform.listen", cert: undefined, proxies: "platform.trusted_proxies" },
] as const;

/** Asks each service that runs on this machine whether it received headers from a proxy that it does not trust. */
async function examineProxies(config: Config, agent: Asked, say: Say): Promise<void> {
  for (const { name, listen, cert, proxies } of services) {
    const address = parseListenAddress(config[listen]);
    const own = { at: config[listen], place: localPlace(address, cert !== undefined && config[cert] !== "") };
    const { at, place } = name === "agent" ? agent : own;
    const samples = await samplesOf(place);
    const requests = samples.find((each) => each.name === `${name}_http_untrusted_proxy_total`)?.value ?? 0;
    if (requests === 0) continue;
    const proxy = "path" in address ? "unix" : "127.0.0.1";
    say(
      "proxy",
      "warn",
      `${name} at ${at}: a proxy on this machine sent ${counted(requests, "request")} with X-Forwarded-For, X-Real-IP or Forwarded, ` +
        `which are not believed: no client behind it is local, and all count as one; if it is yours, set ${proxies} = ["${proxy}"]`,
    );
  }
}

async function examineGateways(config: Config, agent: Asked, say: Say): Promise<void> {
  let gateways: Gateways | undefined;
  try {
    gateways = await openConfiguredGateways(config);
  } catch (error) {
    return say("gateway", "fail", (error as Error).message);
  }
  if (gateways === undefined) {
    const target = (await samplesOf(agent.place)).find(({ name }) => name === "agent_output_info")?.labels.target;
    const running = `none is configured; the agent at ${agent.at}`;
    if (target === undefined) say("gateway", "warn", `none is configured: ${withoutGateway(config)}`);
    else if (/^https?:/.test(target)) say("gateway", "ok", `${running} sends points to ${shownText(target)}`);
    else say("gateway", "warn", `${running} writes points to files in ${shownText(target)}`);
    return say("clock", "warn", "no gateway to compare the clock with");
  }
  try {
    for (const gateway of gateways.all) await examineGateway(gateway, say);
  } finally {
    await gateways.close();
  }
}

function withoutGateway(config: Config): string {
  const platform = config["platform.listen"];
  const withStart = platform === "none" ? "" : `; under millrace start they go to its platform at ${platform}`;
  return `an agent alone writes points to files${withStart}`;
}

async function examineGateway(gateway: Gateway, say: Say): Promise<void> {
  const { origin } = gateway;
  if (gateway.token === "") say("gateway", "warn", `${origin} has no token`);
  const began = performance.now();
  const asked = Date.now();
  const { status, cause, bytes, date } = await gateway.call({ method: "GET", path: "/v1/ntp" });
  const took = Math.round(performance.now() - began);
  if (typeof status === "string") return say("gateway", "fail", `${origin}: ${answerText({ status, cause })}`);
  if (status === 401 || status === 403) say("gateway", "fail", `${origin} refuses the token (status ${status})`);
  else if (status >= 500) say("gateway", "fail", `${origin} answers ${status}`);
  else {
    const refusal = await refusalOfUploads(gateway);
    if (refusal === undefined) say("gateway", "ok", `${origin} answers in ${took} ms and takes uploads`);
    else say("gateway", "fail", `${origin} ${refusal}`);
  }

  const timestamp = /"timestamp(?:_sec)?"\s*:\s*(\d{10})/.exec(Buffer.from(bytes).toString())?.[1];
  const remote = timestamp === undefined ? Date.parse(date) / 1000 : Number(timestamp);
  if (!Number.isFinite(remote)) return say("clock", "warn", `${origin} tells no time`);
  const skew = Math.round(remote - (asked + took / 2) / 1000);
  if (Math.abs(skew) >= skewSeconds)
    say("clock", "warn", `${origin} is ${Math.abs(skew)} s ${skew > 0 ? "ahead" : "behind"}`);
  else say("clock", "ok", `within ${skewSeconds} s of ${origin}`);
}

/**
 * Sends an upload that contains no point, signed in the way the agent signs uploads. Returns the reason why the gateway
 * refuses uploads, or undefined when it accepts them. A gateway that knows the token may still refuse a body without
 * points; this counts as accepted, because the gateway has read the body.
 */
async function refusalOfUploads(gateway: Gateway): Promise<string | undefined> {
  const answer = await gateway.call({
    method: "POST",
    path: "/v1/write/metric",
    headers: { "content-type": "text/plain; charset=utf-8", "x-points": "0" },
    body: new Uint8Array(0),
  });
  const { status, bytes } = answer;
  if (typeof status === "string") return `takes no uploads: ${answerText(answer)}`;
  const text = new TextDecoder().decode(bytes.subarray(0, longestWords));
  const words = text === "" ? "" : `: ${shownText(text)}`;
  const isToken = status === 401 || status === 403 || /token/i.test(text);
  if (status < 300 || ((status === 400 || status === 422) && !isToken)) return undefined;
  return isToken && status < 500
    ? `refuses the token (${answerText(answer)}${words})`
    : `takes no uploads (${answerText(answer)}${words})`;
}

async function examineDisk(config: Config, say: Say): Promise<void> {
  const folders = new Set(
    [config.data_dir, config["gateway.wal.path"] || config.data_dir].map((each) => path.resolve(each)),
  );
  for (const folder of folders) {
    const there = nearest(folder);
    if (!statSync(there).isDirectory()) {
      say("disk", "fail", `${there} is no folder`);
      continue;
    }
    try {
      accessSync(there, constants.W_OK | constants.X_OK);
    } catch {
      say("disk", "fail", `${there} cannot be written`);
      continue;
    }
    const { bavail, bsize } = await statfs(there);
    const free = bavail * bsize;
    const text = `${(free / 1024 ** 3).toFixed(1)} GiB free in ${folder}`;
    const queue = config["gateway.wal.max_capacity_gb"] * 1024 ** 3;
    if (free < tooFewBytes) say("disk", "fail", text);
    else if (free < fewBytes) say("disk", "warn", text);
    else if (config["gateway.urls"].length > 0 && free < queue) {
      say("disk", "warn", `${text}, less than the queue of one category may take`);
    } else say("disk", "ok", text);
  }
}

/** Returns the folder itself if it exists, else the nearest parent folder that exists. */
function nearest(folder: string): string {
  return existsSync(folder) || path.dirname(folder) === folder ? folder : nearest(path.dirname(folder));
}
