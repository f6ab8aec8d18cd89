// Declares the protocol of Loki's pushes (docs/inputs.md#loki). Refused requests get a plain-text answer, as from Loki.

import { escapeControls } from "../../../../lib/text/index.ts";
import type { Push } from "../push/push.ts";

export const lokiPush: Push = {
  name: "loki",
  title: "Loki pushes",
  paths: ["/loki/api/v1/push"],
  looksLike: (path) => path.startsWith("/loki/") || path.startsWith("/api/prom/"),
  refusal: ({ status, message, headers }) => ({
    status,
    body: `${escapeControls(message)}\n`,
    contentType: "text/plain; charset=utf-8",
    headers,
  }),
};
