// Begins to answer requests: connects the HTTP servers to the application, and starts intake processes (further
// processes that accept writes) when they are configured.

import { hostOf, type ListenAddress } from "../../config/listen-address.ts";
import { readTlsFiles, type TlsFiles } from "../../http/listen.ts";
import { within } from "../../time/within.ts";
import type { Agent } from "../agent.ts";
import { endPaused, type IntakesOptions, openIntakes } from "../intake/intakes.ts";
import { intakeShare } from "../intake/shares.ts";
import { answered } from "../serving/http-servers.ts";
import { type App, createApp } from "./app.ts";
import type { Base } from "./base.ts";

/** The HTTP application of the agent, the address at which it is served, and its TLS files. */
export interface HttpApplication {
  readonly app: App;
  readonly listenHost: string;
  readonly tls: TlsFiles | undefined;
}

const closeMs = 10_000;

/** Creates the HTTP application. Throws when a TLS file cannot be read. */
export function createHttpApplication({ config }: Base, address: ListenAddress, agent: Agent): HttpApplication {
  const listenHost = hostOf(address);
  const tls = readTlsFiles(config["http_api.tls.cert"], config["http_api.tls.privkey"]);
  return { app: createApp(agent, listenHost), listenHost, tls };
}

/** Makes the HTTP servers pass their requests to the application until the agent closes. */
export function serve({ config, keptState: { httpServers }, atClose }: Base, { app, tls }: HttpApplication): void {
  httpServers.serve(config, tls, app.listener);
  atClose(async (isReload) => {
    if (isReload) {
      httpServers.hold();
      await answered(() => app.underWay, closeMs);
    }
    await within(app.close(), closeMs);
    if (!isReload) await httpServers.close(closeMs);
  });
}

/**
 * Starts the configured intake processes (further processes that accept writes). When none are configured, ends the
 * paused intake processes of an earlier agent.
 */
export async function serveInProcesses(
  { configured, processes, hostname, keptState, log, metrics, atClose }: Base,
  { listenHost, tls }: HttpApplication,
  inForce: Pick<IntakesOptions, "tags" | "sharding" | "scripts" | "filters" | "clockOffset">,
): Promise<void> {
  if (processes === 1) {
    await endPaused(keptState.paused);
    return;
  }
  const intakes = await openIntakes({
    ...inForce,
    config: intakeShare(configured, processes),
    count: processes - 1,
    hostname,
    listenHost,
    paused: keptState.paused,
    server: keptState.httpServers.server,
    isTls: tls !== undefined,
    log,
    metrics,
  });
  keptState.intakes = intakes;
  atClose(async (isReload) => {
    await intakes.close(isReload);
    keptState.intakes = undefined;
  });
  // Sends the intake processes (further processes that accept writes) the settings again, because settings may have
  // changed while the processes started.
  await intakes.broadcast();
}
