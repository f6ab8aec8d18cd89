// Declares the protocol of InfluxDB (docs/inputs.md#influx) and the format of its error answers: `{"error"}` in version
// 1, `{"code","message"}` in version 2.

import { safeJson } from "../../../http/errors.ts";
import type { Push, PushAnswer, Refused } from "../push/push.ts";

/** Error codes of InfluxDB 2, by HTTP status. */
const codes: ReadonlyMap<number, string> = new Map([
  [400, "invalid"],
  [401, "unauthorized"],
  [403, "forbidden"],
  [404, "not found"],
  [405, "method not allowed"],
  [413, "request too large"],
  [429, "too many requests"],
  [503, "unavailable"],
]);

export const influxPush: Push = {
  name: "influx",
  title: "Influx writes",
  paths: ["/write", "/api/v2/write"],
  looksLike: (path) => /^\/(?:write|query|ping)$|^\/api\/v2\//.test(path),
  refusal,
};

/**
 * Returns the answer to a refused request, in the format of version 2 when the path begins with `/api/v2/`, otherwise
 * of version 1.
 */
function refusal({ status, message, path, headers }: Refused): PushAnswer {
  const isV2 = path.startsWith("/api/v2/");
  const code = codes.get(status) ?? "internal error";
  // A header may hold only printable ASCII, so the message in the header is shortened and other characters are
  // replaced. The body has the full message.
  const own: Readonly<Record<string, string>> = isV2
    ? { "x-platform-error-code": code }
    : { "x-influxdb-error": headerText(message) };
  return {
    status,
    body: safeJson(isV2 ? { code, message } : { error: message }),
    headers: { ...headers, ...own },
  };
}

const headerText = (message: string) => message.slice(0, 256).replace(/[^\x20-\x7e]/g, "?");
