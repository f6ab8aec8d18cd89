// Contains the current sink rules, which choose the targets of a request (docs/reference/gateway.md#sink-rules).
// The rules are read from a file. When the file changes, all rules are replaced. If the changed file has a
// mistake, the old rules stay in use; if there are no old rules, all requests that the rules should route are
// refused.

import {
  createSinkMatcher,
  loadSinkRules,
  type MatchMode,
  type SinkDecision,
  type SinkRules,
} from "../../lib/sharding/index.ts";
import type { Log } from "../telemetry/log.ts";
import type { GatewayMetrics } from "./metrics.ts";
import { type RuleFile, watchRuleFile } from "./rule-file.ts";

/**
 * State of the sink rules (rules that route requests to targets): `off` when no rules are configured, `invalid` when
 * the configured rules cannot be used.
 */
export type SinkState =
  | { readonly kind: "off" }
  | { readonly kind: "invalid"; readonly reason: string }
  | { readonly kind: "on"; readonly rules: SinkRules };

export interface Sinker {
  readonly state: SinkState;
  /** The text of the file from which the rules in force were read; undefined when no rules are in force. */
  readonly text: string | undefined;
  /** The reason why the file of rules was refused when it was last read; empty when it was not refused. */
  readonly fault: string;
  /**
   * Returns the targets that the sink rules choose for a request. May be called only while rules are in force (state
   * `on`).
   */
  decide(header: string, path: string, mode: MatchMode): SinkDecision;
  reload(): void;
  close(): void;
}

export interface SinkerOptions {
  readonly file: string;
  /** Whether a missing file means that there are no rules. Otherwise a missing file is an error. */
  readonly mayBeMissing: boolean;
  readonly log: Log;
  readonly metrics: GatewayMetrics;
}

export function openSinker({ file, mayBeMissing, log, metrics }: SinkerOptions): Sinker {
  let state: SinkState = { kind: "off" };
  let inForce: string | undefined;
  let fault = "";
  let match = createSinkMatcher({ strict: true, entries: [], defaultEntry: undefined });

  const noteCache = (knew: boolean, size: number): void => {
    (knew ? metrics.cacheHits : metrics.cacheMisses).inc();
    metrics.cacheSize.set(size);
  };

  const failed = (reason: string): void => {
    fault = reason;
    const kept = state.kind === "on" ? state.rules.entries.length : 0;
    log.error(`sinker reload failed: ${reason}, keep ${kept} old rules`);
    metrics.pulls.inc({ event: "failed", source: "file" });
    metrics.ruleErrors.reset();
    metrics.ruleErrors.set({ error: reason }, 1);
    if (state.kind !== "on") state = { kind: "invalid", reason };
  };

  const take = (text: string): void => {
    const { rules, problems } = loadSinkRules(text);
    for (const { severity, message } of problems) if (severity === "warning") log.warn(message);
    if (rules === undefined) {
      const errors = problems.filter(({ severity }) => severity === "error");
      failed(errors.map(({ message }) => message).join("; "));
      return;
    }
    state = { kind: "on", rules };
    inForce = text;
    fault = "";
    match = createSinkMatcher(rules, noteCache);
    metrics.pulls.inc({ event: "ok", source: "file" });
    metrics.ruleErrors.reset();
    metrics.rulesApplied.set({ source: "file" }, Date.now() / 1000);
    const hasDefault = rules.defaultEntry === undefined ? "no" : "yes";
    log.info(
      `sinker reload ok: ${rules.entries.length} rules, strict=${rules.strict}, default=${hasDefault}, source=${file}`,
    );
  };

  const watched: RuleFile = watchRuleFile({
    file,
    onText: take,
    onFailure: (error) => {
      const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
      if (!(isMissing && mayBeMissing && state.kind === "off")) failed(error.message);
    },
  });

  return {
    get state() {
      return state;
    },
    get text() {
      return inForce;
    },
    get fault() {
      return fault;
    },
    decide: (header, path, mode) => {
      const began = performance.now();
      const decision = match(header, path, mode);
      metrics.ruleSeconds.observe({}, (performance.now() - began) / 1000);
      return decision;
    },
    reload: watched.reload,
    close: watched.close,
  };
}
