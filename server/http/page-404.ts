// The HTML page that is sent when a client requests an unknown path (docs/reference/agent.md#overview).

import { builtAt, commit, version } from "./version.ts";

/**
 * Returns the page for an unknown path. `suggestion`: a known path that the client probably meant; the page
 * shows it. `suggestion` is not escaped, so it must not be text from a request.
 */
export function page404(service: "agent" | "gateway", uptime: string, suggestion?: string): string {
  const build = `${version}${commit === "" ? "" : ` (${commit})`}${builtAt === "" ? "" : ` of ${builtAt}`}`;
  const meant = suggestion === undefined ? "" : `<p>Did you mean <code>${suggestion}</code>?</p>\n`;
  return `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Millrace ${service}</title></head>
<body>
<h1>Millrace ${service}</h1>
<p>There is no such interface. Points are written with <code>POST /v1/write/logging</code>,
<code>POST /v1/write/metric</code> and so on; <code>GET /v1/ping</code> tells whether the ${service} is well.</p>
${meant}<p>Version ${build}, ${process.platform}/${process.arch}, up ${uptime}.</p>
</body>
</html>
`;
}
