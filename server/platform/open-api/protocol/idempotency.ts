// Handles the request header `Idempotency-Key` of requests that change something
// (docs/reference/open-api.md#a-change-that-is-sent-twice). When a client sends such a request twice within 24
// hours, the change is made once, and the second request gets the answer of the first. An answer that reports an
// error of the platform is not stored, so the client can send the failed request again.

import { sha256 } from "../../../../lib/digest/index.ts";
import { AnotherRequest, type Replayed, type Replays, StillWorking } from "../../metadata/replays.ts";
import type { Performed } from "./dispatch.ts";
import { invalidParameter, OpenApiError, type OpenApiErrorCode } from "./errors.ts";
import type { Route } from "./route.ts";

const header = "Idempotency-Key";

export interface SentOnce {
  /** The value of the header `Idempotency-Key`. */
  readonly name: string;
  /** The uuid of the API key that sent the request. */
  readonly actor: string;
  readonly method: string;
  readonly url: string;
  /**
   * The value of the header If-Match. It is part of the digest that identifies a repeated request. When a client
   * reads the object again and then sends the new version in this header, its request counts as a different
   * request.
   */
  readonly ifMatch: string;
  readonly bytes: Uint8Array;
}

interface KeptError {
  readonly code: OpenApiErrorCode;
  readonly message: string;
  readonly parameter?: string | undefined;
}

export async function performOnce(
  replays: Replays,
  { name, actor, method, url, ifMatch, bytes }: SentOnce,
  route: Route,
  act: () => Promise<Performed>,
): Promise<{ readonly performed: Performed; readonly isReplay: boolean }> {
  if (!/^[\x21-\x7e]{1,64}$/.test(name)) throw invalidParameter(header, "must have 1 to 64 characters");
  let performed: Performed | undefined;
  let failed: OpenApiError | undefined;
  const work = async (): Promise<Replayed> => {
    try {
      performed = await act();
      return { status: 200, answer: shownAgain(route, performed.content), etag: performed.etag ?? "" };
    } catch (error) {
      if (!(error instanceof OpenApiError) || error.status >= 500) throw error;
      failed = error;
      const { code, status, message, parameter } = error;
      return { status, answer: JSON.stringify({ code, message, parameter } satisfies KeptError), etag: "" };
    }
  };
  const head = ifMatch === "" ? `${method} ${url}\n` : `${method} ${url}\nIf-Match: ${ifMatch}\n`;
  const request = sha256(new Uint8Array([...new TextEncoder().encode(head), ...bytes]));
  try {
    const { status, answer, etag, isReplay } = await replays.once({ actor, name, request }, work);
    if (!isReplay) {
      if (failed !== undefined) throw failed;
      return { performed: performed!, isReplay };
    }
    if (status === 200) return { performed: { content: answer, etag }, isReplay };
    const { code, message, parameter } = JSON.parse(answer) as KeptError;
    throw new OpenApiError(code, message, parameter === undefined ? {} : { parameter });
  } catch (error) {
    if (error instanceof AnotherRequest) throw invalidParameter(header, "was sent with another request");
    if (error instanceof StillWorking) {
      throw new OpenApiError("InternalError", undefined, { headers: { "retry-after": "1" } });
    }
    throw error;
  }
}

/**
 * Returns an answer without its secrets, for storage. A secret is shown only in the first answer, not in
 * repeated ones.
 */
function shownAgain({ secrets = [] }: Route, content: string): string {
  if (secrets.length === 0) return content;
  const blank = (value: unknown, [member, ...more]: readonly string[]): unknown => {
    const object = value as Readonly<Record<string, unknown>>;
    return { ...object, [member!]: more.length === 0 ? "" : blank(object[member!], more) };
  };
  return JSON.stringify(secrets.reduce<unknown>((value, path) => blank(value, path.split(".")), JSON.parse(content)));
}
