// The part of an intake process (a further process that accepts writes) that processes plain writes, which need no
// script and no filter: checks the request, decodes the points on the thread that reads the request, stores them in a
// queue and sends the queue to the gateway.

import type { RequestListener } from "node:http";
import { readTlsFiles } from "../../http/listen.ts";
import type { Log, LogLevel } from "../../telemetry/log.ts";
import { createMetrics } from "../../telemetry/metrics.ts";
import { moveAll } from "../../telemetry/metrics-transfer.ts";
import { cpuMicroseconds, openFiles } from "../../telemetry/process-use.ts";
import { compileWasm, wallClock } from "../engine.ts";
import { alwaysOpen } from "../ingest/admission.ts";
import { createSmallWrites } from "../ingest/fast-path/small-writes.ts";
import { createIngest, type Ingest, type IngestOptions } from "../ingest/ingest.ts";
import { createInputs } from "../ingest/input-counts.ts";
import { createWriteFront } from "../inputs/http-write/write-front.ts";
import { uploadForm } from "../outputs/configured-uploader.ts";
import { openConfiguredGateways } from "../outputs/gateways.ts";
import { createGuards } from "../serving/guards.ts";
import { bodyBudget } from "../serving/http-server.ts";
import { answered, type HttpServers } from "../serving/http-servers.ts";
import { createSpareTime, threadUtilization } from "../spare-time.ts";
import { openLockedUploader } from "./locked-uploader.ts";
import { isOwnWrite } from "./own-write.ts";
import type { IntakeSetup, IntakeState, IntakeStatus } from "./protocol.ts";
import { createRequestForwarder } from "./request-forwarder.ts";

export interface Intake {
  /**
   * Sets the global tags and the list of categories that have scripts; they apply from the next request on. No
   * request is answered before the first call of this method.
   */
  setState(state: IntakeState): void;
  status(): Promise<IntakeStatus>;
  /**
   * Ends the processing of writes: answers the current requests, sends as many of the queued points as possible, and
   * closes the connections. With `isReload`, the connections stay open, and requests that arrive later wait.
   */
  close(isReload: boolean): Promise<void>;
}

const closeMs = 10_000;

/**
 * Opens the part of the intake process that processes writes. Requests arrive through `httpServers`. When the returned
 * promise rejects, everything opened is closed again.
 */
export async function startIntake(
  setup: IntakeSetup,
  httpServers: HttpServers,
  writeLog: (level: LogLevel, message: string) => void,
): Promise<Intake> {
  const { config, hostname, folder } = setup;
  let state: IntakeState | undefined;
  const stateNow = () => state!;
  const log = logOf(writeLog, setup.isDebug);
  const metrics = createMetrics();
  const tls = readTlsFiles(config["http_api.tls.cert"], config["http_api.tls.privkey"]);
  const gateways = await openConfiguredGateways(config);
  if (gateways === undefined) throw new Error("an intake process needs a gateway");
  const spareTime = createSpareTime({ now: () => performance.now(), utilization: threadUtilization() });
  const wanted = { config, gateways, spareTime, folder, host: hostname, log, metrics };
  const output = await openLockedUploader(wanted).catch(async (error) => {
    await gateways.close();
    throw error;
  });
  const inputs = createInputs(metrics, config["http_api.max_inputs"]);
  const ingest = createPlainIngest(config, { output, inputs, metrics, log }, stateNow);
  const budget = bodyBudget(config);
  const guards = createGuards({ config, hostname, log, metrics }, setup.listenHost);
  const front = createWriteFront(
    { config, ingest, inputs, admission: alwaysOpen, budget, now: () => wallClock() + stateNow().clockOffset },
    guards,
  );
  const forwarder = createRequestForwarder(setup.inner);
  const matchesByName = config["pipeline.match_by_name"] === true;
  let isClosing = false;
  const listener: RequestListener = (request, response) => {
    if (isClosing) response.shouldKeepAlive = false;
    if (!isOwnWrite(request, stateNow(), matchesByName) || !front(request, response))
      forwarder.listener(request, response);
  };

  return {
    setState: (next) => {
      const isFirst = state === undefined;
      state = next;
      if (isFirst) httpServers.serve(config, tls, listener);
    },
    status: async () => ({
      moved: await moveAll(metrics.movable),
      queues: output.queues(),
      problems: [...output.problems(), ...(budget.usedBytes >= budget.limit ? ["too many bytes in flight"] : [])],
      inflightBytes: budget.usedBytes,
      cpuMicroseconds: cpuMicroseconds(),
      openFiles: await openFiles(),
    }),
    close: async (isReload) => {
      if (isReload) {
        httpServers.hold();
        await answered(() => guards.underWay + forwarder.underWay, closeMs);
      } else {
        isClosing = true;
        await httpServers.close(closeMs);
      }
      await output.close();
      await gateways.close();
    },
  };
}

/** Returns the function that processes plain writes, which need no script and no filter. */
function createPlainIngest(
  config: IntakeSetup["config"],
  parts: Pick<IngestOptions, "output" | "inputs" | "metrics" | "log">,
  state: () => IntakeState,
): Ingest {
  const writes = createSmallWrites(compileWasm(), {
    maxStepsPerWrite: config["pipeline.max_steps_per_write"],
    requestsMs: 0,
    rum: { rules: { appIds: [], checkPoints: false }, sourceMaps: undefined },
  });
  return createIngest({
    ...parts,
    workers: { run: (job) => writes.run(job) },
    // An intake process (a further process that accepts writes) has no scripts: it passes each write that may need a
    // script to the main process.
    scripts: { choose: () => undefined, hasAny: () => false },
    tags: {
      forWrite: (election, host) => state().tags[election ? (host ? "both" : "election") : host ? "host" : "neither"],
    },
    filters: { count: () => {} },
    sharding: config["gateway.enable_sinker"] ? { keys: () => state().shardKeys } : undefined,
    matchByName: false,
    maxBodyBytes: config["http_api.max_body_bytes"],
    maxPoints: config["http_api.max_points"],
    maxGrowth: config["http_api.max_growth"],
    batchBytes: config["gateway.max_raw_body_size"],
    batchForm: uploadForm(config),
    correctsTimes: config["io.auto_timestamp_correction"],
  });
}

function logOf(writeLog: (level: LogLevel, message: string) => void, isDebug: boolean): Log {
  return {
    debug: (message) => {
      if (isDebug) writeLog("debug", message);
    },
    info: (message) => writeLog("info", message),
    warn: (message) => writeLog("warn", message),
    error: (message) => writeLog("error", message),
    isDebug,
  };
}
