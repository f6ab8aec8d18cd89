// The declaration of a protocol whose senders push data to the agent. `pushes.ts` lists them; routes, refusals, the
// answers for unknown paths, `millrace doctor` and the metrics read the declarations.

import type { Config } from "../../../config/schema.ts";
import type { ErrorCode } from "../../../http/errors.ts";

/** Name of a protocol: of its table in the configuration, `[inputs.<name>]`, and in metrics. */
export type PushName = "influx" | "loki" | "elasticsearch" | "splunk_hec" | "json_lines";

/** An answer in the form of a protocol. */
export interface PushAnswer {
  readonly status: number;
  /** The body; absent = none. */
  readonly body?: string | Uint8Array;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The kinds of refusals that protocols tell apart. */
export type RefusalKind = "request" | "no token" | "wrong token" | "no data" | "path";

/** A request that is refused. */
export interface Refused {
  readonly kind: RefusalKind;
  readonly status: number;
  readonly message: string;
  /** URL path of the request. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Error code of the agent for this refusal; absent when it has none. */
  readonly code?: ErrorCode;
  /** Members of the answer that only this protocol has. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

export interface Push {
  readonly name: PushName;
  /** Name of the protocol in messages. */
  readonly title: string;
  /** Paths that senders write to. The first is the usual one. */
  readonly paths: readonly string[];
  /** Returns whether a sender of this protocol may ask for the path, which no route takes. */
  looksLike(path: string): boolean;
  /** Returns the answer to a refused request. */
  refusal(refused: Refused): PushAnswer;
}

export function isOn({ name }: Pick<Push, "name">, config: Config): boolean {
  return config[`inputs.${name}.enable`];
}

/** Returns the token that each request has to bring; empty when none is asked. */
export function tokenOf({ name }: Pick<Push, "name">, config: Config): string {
  return config[`inputs.${name}.token`];
}

/** Thrown by the handler of a push to refuse the request. */
export class PushRefusal extends Error {
  readonly status: number;
  readonly kind: RefusalKind;
  readonly detail: Readonly<Record<string, unknown>>;

  /** `detail`: members of the answer that only this protocol has. */
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
