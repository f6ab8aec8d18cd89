// Sends one copy of a request to each of its targets (docs/reference/gateway.md#order-of-the-checks). Each copy
// has its own outcome. A target that accepts its copy needs nothing more. A copy that a target refuses becomes a
// dead letter (it is stored but not sent again), unless the client brought its own token. A copy that could not
// be delivered is stored on disk and sent again until the target accepts it.

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
   * Sends the copies of a request. When a client repeats a request, a copy is not sent again if its target has
   * already accepted it or if it is already stored on disk for this target. A copy is recognized by its target and
   * the request id in `X-Pkg-Id`, because requests with the same id contain the same points.
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
  // All clients that bring their own tokens share one circuit breaker (which pauses sending after failures). The
  // status 429 means only that one of these clients sends too fast. So 429 must not pause the sending for the
  // other clients.
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

/**
 * Maximum number of remembered requests. A request is remembered when it failed for some of its targets but not
 * for all.
 */
const rememberedPackages = 10_000;

/**
 * Remembers the requests that could be delivered to only some of their targets, and for each of them the copies
 * that were accepted by their target or stored on disk.
 */
class DeliveredCopies {
  /**
   * The names of the targets whose copy is delivered, by request id; the oldest request comes first. A copy is
   * delivered when the target has accepted it or when it is stored on disk.
   */
  private readonly targets = new Map<string, Set<string>>();

  has(copy: Copy): boolean {
    return this.targets.get(requestId(copy))?.has(copy.target.name) ?? false;
  }

  /**
   * Updates the memory of a request after its copies were sent. When a copy has failed, remembers which other
   * copies of the request were delivered. When no copy has failed, forgets the request.
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
