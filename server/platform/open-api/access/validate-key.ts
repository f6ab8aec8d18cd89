// The route that tells whether the API key of the request is valid (docs/reference/open-api.md#a-key).

import { declare, type Route } from "../protocol/route.ts";
import { bool } from "../protocol/schema.ts";

export const validateKeyRoutes: readonly Route[] = [
  declare({
    name: "validateKey",
    method: "GET",
    path: "/validate",
    group: "Keys",
    summary: "Tells whether the API key of the request can be used.",
    answer: bool({ about: "true; a key that cannot be used is answered 403" }),
    examples: [{ title: "A key that can be used", content: true }],
    handle: async () => true,
  }),
];
