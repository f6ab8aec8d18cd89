// Opens the components that process points between the HTTP interface and the output: global tags, filters, scripts,
// worker threads. Passes changes of tags, filters and scripts to the workers and the intake processes (further
// processes that accept writes).

import path from "node:path";
import { createAggregatedIngest } from "../ingest/aggregated.ts";
import { createFilters, type Filters } from "../ingest/filters.ts";
import { createGlobalTags, type GlobalTags } from "../ingest/global-tags.ts";
import { createSharding, type Sharding } from "../ingest/sharding.ts";
import type { Aggregating } from "../ingest/workers/messages.ts";
import type { Workers } from "../ingest/workers/workers.ts";
import { createLocalScripts } from "../scripts/local-scripts.ts";
import { createSavedFiles } from "../scripts/saved-files.ts";
import { createScriptEdits, type ScriptEdits } from "../scripts/script-edits.ts";
import { type ScriptEnvironment, scriptEnvironment } from "../scripts/script-environment.ts";
import { createScripts, type Scripts } from "../scripts/script-layers.ts";
import { openScriptStore } from "../scripts/scripts.ts";
import { type Base, machineAddress } from "./base.ts";
import type { Outputs } from "./open-outputs.ts";
import { openWorkers } from "./open-workers.ts";
import { createTagPersistence } from "./persist-tags.ts";

/** The components that process points, and the functions that change them while the agent runs. */
export interface PointPath {
  readonly tags: GlobalTags;
  /** Computes the header X-Global-Tags of uploads; undefined when requests have no such header. */
  readonly sharding: Sharding | undefined;
  readonly filters: Filters;
  readonly scripts: Scripts;
  readonly environment: ScriptEnvironment;
  readonly workers: Workers;
  readonly scriptEdits: ScriptEdits;
  /** Loads the agent's scripts from the script files. */
  takeScripts(): Promise<void>;
}

export interface PointPathOptions {
  readonly base: Base;
  readonly outputs: Outputs;
  /** The configuration file, in which changed global tags are saved; undefined when there is none. */
  readonly configFile: string | undefined;
  readonly broadcastToIntakes: () => void;
}

export async function openPointPath({
  base,
  outputs,
  configFile,
  broadcastToIntakes,
}: PointPathOptions): Promise<PointPath> {
  const { config, configured, dataDir, keptState, log, metrics, atClose } = base;
  const { output } = outputs;
  const tags = openTags(base, configFile, () => workers.set("aggregating", aggregating()));
  const sharding = createSharding(config, tags);
  const aggregating = () => aggregatingOf(outputs, tags, sharding);
  const filters = createFilters({
    local: config["io.filters"],
    strictTypes: config["io.strict_types"],
    onChange: (sources) => {
      workers.set("filters", sources);
      broadcastToIntakes();
    },
    log,
    metrics,
  });
  const aggregated = createAggregatedIngest({ output, filters, metrics, log });

  const environment = scriptEnvironment(config);
  const folder = path.join(dataDir, "pipeline");
  const store = await openScriptStore(folder, log, (files) => void takeScripts(files));
  atClose(() => store.close());
  const scripts = createScripts({
    defaults: config["pipeline.default_pipeline"],
    onChange: (layers) => {
      workers.set("scripts", layers);
      broadcastToIntakes();
    },
    onMatching: (matching) => workers.set("matching", matching),
  });
  const workers = openWorkers({
    base,
    outputs,
    scripts,
    environment,
    aggregating: aggregating(),
    onAggregated: (report) => aggregated.take(report),
  });
  const takeScripts = createLocalScripts({
    kept: keptState.scriptsOf(configured),
    chooseVersions: workers.chooseVersions,
    onChange: scripts.setLocal,
    showErrors: keptState.scriptErrors.default,
    log,
    metrics,
  });
  const scriptEdits = createScriptEdits({
    maySave: config["pipeline.save_scripts"],
    files: () => store.files,
    reread: () => store.reread(),
    layers: () => scripts.layers,
    saved: createSavedFiles(folder),
    chooseVersions: workers.chooseVersions,
    scriptErrors: keptState.scriptErrors,
    metrics,
  });
  // When the agent closes, aggregations of scripts release their points, and the output must still be open then.
  // So this function, which makes the workers release the points, is registered to run before the output is
  // closed.
  atClose(async () => {
    await workers.drain();
    await aggregated.whenIdle();
  });
  const takeFiles = () => takeScripts(store.files);
  return { tags, sharding, filters, scripts, environment, workers, scriptEdits, takeScripts: takeFiles };
}

/** Creates the global tags (tags that the agent adds to every point) from the configuration. */
function openTags({ config, hostname, log }: Base, configFile: string | undefined, onChange: () => void): GlobalTags {
  const electionTags = config["election.tags"];
  return createGlobalTags({
    hostname,
    address: machineAddress(),
    hostTags: { ...config.global_tags, ...config.global_host_tags },
    electionTags: config["election.enable_namespace_tag"]
      ? { election_namespace: config["election.namespace"], ...electionTags }
      : electionTags,
    electionEnabled: config["election.enable"],
    persist: createTagPersistence(configFile, log),
    onChange,
  });
}

/** Returns the settings with which workers encode the points that aggregations of scripts release. */
function aggregatingOf(
  { batchBytes, batchForm }: Outputs,
  tags: GlobalTags,
  sharding: Sharding | undefined,
): Aggregating {
  return { hostTags: tags.forWrite(false, true), batchBytes, batchForm, shardKeys: sharding?.keys() };
}
