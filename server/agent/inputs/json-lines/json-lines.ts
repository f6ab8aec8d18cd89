// Declares the protocol of JSON lines (docs/inputs.md#json-lines). Refused requests get the agent's usual error
// answers.

import { type ErrorCode, errorBody } from "../../../http/errors.ts";
import type { Push, RefusalKind } from "../push/push.ts";

export const jsonLinesPath = "/v1/write/json-lines";

const codes: Readonly<Record<RefusalKind, ErrorCode>> = {
  "no token": "agent.tokenRequired",
  "wrong token": "agent.tokenRequired",
  "no data": "agent.emptyBody",
  path: "agent.inputOff",
  request: "agent.invalidJsonPoint",
};

export const jsonLinesPush: Push = {
  name: "json_lines",
  title: "JSON lines",
  paths: [jsonLinesPath],
  looksLike: () => false,
  refusal: ({ kind, status, message, code, headers }) => ({
    status,
    body: errorBody(code ?? codes[kind], message),
    headers,
  }),
};
