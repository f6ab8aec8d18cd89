// Puts an agent together and starts it: scripts, workers, outlet, HTTP last; stops it in the other order
// (agent document, B.8).

import { hostname as machineName, networkInterfaces } from "node:os";
import path from "node:path";
import { durationMs } from "../../config/go-duration.ts";
import { hostOf, parseListenAddress } from "../../config/listen-address.ts";
import type { Config } from "../../config/schema.ts";
import { readTlsFiles } from "../../http/listen.ts";
import { startTableLoader } from "../../refer-table/loader.ts";
import type { TablesInForce } from "../../refer-table/store.ts";
import type { Log } from "../../telemetry/log.ts";
import { forgetParts } from "../../telemetry/metrics.ts";
import { within } from "../../time/within.ts";
import { compileWasm, wallClock } from "../engine.ts";
import { createAdmission } from "../ingest/admission.ts";
import { createAggregatedIngest } from "../ingest/aggregated.ts";
import { briefBytes, smallBytes } from "../ingest/fast-path/small-writes.ts";
import { createFilters } from "../ingest/filters.ts";
import { createGlobalTags } from "../ingest/global-tags.ts";
import { createIngest } from "../ingest/ingest.ts";
import { createInputs } from "../ingest/input-counts.ts";
import { createSharding } from "../ingest/sharding.ts";
import { startWorkers } from "../ingest/workers/workers.ts";
import { endPaused, noIntakes } from "../intake/intakes.ts";
import { openIntakes } from "../intake/open-intakes.ts";
import { openOrphanedQueues } from "../intake/orphaned-queues.ts";
import { intakeShare, mainShare, processCount } from "../intake/shares.ts";
import { openObjectLabels } from "../object-labels.ts";
import { uploadForm } from "../outputs/configured-uploader.ts";
import { openConfiguredGateways } from "../outputs/gateways.ts";
import { openOutlet } from "../outputs/open-output.ts";
import { startPulls } from "../pulls/start-pulls.ts";
import { createLocalScripts } from "../scripts/local-scripts.ts";
import { scriptEnvironment } from "../scripts/script-environment.ts";
import { createScripts } from "../scripts/script-layers.ts";
import { openScriptStore } from "../scripts/scripts.ts";
import { bodyBudget } from "../serving/http-server.ts";
import { answered } from "../serving/http-servers.ts";
import { sourceMapFiles } from "../source-maps/files.ts";
import { createSpareTime, threadUtilization } from "../spare-time.ts";
import { createApp } from "./app.ts";
import { type Closers, createClosers } from "./closers.ts";
import type { KeptState } from "./kept-state.ts";
import { createTagPersistence } from "./persist-tags.ts";

export interface RunningAgent {
  /** Where points go: a folder or the gateway's hosts. */
  readonly target: string;
  /** With `isReload` requests that come from now on wait for the next one, and all connections go on. */
  close(isReload: boolean): Promise<void>;
}

export interface StartOptions {
  /** What it finds, and leaves behind. */
  readonly keptState: KeptState;
  readonly config: Config;
  readonly log: Log;
  /** Where changed global tags are kept. */
  readonly configFile?: string;
  /** Milliseconds a script may take on one point in the debug interface; the document's 15 s unless a test says so. */
  readonly debugDeadlineMs?: number;
  /** Nanoseconds since 1970; that of the machine unless a test says so. */
  readonly clock?: () => bigint;
  /** What `GET /restart` calls. */
  readonly restart: () => void;
}

const closeMs = 10_000;

/** Answers requests; that they come is up to the listeners of `standing`. */
export async function startAgent(options: StartOptions): Promise<RunningAgent> {
  const { add, close } = createClosers(options.log);
  try {
    return { ...(await start(options, add)), close };
  } catch (error) {
    await close(true);
    throw error;
  }
}

async function start(
  {
    keptState,
    config: configured,
    log,
    configFile,
    debugDeadlineMs = 15_000,
    clock = wallClock,
    restart,
  }: StartOptions,
  atClose: Closers["add"],
): Promise<Omit<RunningAgent, "close">> {
  const address = parseListenAddress(configured["http_api.listen"]);
  const dataDir = path.resolve(configured.data_dir);
  await keptState.lockFolder(configured);
  const hostname = configured["environments.ENV_HOSTNAME"] || machineName();
  const { metrics, httpServers } = keptState;
  forgetParts(metrics);
  const wasm = compileWasm();
  const rumFolder = path.join(dataDir, "rum");
  const processes = processCount(configured, log);
  const config = mainShare(configured, processes);
  const gateways = await openConfiguredGateways(config);
  atClose(() => gateways?.close());
  const spareTime = createSpareTime({ now: () => performance.now(), utilization: threadUtilization() });
  const upload = { config, gateways, spareTime, host: hostname, log, metrics };
  const { outlet, target } = await openOutlet({ ...upload, dataDir });
  metrics.outputInfo.set({ target }, 1);
  atClose(() => outlet.close());
  const orphanedQueues = await openOrphanedQueues(processes, upload);
  for (const each of orphanedQueues) atClose(() => each.close());
  const tellIntakes = () => void keptState.intakes.tell();
  const tags = createGlobalTags({
    hostname,
    address: machineAddress(),
    hostTags: { ...config.global_tags, ...config.global_host_tags },
    electionTags: config["election.enable_namespace_tag"]
      ? { election_namespace: config["election.namespace"], ...config["election.tags"] }
      : config["election.tags"],
    electionEnabled: config["election.enable"],
    persist: createTagPersistence(configFile, log),
    onChange: () => workers.setAggregating(aggregating()),
  });
  const sharding = createSharding(config, tags);
  const batchBytes = gateways !== undefined ? config["gateway.max_raw_body_size"] : 0;
  // Files hold lines, whatever uploads are made of.
  const batchForm = gateways !== undefined ? uploadForm(config) : "lp";
  const aggregating = () => ({
    hostTags: tags.forWrite(false, true),
    batchBytes,
    batchForm,
    shardKeys: sharding?.keys(),
  });
  const filters = createFilters({
    local: config["io.filters"],
    strictTypes: config["io.strict_types"],
    onChange: (sources) => {
      workers.setFilters(sources);
      tellIntakes();
    },
    log,
    metrics,
  });
  const aggregated = createAggregatedIngest({ outlet, filters, metrics, log });
  const surroundings = scriptEnvironment(config);
  const store = await openScriptStore(path.join(dataDir, "pipeline"), log, (files) => void takeScripts(files));
  atClose(() => store.close());
  const scripts = createScripts({
    defaults: config["pipeline.default_pipeline"],
    onChange: (layers) => {
      workers.setScripts(layers);
      tellIntakes();
    },
    onMatching: (matching) => workers.setMatching(matching),
  });
  const workers = startWorkers({
    wasm,
    count: config["http_api.workers"],
    inPlaceBytes: processes > 1 ? briefBytes : smallBytes,
    mostWaiting: config["http_api.max_waiting_writes"],
    maxSteps: config["pipeline.max_steps_per_point"],
    maxStepsPerWrite: config["pipeline.max_steps_per_write"],
    maxBytes: config["pipeline.max_bytes_per_point"],
    requestsMs: durationMs(config["pipeline.http_request_write_timeout"], 20_000),
    scripts: scripts.layers,
    matching: scripts.matching,
    filters: config["io.filters"],
    strictTypes: config["io.strict_types"],
    surroundings,
    aggregating: aggregating(),
    rum: {
      appIds: config["http_api.rum_app_id_white_list"],
      checkPoints: config["rum.check_points"],
      sourceMaps: config["rum.enable"]
        ? {
            folder: rumFolder,
            browserFrames: config["rum.resolve_browser_frames"],
            maxMapBytes: config["rum.max_map_bytes"],
          }
        : undefined,
    },
    spareTime,
    showErrors: keptState.scriptErrors.remote,
    log,
    metrics,
    onAggregated: (report) => aggregated.take(report),
  });
  atClose(() => workers.close());
  const takeScripts = createLocalScripts({
    kept: keptState.scriptsOf(configured),
    settle: workers.settle,
    onChange: scripts.setLocal,
    showErrors: keptState.scriptErrors.default,
    log,
    metrics,
  });
  // While the outlet is still open.
  atClose(async () => {
    await workers.drain();
    await aggregated.settled();
  });
  const pulls = startPulls({
    config,
    gateways,
    filters,
    scripts,
    sharding,
    folder: dataDir,
    clock,
    onClock: tellIntakes,
    log,
    metrics,
  });
  atClose(() => pulls.close());
  let tables: TablesInForce | null = null;
  const tableLoader = startTableLoader({
    url: config["pipeline.refer_table_url"],
    intervalMs: durationMs(config["pipeline.refer_table_pull_interval"], 300_000),
    maxBytes: config["pipeline.refer_table_max_bytes"],
    store: !config["pipeline.use_sqlite"]
      ? "memory"
      : config["pipeline.sqlite_mem_mode"]
        ? "sqlite-memory"
        : "sqlite-disk",
    folder: path.join(dataDir, "refer-tables"),
    log,
    metrics,
    onTables: (next) => {
      tables = next;
      workers.setTables(next);
    },
  });
  atClose(() => tableLoader.close());
  const labels = openObjectLabels(path.join(dataDir, "object-labels.json"));
  const choice = { scripts, matchByName: config["pipeline.match_by_name"] };
  const inputs = createInputs(metrics, config["http_api.max_inputs"]);
  const ingest = createIngest({
    ...choice,
    workers,
    outlet,
    tags,
    filters,
    sharding,
    inputs,
    metrics,
    log,
    maxBodyBytes: config["http_api.max_body_bytes"],
    maxPoints: config["http_api.max_points"],
    maxGrowth: config["http_api.max_growth"],
    batchBytes,
    batchForm,
    correctsTimes: config["io.auto_timestamp_correction"],
  });
  const budget = bodyBudget(config);
  const listenHost = hostOf(address);
  const tls = readTlsFiles(config["http_api.tls.cert"], config["http_api.tls.privkey"]);
  const app = createApp(
    {
      config,
      hostname,
      ingest,
      inputs,
      admission: createAdmission({
        ...choice,
        workers,
        minBytesPerSecond: config["http_api.min_body_bytes_per_second"],
      }),
      resolveStack: workers.resolveStack,
      checkArchive: workers.checkArchive,
      sourceMaps: sourceMapFiles(rumFolder),
      outlet,
      orphanedQueues,
      get intakes() {
        return keptState.intakes;
      },
      tags,
      labels,
      gateways,
      sharding,
      budget,
      metrics,
      log,
      wasm,
      debugDeadlineMs,
      // A script that is tried out sends no requests.
      debugSurroundings: { ...surroundings, requests: undefined },
      patterns: () => scripts.layers.patterns,
      tables: () => tables,
      restart,
      now: () => clock() + pulls.clockOffset,
    },
    listenHost,
  );
  await takeScripts(store.files);
  await Promise.all([app.ready(), workers.ready()]);
  httpServers.serve(config, tls, app.listener);
  atClose(async (isReload) => {
    if (isReload) {
      httpServers.hold();
      await answered(() => app.underWay, closeMs);
    }
    await within(app.close(), closeMs);
    if (!isReload) await httpServers.close(closeMs);
  });
  if (processes > 1) {
    const intakes = await openIntakes({
      config: intakeShare(configured, processes),
      count: processes - 1,
      hostname,
      listenHost,
      paused: keptState.paused,
      server: httpServers.server,
      isTls: tls !== undefined,
      tags,
      sharding,
      scripts,
      filters,
      clockOffset: () => pulls.clockOffset,
      log,
      metrics,
    });
    keptState.intakes = intakes;
    atClose(async (isReload) => {
      await (isReload ? intakes.pause() : intakes.close());
      keptState.intakes = noIntakes;
    });
    // What changed while they started.
    await intakes.tell();
  } else {
    await endPaused(keptState.paused);
  }
  atClose((isReload) => {
    if (!isReload) keptState.refuse();
  });
  return { target };
}

function machineAddress(): string {
  for (const addresses of Object.values(networkInterfaces())) {
    const found = addresses?.find((each) => !each.internal && each.family === "IPv4");
    if (found !== undefined) return found.address;
  }
  return "127.0.0.1";
}
