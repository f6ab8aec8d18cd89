// The write path of an agent in a process of its own: the guards, decoding where the body lies, a queue and an uploader.

import type { Socket } from "node:net";
import { InflightBudget } from "../../http/inflight.ts";
import { readTlsFiles } from "../../http/listen.ts";
import type { Log, LogLevel } from "../../http/log.ts";
import { createMetrics } from "../../http/metrics.ts";
import { moveAll } from "../../http/moving.ts";
import { cpuMicroseconds, openFiles } from "../../http/process-use.ts";
import { lockFolderSoon } from "../../queue/lock.ts";
import { openConfiguredUploader, uploadForm } from "../configured-uploader.ts";
import { compileWasm, wallClock } from "../engine.ts";
import { createFeed } from "../feed.ts";
import { openConfiguredGateways } from "../gateways.ts";
import { createGuards } from "../guards.ts";
import { answerClientError, createHttpServer } from "../http-server.ts";
import { createWriteFront } from "../write/front.ts";
import { createSmallWrites } from "../write/small-writes.ts";
import { connectionsOf } from "./connections.ts";
import { createHandOn } from "./hand-on.ts";
import { isOwnWrite } from "./own-write.ts";
import type { IntakeLook, IntakeSetup, IntakeState } from "./protocol.ts";

export interface Intake {
  /** In force from the next request on; before the first connection. */
  setState(state: IntakeState): void;
  /** Of a connection that was not read from. */
  take(socket: Socket): void;
  look(): Promise<IntakeLook>;
  /** Answers what has come and sends what it can. */
  close(): Promise<void>;
}

const closeMs = 10_000;

/** Opens everything that it needs. */
export async function startIntake(
  setup: IntakeSetup,
  tell: (level: LogLevel, message: string) => void,
  onClosed: () => void,
): Promise<Intake> {
  const { config, hostname, folder } = setup;
  let state: IntakeState;
  const log = logOf(tell, setup.isDebug);
  const metrics = createMetrics();
  const gateways = openConfiguredGateways(config);
  if (gateways === undefined) throw new Error("an intake process needs a gateway");
  const unlock = await lockFolderSoon(folder);
  const outlet = await openConfiguredUploader({ config, gateways, folder, host: hostname, log, metrics });
  const writes = createSmallWrites(compileWasm(), {
    maxStepsPerWrite: config["pipeline.max_steps_per_write"],
    requestsMs: 0,
    rum: { rules: { appIds: [], checkPoints: false }, sourceMaps: undefined },
    compress: config["gateway.gzip"] ? "large" : "surplus",
  });
  const feed = createFeed({
    workers: { run: writes.run },
    // Where one may run, the write is handed on.
    scripts: { choose: () => undefined, hasAny: () => false },
    outlet,
    tags: {
      forWrite: (election, host) => state.tags[election ? (host ? "both" : "election") : host ? "host" : "neither"],
    },
    filters: { count: () => {} },
    sharding: config["gateway.enable_sinker"] ? { keys: () => state.shardKeys } : undefined,
    metrics,
    log,
    matchByName: false,
    maxBodyBytes: config["http_api.max_body_bytes"],
    batchBytes: config["gateway.max_raw_body_size"],
    batchForm: uploadForm(config),
    correctsTimes: config["io.auto_timestamp_correction"],
  });
  const budget = new InflightBudget(config["http_api.max_inflight_bytes"]);
  const guards = createGuards({ config, hostname, log, metrics }, setup.listenHost);
  const front = createWriteFront({ config, feed, budget, now: () => wallClock() + state.clockOffset }, guards);
  const handOn = createHandOn(setup.inner);
  const tls = readTlsFiles(config["http_api.tls.cert"], config["http_api.tls.privkey"], log);
  const matchesByName = config["pipeline.match_by_name"] === true;
  let isClosing = false;
  const server = createHttpServer(config, tls, (request, response) => {
    if (isClosing) response.shouldKeepAlive = false;
    if (!isOwnWrite(request, state, matchesByName) || !front(request, response)) handOn(request, response);
  });
  server.on("clientError", answerClientError);
  const connections = connectionsOf(server, onClosed);

  return {
    setState: (next) => {
      state = next;
    },
    take: connections.take,
    look: async () => ({
      moved: await moveAll(metrics.movable),
      queues: outlet.queues(),
      problems: [...outlet.problems(), ...(budget.usedBytes >= budget.limit ? ["too many bytes in flight"] : [])],
      inflightBytes: budget.usedBytes,
      cpuMicroseconds: cpuMicroseconds(),
      openFiles: await openFiles(),
    }),
    close: async () => {
      isClosing = true;
      await connections.close(closeMs);
      await outlet.close();
      await gateways.close();
      unlock();
    },
  };
}

function logOf(tell: (level: LogLevel, message: string) => void, isDebug: boolean): Log {
  return {
    debug: (message) => {
      if (isDebug) tell("debug", message);
    },
    info: (message) => tell("info", message),
    warn: (message) => tell("warn", message),
    error: (message) => tell("error", message),
    isDebug,
  };
}
