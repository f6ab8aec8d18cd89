// The declaration of a protocol with which senders (such as Loki's or Splunk's clients) push data to the agent.
// `pushes.ts` lists the declarations. The routes, the error answers, the answers for unknown paths, the checks
// of `millrace doctor` and the metrics of each protocol are derived from its declaration.

import type { Config } from "../../../config/schema.ts";
import type { ErrorCode } from "../../../http/errors.ts";

/** Name of a protocol, in metrics and in its table of the configuration, `[inputs.<name>]`. */
export type PushName = "influx" | "loki" | "elasticsearch" | "splunk_hec" | "json_lines";

/** An answer to a sender, in the format of the sender's protocol. */
export interface PushAnswer {
  readonly status: number;
  /** The body of the answer; absent when the answer has none. */
  readonly body?: string | Uint8Array;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * The kinds of refused requests. Each kind gets a special answer in at least one protocol. `no data`: the body is empty
 * or holds no points. `path`: no route has the path.
 */
export type RefusalKind = "request" | "no token" | "wrong token" | "no data" | "path";

/** A request that the agent refuses. */
export interface Refused {
  readonly kind: RefusalKind;
  readonly status: number;
  readonly message: string;
  /** URL path of the refused request. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Error code of the agent for this refusal; absent when there is none. */
  readonly code?: ErrorCode;
  /** Further members of the answer to the refused request. Their names and meanings depend on the protocol. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

export interface Push {
  readonly name: PushName;
  /** Name of the protocol that log and error messages show. */
  readonly title: string;
  /** Paths to which senders write. The first path is the usual one. */
  readonly paths: readonly string[];
  /** Returns whether a path for which there is no route probably comes from a sender of the protocol. */
  looksLike(path: string): boolean;
  /** Returns the answer, in the format of the protocol, to a refused request. */
  refusal(refused: Refused): PushAnswer;
}

export function isOn({ name }: Pick<Push, "name">, config: Config): boolean {
  return config[`inputs.${name}.enable`];
}

/** Returns the token that each request must have; empty when no token is required. */
export function tokenOf({ name }: Pick<Push, "name">, config: Config): string {
  return config[`inputs.${name}.token`];
}

/** An error that the handler of a route throws to refuse the request. */
export class PushRefusal extends Error {
  readonly status: number;
  readonly kind: RefusalKind;
  readonly detail: Readonly<Record<string, unknown>>;

  /** `detail`: further members of the answer, whose names and meanings depend on the protocol. */
  constructor(
    status: number,
    message: string,
    kind: RefusalKind = "request",
    detail: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
    this.status = status;
    this.kind = kind;
    this.detail = detail;
  }
}
