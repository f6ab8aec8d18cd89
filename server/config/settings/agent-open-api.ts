// The settings of an agent for passing requests of its own page to the Open API of a platform.

import { httpUrl } from "../forms.ts";
import { type Setting, setting } from "../setting.ts";

export const agentOpenApiSettings = {
  "http_api.open_api.url": setting(
    "text",
    "",
    "platform whose Open API the page of this agent uses, http(s)://host[:port]; empty = that of millrace start, else none",
    { form: httpUrl, env: "ENV_HTTP_OPEN_API_URL" },
  ),
  "http_api.open_api.key": setting(
    "text",
    "",
    "API key that pages and clients of this machine use there unless they bring their own; empty = each brings its own",
    { env: "ENV_HTTP_OPEN_API_KEY", secret: true },
  ),
  "http_api.open_api.timeout": setting(
    "duration",
    "25s",
    "limit of one request there; http_api.timeout holds as well",
    {
      env: "ENV_HTTP_OPEN_API_TIMEOUT",
    },
  ),
  "http_api.open_api.max_body_bytes": setting("int", 10 * 1024 * 1024, "largest body that is passed on, in bytes", {
    unit: "bytes",
    env: "ENV_HTTP_OPEN_API_MAX_BODY_BYTES",
    min: 1,
  }),
  "http_api.open_api.max_answer_bytes": setting(
    "int",
    32 * 1024 * 1024,
    "largest answer that is passed back, in bytes; beyond it 502",
    { unit: "bytes", env: "ENV_HTTP_OPEN_API_MAX_ANSWER_BYTES", min: 1 },
  ),
} as const satisfies Record<string, Setting>;
