// Sends a request to its targets (docs/reference/gateway.md#order-of-the-checks), one copy to each. Each copy has its
// own outcome. A copy is done when the target accepts it. A copy that the target refuses becomes a dead letter (a
// stored request that is not sent again), unless the client brought its own token. A copy that fails is stored on disk
// and sent again until the target accepts it.

import { durationMs } from "../config/go-duration.ts";
import type { Config } from "../config/schema.ts";
import { masked } from "../outbound/masked-secrets.ts";
import { classificationOf } from "../outbound/retry-classification.ts";
import { openUpstream, type Upstream, type UpstreamAnswer } from "../outbound/upstream.ts";
import type { Log } from "../telemetry/log.ts";
import { statusText } from "../telemetry/metrics.ts";
import type { ForwardedRequest } from "./forwarded-request.ts";
import { type KeepResult, type KeptRequests, keptRequests } from "./kept-requests.ts";
import type { GatewayMetrics } from "./metrics.ts";
import type { Target, Targets } from "./targets.ts";

/** The outcome of sending a request to one of its targets. */
export type ForwardOutcome =
  | { readonly kind: "answered"; readonly answer: UpstreamAnswer; readonly target: Target; readonly taken: boolean }
  | { readonly kind: "kept" }
  /**
   * The target did not accept the copy, and the copy could not be stored on disk either; `keeping` is the reason why
   * the copy could not be stored.
   */
  | { readonly kind: "failed"; readonly status: number | string; readonly keeping: Exclude<KeepResult, "kept"> };

export interface Copy {
  readonly sent: ForwardedRequest;
  readonly target: Target;
}

export interface Forwarder {
  /**
   * Sends the copies of a request. A copy is not sent again if its target accepted it before, or if it is already
   * stored on disk for the target. The id in `X-Pkg-Id` and the target identify a copy, because requests with the same
   * id contain the same points.
   */
  sendAll(copies: readonly Copy[]): Promise<ForwardOutcome[]>;
  /** Sends a request to one target and returns the answer. The request is never stored on disk. */
  ask(sent: ForwardedRequest, target: Target, path: string): Promise<UpstreamAnswer>;
  measure(): void;
  /** Returns the reasons why requests cannot be stored on disk at the moment; an empty list when they can. */
  problems(): readonly string[];
  close(): Promise<void>;
}

export interface ForwarderOptions {
  readonly config: Config;
  readonly targets: Targets;
  /** The folder that holds the queues of requests on disk. */
  readonly folder: string;
  readonly log: Log;
  readonly metrics: GatewayMetrics;
}

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
  const delivered = new DeliveredCopies();
  return {
    sendAll: async (copies) => {
      const outcomes = await Promise.all(
        copies.map(async (copy): Promise<ForwardOutcome> => {
          if (delivered.has(copy)) return { kind: "kept" };
          const outcome = await sendOne(copy, { upstream, kept, metrics });
          const { answer } = outcome.kind === "answered" ? outcome : {};
          metrics.answerBytes.observe({ api: copy.sent.api }, answer?.bytes.length ?? 0);
          return outcome;
        }),
      );
      delivered.remember(copies, outcomes);
      return outcomes;
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
}

interface Sending {
  readonly upstream: Upstream;
  readonly kept: KeptRequests;
  readonly metrics: GatewayMetrics;
}

/** Sends a copy to its target. When the target does not accept the copy, stores it on disk. */
async function sendOne({ sent, target }: Copy, { upstream, kept, metrics }: Sending): Promise<ForwardOutcome> {
  const url = target.urlOf(sent.path, sent.query);
  if (target.breaker.isOpen && kept.isOn) {
    if ((await kept.keep(target.name, sent, url, "resting")) === "kept") return { kind: "kept" };
  }
  const answer = await upstream.send({ ...sent, url });
  const classification = classificationOf(target.origin, answer);
  // All clients with their own tokens share one circuit breaker (which pauses sending after failures). The status 429
  // means that one client sends too fast, so it must not pause the other clients.
  if (target.buries || answer.status !== 429) target.breaker.note(classification.kind !== "again");
  if (classification.kind === "taken") {
    metrics.sentPoints.inc({ api: sent.api }, sent.points);
    return { kind: "answered", answer, target, taken: true };
  }
  const reason = masked(classification.reason, target.token);
  if (classification.kind === "refused") {
    if (target.buries) await kept.bury(target.name, sent, url, reason);
    return { kind: "answered", answer, target, taken: false };
  }
  const cause = typeof answer.status === "string" ? answer.status : statusText(answer.status);
  const keeping = await kept.keep(target.name, sent, url, cause, reason);
  return keeping === "kept" ? { kind: "kept" } : { kind: "failed", status: answer.status, keeping };
}

/** Maximum number of remembered requests, which have failed for some of their targets but not for all. */
const rememberedPackages = 10_000;

/**
 * Remembers requests that were delivered only in part: which copies were accepted by their target or stored on disk.
 */
class DeliveredCopies {
  /**
   * For each request id, the names of the targets whose copy is delivered: the target accepted the copy, or the copy is
   * stored on disk for it. The oldest request comes first.
   */
  private readonly targets = new Map<string, Set<string>>();

  has(copy: Copy): boolean {
    return this.targets.get(requestId(copy))?.has(copy.target.name) ?? false;
  }

  /**
   * Updates what is remembered about a request, after its copies were sent. When a copy has failed, remembers which
   * other copies were delivered. When no copy has failed, forgets the request.
   */
  remember(copies: readonly Copy[], outcomes: readonly ForwardOutcome[]): void {
    const isDone = outcomes.every(({ kind }) => kind !== "failed");
    for (const [at, copy] of copies.entries()) {
      const id = requestId(copy);
      if (id === "") continue;
      if (isDone) this.targets.delete(id);
      else if (outcomes[at].kind !== "failed") this.add(id, copy.target.name);
    }
  }

  private add(id: string, target: string): void {
    const names = this.targets.get(id) ?? new Set();
    names.add(target);
    this.targets.set(id, names);
    if (this.targets.size > rememberedPackages) this.targets.delete(this.targets.keys().next().value!);
  }
}

function requestId({ sent }: Copy): string {
  return sent.headers["x-pkg-id"] ?? "";
}
