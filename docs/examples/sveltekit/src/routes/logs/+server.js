// An endpoint of SvelteKit: POST /logs answers line protocol for each log line. List the package under `dependencies`, not
// `devDependencies`: adapters leave these outside of the server's bundle, so that the package finds its module.

import { createMillrace } from "millrace";

const mill = await createMillrace();
const web = mill.script(
  `if grok(_, "%{IP:client} %{WORD:method} %{NOTSPACE:path} %{NUMBER:seconds:float}") { drop_key(message) }`,
);

export async function POST({ request }) {
  if (request.body === null) return new Response(null, { status: 204 });
  // Web streams: bounded memory for a body of any length.
  return new Response(request.body.pipeThrough(mill.lines(web, { as: "lp" })), {
    headers: { "content-type": "text/plain; charset=utf-8" },
  });
}
