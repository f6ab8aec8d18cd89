// Answers requests for paths that have no route. When the path looks like one of a known protocol, the answer has the
// format of this protocol and says why the path has no route. For any other path, finds the known path that the client
// probably meant.

import { nearestName, shortenedText } from "../../../../lib/text/index.ts";
import type { Config } from "../../../config/schema.ts";
import { isOn, type PushAnswer } from "./push.ts";
import { pushes } from "./pushes.ts";

/**
 * Returns the answer in the format of a known protocol when the path looks like a path of this protocol; otherwise
 * undefined.
 */
export function answerUnknown(method: string, path: string, config: Config): PushAnswer | undefined {
  const push = pushes.find(({ paths, looksLike }) => paths.includes(path) || looksLike(path));
  if (push === undefined) return undefined;
  const refuse = (status: number, message: string, headers: Readonly<Record<string, string>> = {}) =>
    push.refusal({ kind: "path", status, message, path, headers });
  if (!isOn(push, config)) {
    return refuse(
      404,
      `${push.title} are off here: set enable = true in [inputs.${push.name}] of the agent's configuration`,
    );
  }
  const places = push.paths.map((each) => `POST ${each}`).join(", ");
  if (push.paths.includes(path))
    return refuse(405, `${method} is not taken here; send to ${places}`, { allow: "POST" });
  return refuse(404, `nothing takes ${method} ${shortenedText(path, 256)}; send to ${places}`);
}

/**
 * Pairs of a regular expression and a known path. The expression matches words in an unknown path, such as
 * `trace`, that name a kind of data. The known path accepts this kind of data.
 */
const wanted: readonly (readonly [word: RegExp, path: string])[] = [
  [/prom|remote.?write/i, "/prom_remote_write"],
  [/trace|span/i, "/v1/traces"],
  [/otlp|otel/i, "/v1/logs"],
  [/log/i, "/v1/write/logging"],
  [/metric/i, "/v1/write/metric"],
  [/rum/i, "/v1/write/rum"],
];

/**
 * Returns the known path that the client probably meant; undefined when no known path is similar. `known`: the
 * paths of all routes that are switched on.
 */
export function suggestedPath(path: string, known: readonly string[]): string | undefined {
  if (path.length > 256) return undefined;
  const near = nearestName(path, known);
  if (near !== undefined) return near;
  const found = wanted.find(([word]) => word.test(path))?.[1];
  return found !== undefined && known.includes(found) ? found : undefined;
}
