// Lists the methods and paths of the Open API. With this list, an agent or gateway can forward requests to the
// Open API without loading its code. The platform declares the routes (server/platform/open-api/routes.ts); a
// test compares the list with the declarations.

/**
 * The methods of the routes, and their paths below `/api/v1`. `{}` stands for an identifier; `s?` means that the
 * word may have an `s` at its end.
 */
const declared = [
  "GET /validate",
  "GET /workspace/accesskey/list",
  "POST /workspace/accesskey/add",
  "GET /workspace/accesskey/{}/get",
  "POST /workspace/accesskey/{}/delete",
  "GET /workspace/get",
  "POST /workspace/modify",
  "POST /workspace/create",
  "GET /workspace/members/list",
  "GET /dashboards?/list",
  "POST /dashboards?/create",
  "GET /dashboards?/{}/get",
  "POST /dashboards?/{}/modify",
  "POST /dashboards?/{}/delete",
  "GET /dashboards?/{}/export",
  "POST /dashboards?/{}/import",
  "POST /dashboards?/{}/copy",
  "GET /object/hosts?/list",
  "GET /object/process/list",
  "POST /df/query_data_v1",
  "GET /pipelines?/list",
  "POST /pipelines?/add",
  "GET /pipelines?/{}/get",
  "POST /pipelines?/{}/modify",
  "POST /pipelines?/delete",
  "POST /pipelines?/batch_set_disable",
  "GET /pipelines?/export",
  "POST /pipelines?/export",
  "POST /pipelines?/import",
  "GET /blacklists?/list",
  "POST /blacklists?/add",
  "GET /blacklists?/{}/get",
  "POST /blacklists?/{}/modify",
  "POST /blacklists?/delete",
  "POST /blacklists?/export",
  "POST /blacklists?/import",
  "GET /replay/list",
  "GET /replay/{}/part/list",
  "GET /replay/{}/get",
  "GET /audit/list",
];

const known = new RegExp(`^(?:${declared.join("|").replaceAll("{}", "[A-Za-z0-9_-]{1,128}")})$`);

/**
 * Returns whether the Open API has a route with the given method and path below `/api/v1`. The path is compared
 * as the client sent it, without decoding. This is correct because identifiers consist of letters, digits, `_`
 * and `-`, so an accepted path contains nothing to decode.
 */
export function isOpenApiPath(method: string, path: string): boolean {
  return known.test(`${method} ${path}`);
}
