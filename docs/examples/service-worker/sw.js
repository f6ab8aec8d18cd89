// A service worker that answers log lines with their fields, also while there is no network: POST to `logs`. It is a module,
// so that it can import the library; `vite.config.mjs` gives it a name without a hash.

import { createMillrace } from "millrace";

/** Browsers start a service worker often, so the script is compiled when the first lines come. */
let script;

async function web() {
  const mill = await createMillrace();
  return mill.script(
    `if grok(_, "%{IP:client} %{WORD:method} %{NOTSPACE:path} %{NUMBER:seconds:float}") { drop_key(message) }`,
  );
}

async function fieldsOf(request) {
  const lines = (await request.text()).split("\n").filter((line) => line !== "");
  script ??= web();
  try {
    const compiled = await script;
    return Response.json(lines.map((line) => compiled.run(line).fields));
  } catch (error) {
    // The next request tries again, for example when the module could not be fetched.
    script = undefined;
    return Response.json({ error: String(error) }, { status: 500 });
  }
}

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  if (method === "POST" && new URL(url).pathname.endsWith("/logs")) event.respondWith(fieldsOf(event.request));
});
