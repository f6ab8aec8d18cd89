// Sends a request to its targets (docs/reference/gateway.md#order-of-the-checks), one copy each. Each copy has its own
// outcome. When the target takes it, it is done. When the target refuses it, it becomes a dead letter, unless the
// client brought its own token. When it fails, it is kept on disk and sent again until the target takes it.

import { durationMs } from "../config/go-duration.ts";
import type { Config } from "../config/schema.ts";
import { masked } from "../outbound/masked-secrets.ts";
import { classificationOf } from "../outbound/retry-classification.ts";
import { openUpstream, type UpstreamAnswer } from "../outbound/upstream.ts";
import type { Log } from "../telemetry/log.ts";
import { statusText } from "../telemetry/metrics.ts";
import { type Keeping, keptRequests } from "./kept-requests.ts";
import type { GatewayMetrics } from "./metrics.ts";
import type { Package } from "./package.ts";
import type { Target, Targets } from "./targets.ts";

/** Outcome of one copy. */
export type Fate =
  | { readonly kind: "answered"; readonly answer: UpstreamAnswer; readonly target: Target; readonly taken: boolean }
  | { readonly kind: "kept" }
  /** Neither taken nor kept; `keeping` is the reason. */
  | { readonly kind: "failed"; readonly status: number | string; readonly keeping: Exclude<Keeping, "kept"> };

export interface Copy {
  readonly sent: Package;
  readonly target: Target;
}

export interface Forwarder {
  /**
   * Sends the copies. A copy that a target already took, or that is already kept for it, is not sent again. `X-Pkg-Id`
   * and the target identify a copy: packages with the same id hold the same points.
   */
  sendAll(copies: readonly Copy[]): Promise<Fate[]>;
  /** Sends a request to one target and returns its answer; never keeps it on disk. */
  ask(sent: Package, target: Target, path: string): Promise<UpstreamAnswer>;
  measure(): void;
  /** Returns why no more requests can be kept; an empty list when they can. */
  problems(): readonly string[];
  close(): Promise<void>;
}

export interface ForwarderOptions {
  readonly config: Config;
  readonly targets: Targets;
  /** Folder of the queues. */
  readonly folder: string;
  readonly log: Log;
  readonly metrics: GatewayMetrics;
}

/** Most packages to remember that failed for only some of their targets. */
const rememberedPackages = 10_000;

export async function openForwarder(options: ForwarderOptions): Promise<Forwarder> {
  const { config, targets, metrics } = options;
  const upstream = openUpstream({
    timeoutMs: durationMs(config["gateway_api.http_timeout"], 30_000),
    proxy: config["gateway_api.http_proxy"],
    caFile: config["gateway_api.tls_ca"],
    insecure: config["gateway_api.insecure_skip_verify"],
    connections: config["gateway_api.http_max_conn_perhost"],
  });
  const kept = await keptRequests({ ...options, upstream, breakerOf: targets.breakerOf });
  /** For each package id, the names of the targets that took or kept it, oldest package first. */
  const done = new Map<string, Set<string>>();

  const sendOne = async ({ sent, target }: Copy): Promise<Fate> => {
    const url = target.urlOf(sent.path, sent.query);
    if (target.breaker.isOpen && kept.isOn) {
      if ((await kept.keep(target.name, sent, url, "resting")) === "kept") return { kind: "kept" };
    }
    const answer = await upstream.send({ ...sent, url });
    const verdict = classificationOf(target.origin, answer);
    // Clients with their own tokens share one circuit breaker: that one client sends too fast (429) says nothing about
    // the others.
    if (target.buries || answer.status !== 429) target.breaker.note(verdict.kind !== "again");
    if (verdict.kind === "taken") {
      metrics.sentPoints.inc({ api: sent.api }, sent.points);
      return { kind: "answered", answer, target, taken: true };
    }
    const reason = masked(verdict.reason, target.token);
    if (verdict.kind === "refused") {
      if (target.buries) await kept.bury(target.name, sent, url, reason);
      return { kind: "answered", answer, target, taken: false };
    }
    const cause = typeof answer.status === "string" ? answer.status : statusText(answer.status);
    const keeping = await kept.keep(target.name, sent, url, cause, reason);
    return keeping === "kept" ? { kind: "kept" } : { kind: "failed", status: answer.status, keeping };
  };

  return {
    sendAll: async (copies) => {
      const ids = copies.map(({ sent }) => sent.headers["x-pkg-id"] ?? "");
      const fates = await Promise.all(
        copies.map(async (copy, at): Promise<Fate> => {
          if (done.get(ids[at])?.has(copy.target.name)) return { kind: "kept" };
          const fate = await sendOne(copy);
          const { answer } = fate.kind === "answered" ? fate : {};
          metrics.answerBytes.observe({ api: copy.sent.api }, answer?.bytes.length ?? 0);
          return fate;
        }),
      );
      remember(ids, copies, fates);
      return fates;
    },
    ask: async (sent, target, path) => {
      const answer = await upstream.send({ ...sent, url: target.urlOf(path, sent.query) });
      metrics.answerBytes.observe({ api: sent.api }, answer.bytes.length);
      return answer;
    },
    measure: () => kept.measure(),
    problems: () => kept.problems(),
    close: async () => {
      await kept.close();
      await upstream.close();
    },
  };

  function remember(ids: readonly string[], copies: readonly Copy[], fates: readonly Fate[]): void {
    const isDone = fates.every(({ kind }) => kind !== "failed");
    for (const [at, id] of ids.entries()) {
      if (id === "") continue;
      if (isDone) done.delete(id);
      else if (fates[at].kind !== "failed") {
        const names = done.get(id) ?? new Set();
        names.add(copies[at].target.name);
        done.set(id, names);
        if (done.size > rememberedPackages) done.delete(done.keys().next().value!);
      }
    }
  }
}
