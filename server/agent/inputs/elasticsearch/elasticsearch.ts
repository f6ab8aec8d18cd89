// Declares the protocol of Elasticsearch's bulk requests (docs/inputs.md#elasticsearch), and the format of its error
// answers.

import { safeJson } from "../../../http/errors.ts";
import type { Push } from "../push/push.ts";

/** The response header X-Elastic-Product. Some clients refuse a server that does not send this header. */
export const productHeader = { "x-elastic-product": "Elasticsearch" } as const;

/** Elasticsearch's names of error types, by HTTP status. */
const types: ReadonlyMap<number, string> = new Map([
  [401, "security_exception"],
  [403, "security_exception"],
  [408, "timeout_exception"],
  [413, "content_too_long_exception"],
  [429, "es_rejected_execution_exception"],
  [500, "exception"],
]);

export const elasticsearchPush: Push = {
  name: "elasticsearch",
  title: "Elasticsearch bulk requests",
  paths: ["/_bulk", "/elasticsearch/_bulk"],
  looksLike: (path) => /^\/elasticsearch(?:\/|$)|^\/_[a-z]|^\/[^/]+\/_(?:bulk|doc|create|search|update)\b/.test(path),
  refusal: ({ status: sent, message, headers }) => {
    // The status 503 or 507 is replaced by 429. After 429, all senders of bulk requests wait and send the request
    // again; after 503, some senders do not.
    const status = sent === 503 || sent === 507 ? 429 : sent;
    const cause = { type: types.get(status) ?? "illegal_argument_exception", reason: message };
    return {
      status,
      body: safeJson({ error: { root_cause: [cause], ...cause }, status }),
      headers: { ...headers, ...productHeader, ...(status === 401 ? { "www-authenticate": "ApiKey" } : {}) },
    };
  },
};
