// Evaluates the reports that worker threads send after they have compiled scripts. The reports show whether the
// current scripts can run, which scripts keep state, and which scripts of the gateway are in force.

import type { CategoryName } from "../../../../lib/point/index.ts";
import type { Log } from "../../../telemetry/log.ts";
import type { Metrics } from "../../../telemetry/metrics.ts";
import { namespaces } from "../../scripts/namespaces.ts";
import type { ShowScriptErrors } from "../../scripts/script-errors.ts";
import type { ScriptLayers, ScriptName } from "../../scripts/script-sources.ts";
import type { WriteJob } from "../write-job.ts";
import { anyScript } from "../write-request.ts";
import type { ScriptReport } from "./messages.ts";

export interface CompiledScriptsOptions {
  /** Shows in the metrics the compile errors of the scripts that the gateway sent. */
  readonly showErrors: ShowScriptErrors;
  readonly log: Log;
  readonly metrics: Metrics;
}

export class CompiledScripts {
  /** Counts how often the set of scripts was replaced. The count identifies the current set of scripts. */
  generation = 0;
  private readonly options: CompiledScriptsOptions;
  /**
   * The generation (count of replacements) of the latest set of scripts that a worker has compiled; -1 before a worker
   * has compiled any.
   */
  private compiled = -1;
  private readonly areReady: (() => void)[] = [];
  private stateful = new Set<string>();
  private statefulCategories = new Set<CategoryName>();
  /** The scripts that the gateway sent and that the metrics currently show as in force. */
  private shown: readonly ScriptName[] = [];

  constructor(options: CompiledScriptsOptions) {
    this.options = options;
  }

  /**
   * Returns whether the script of a write keeps state between points. If so, the same worker must run the script
   * on all points. Until a worker has compiled the current set of scripts, returns true for every script.
   */
  keepsState({ category, script }: WriteJob): boolean {
    if (!this.isCurrent && script !== undefined) return true;
    return script === anyScript ? this.statefulCategories.has(category) : this.stateful.has(`${category}/${script}`);
  }

  /** Whether a worker has compiled the current set of scripts. */
  get isCurrent(): boolean {
    return this.compiled === this.generation;
  }

  /** The categories in which at least one script in force keeps state between points. */
  get categoriesWithState(): Iterable<CategoryName> {
    return this.statefulCategories;
  }

  /** Resolves when a worker has compiled the current set of scripts. */
  ready(): Promise<void> {
    if (this.isCurrent) return Promise.resolve();
    return new Promise((resolve) => this.areReady.push(resolve));
  }

  /** Evaluates the report of a worker about the compiled scripts. `scripts` are the current scripts. */
  take(report: ScriptReport, scripts: ScriptLayers): void {
    // Every worker compiles the same scripts and sends the same report. So only the first report about the current set
    // of scripts counts.
    if (report.generation !== this.generation || this.isCurrent) return;
    this.compiled = this.generation;
    for (const isReady of this.areReady.splice(0)) isReady();
    this.stateful = new Set(report.stateful.map(({ category, name }) => `${category}/${name}`));
    this.statefulCategories = new Set(report.stateful.map(({ category }) => category));
    const failed = new Set(report.failed.map(idOf));
    const inForce = namesOf(scripts).filter((script) => !failed.has(idOf(script)));
    this.logErrors(report, inForce);
    this.show(ofGateway(inForce));
  }

  private logErrors(report: ScriptReport, inForce: readonly ScriptName[]): void {
    const { showErrors, log } = this.options;
    const local = new Set(inForce.filter(({ namespace }) => namespace === "default").map(idOf));
    for (const { category, name, error } of showErrors(ofGateway(report.failed)).added) {
      const instead = local.has(idOf({ category, name, namespace: "default" }))
        ? "; the local one takes its place"
        : "";
      log.error(`script ${category}/${name} of the gateway is not in force: ${error}${instead}`);
    }
  }

  private show(inForce: readonly ScriptName[]): void {
    const { pipelineUpdated } = this.options.metrics;
    for (const script of this.shown) pipelineUpdated.remove({ ...script });
    this.shown = inForce;
    for (const script of inForce) pipelineUpdated.set({ ...script }, Date.now() / 1000);
  }
}

function namesOf(layers: ScriptLayers): ScriptName[] {
  return namespaces.flatMap((namespace) =>
    Object.entries(layers[namespace]).flatMap(([category, sources]) =>
      Object.keys(sources).map((name) => ({ category: category as CategoryName, name, namespace })),
    ),
  );
}

function ofGateway<T extends ScriptName>(scripts: readonly T[]): readonly T[] {
  return scripts.filter(({ namespace }) => namespace === "remote");
}

function idOf({ category, name, namespace }: ScriptName): string {
  return `${namespace}/${category}/${name}`;
}
