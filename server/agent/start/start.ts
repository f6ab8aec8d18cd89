// Assembles an agent and starts its parts: outputs, scripts, workers, and HTTP last. Closing the agent closes the parts
// in the reverse order (docs/reference/agent.md#restart).

import path from "node:path";
import { parseListenAddress } from "../../config/listen-address.ts";
import type { Config } from "../../config/schema.ts";
import type { Log } from "../../telemetry/log.ts";
import { forgetParts } from "../../telemetry/metrics.ts";
import type { Agent } from "../agent.ts";
import { wallClock } from "../engine.ts";
import { createAdmission } from "../ingest/admission.ts";
import type { Filters } from "../ingest/filters.ts";
import type { GlobalTags } from "../ingest/global-tags.ts";
import { createIngest } from "../ingest/ingest.ts";
import { createInputs } from "../ingest/input-counts.ts";
import type { Sharding } from "../ingest/sharding.ts";
import type { Workers } from "../ingest/workers/workers.ts";
import { createLiveSample, type LiveSample } from "../live/live-sample.ts";
import { openObjectLabels } from "../object-labels.ts";
import { createOpenApiRelay, type OpenApiTarget } from "../outputs/open-api.ts";
import { startPulls } from "../pulls/start-pulls.ts";
import type { Scripts } from "../scripts/script-layers.ts";
import { bodyBudget } from "../serving/http-server.ts";
import { sourceMapFiles } from "../source-maps/files.ts";
import { type Base, createBase } from "./base.ts";
import { type Closers, createClosers } from "./closers.ts";
import type { KeptState } from "./kept-state.ts";
import { openInputs } from "./open-inputs.ts";
import { type Outputs, openOutputs } from "./open-outputs.ts";
import { openPointPath } from "./open-point-path.ts";
import { openTables } from "./open-tables.ts";
import { rumFolder } from "./open-workers.ts";
import { createHttpApplication, serve, serveInProcesses } from "./serve.ts";

export interface RunningAgent {
  /** Description of where the points go: a folder, or the hosts of the gateways. */
  readonly target: string;
  /**
   * Closes the agent. With `isReload`, connections stay open, and new requests wait until the agent with the new
   * configuration has started.
   */
  close(isReload: boolean): Promise<void>;
}

export interface StartOptions {
  /**
   * Connections, scripts and other state that outlive a reload. This agent takes them over from the agent before the
   * reload, and leaves them to the agent after the next reload.
   */
  readonly keptState: KeptState;
  readonly config: Config;
  readonly log: Log;
  /** The configuration file, in which changed global tags are saved. */
  readonly configFile?: string;
  /**
   * Largest number of milliseconds that a script may run on one point in the script-debugging interface; 15 s by
   * default.
   */
  readonly debugDeadlineMs?: number;
  /**
   * Returns the Open API of the platform (the server that stores the points) when a platform runs in the same process;
   * undefined when none runs there.
   */
  readonly platform?: () => OpenApiTarget | undefined;
  /** Returns the time in nanoseconds since 1970; by default, the time of this machine's clock. */
  readonly clock?: () => bigint;
  /** Called for `GET /restart`. Reads the configuration again and replaces this agent by a new one. */
  readonly restart: () => void;
  /**
   * Called when an input, such as standard input, has read its source to the end. Shuts the agent down in the same way
   * as the signal SIGTERM does.
   */
  readonly end: () => void;
}

const defaultDebugDeadlineMs = 15_000;

/** Starts an agent. The agent answers the requests that arrive through the listeners of `keptState`. */
export async function startAgent(options: StartOptions): Promise<RunningAgent> {
  const { add, close } = createClosers(options.log);
  try {
    return { ...(await start(options, add)), close };
  } catch (error) {
    await close(true);
    throw error;
  }
}

async function start(options: StartOptions, atClose: Closers["add"]): Promise<Omit<RunningAgent, "close">> {
  const { keptState, config: configured, log, clock = wallClock } = options;
  const address = parseListenAddress(configured["http_api.listen"]);
  await keptState.lockFolder(configured);
  forgetParts(keptState.metrics);
  const base = createBase({ configured, keptState, clock, log, atClose });
  const { config, dataDir, metrics } = base;
  const outputs = await openOutputs(base);
  const { gateways, output, target } = outputs;
  const broadcastToIntakes = () => void keptState.intakes?.broadcast();
  const points = await openPointPath({ base, outputs, configFile: options.configFile, broadcastToIntakes });
  const { tags, sharding, filters, scripts, environment, workers } = points;
  const inForce = { filters, scripts, sharding };
  const pulls = startPulls({
    ...inForce,
    config,
    gateways,
    folder: dataDir,
    clock,
    onClock: broadcastToIntakes,
    log,
    metrics,
  });
  atClose(() => pulls.close());
  const tables = openTables(base, (next) => workers.set("tables", next));
  const live = createLiveSample({
    enabled: config["pipeline.live_points"],
    maxPoints: config["pipeline.live_points_max_count"],
    maxBytes: config["pipeline.live_points_max_bytes"],
    pointsPerSecond: config["pipeline.live_points_per_second"],
  });
  const openApi = createOpenApiRelay(config, options.platform);
  atClose(() => openApi.close());
  const agent: Agent = {
    ...ingestParts({ base, outputs, workers, tags, live, ...inForce }),
    config,
    hostname: base.hostname,
    resolveStack: workers.resolveStack,
    checkArchive: workers.checkArchive,
    sourceMaps: sourceMapFiles(rumFolder(dataDir)),
    scriptEdits: points.scriptEdits,
    live,
    output,
    orphanedQueues: outputs.orphanedQueues,
    get intakes() {
      return keptState.intakes;
    },
    tags,
    labels: openObjectLabels(path.join(dataDir, "object-labels.json")),
    gateways,
    openApi,
    sharding,
    budget: bodyBudget(config),
    metrics,
    log,
    wasm: base.wasm,
    debugDeadlineMs: options.debugDeadlineMs ?? defaultDebugDeadlineMs,
    // A script in the script-debugging interface may not send HTTP requests.
    debugEnvironment: { ...environment, requests: undefined },
    patterns: () => scripts.layers.patterns,
    tables,
    restart: options.restart,
    now: () => clock() + pulls.clockOffset,
  };
  const front = createHttpApplication(base, address, agent);

  await points.takeScripts();
  await Promise.all([front.app.ready(), workers.ready()]);
  serve(base, front);
  // The application cannot close while a request is open. Requests that wait for live points (a sample of the processed
  // points) could stay open for long. So they are answered before the application closes.
  atClose(() => live.close());
  await serveInProcesses(base, front, { ...inForce, tags, clockOffset: () => pulls.clockOffset });
  await openInputs(agent, options.end, base);
  atClose((isReload) => {
    if (!isReload) keptState.refuse();
  });
  return { target };
}

interface IngestParts {
  readonly base: Base;
  readonly outputs: Outputs;
  readonly workers: Workers;
  readonly live: LiveSample;
  readonly tags: GlobalTags;
  readonly filters: Filters;
  readonly scripts: Scripts;
  readonly sharding: Sharding | undefined;
}

/**
 * Creates the components that accept and process writes: the function that processes a write, the limit on waiting
 * writes, and the counters of inputs.
 */
function ingestParts({
  base: { config, metrics, log },
  outputs: { output, batchBytes, batchForm },
  workers,
  live,
  tags,
  filters,
  scripts,
  sharding,
}: IngestParts): Pick<Agent, "ingest" | "inputs" | "admission"> {
  const choice = { scripts, matchByName: config["pipeline.match_by_name"] };
  const inputs = createInputs(metrics, config["http_api.max_inputs"]);
  const ingest = createIngest({
    ...choice,
    workers,
    live,
    output,
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
  return { inputs, ingest, admission: createAdmission(workers, choice) };
}
