// Fastify: a plugin with one route that takes points, runs a script over them and forwards them as line protocol.
//
//   npm install fastify millrace
//   FORWARD=http://127.0.0.1:9529/v1/write/logging node fastify.mjs

import process from "node:process";
import { fileURLToPath } from "node:url";
import Fastify from "fastify";
import { createMillrace, PointError, plErrorText } from "millrace";

/** Options: `script`, `forward` (where line protocol is posted to), `category`, `bodyLimit` in bytes. */
export async function forwarder(app, { script, forward, category = "logging", bodyLimit = 1 << 20 }) {
  const mill = await createMillrace();
  const { scripts, errors } = mill.compile({ "fastify.p": script }, { category });
  const compiled = scripts.get("fastify.p");
  if (compiled === undefined) throw new Error(plErrorText(errors.get("fastify.p")));

  /** The points of the body that the script keeps, as line protocol. */
  function pointsOf(body, form) {
    const batch = mill.decodePoints(body, { category, form });
    try {
      return mill.encodePoints(results(batch), "lp");
    } finally {
      // Before anything is awaited: a batch holds memory, and its points end with it.
      batch.release();
    }
  }

  function* results(batch) {
    for (const point of batch) {
      const { dropped, created, error } = mill.run(compiled, point, { category });
      if (error !== null) app.log.warn(plErrorText(error));
      if (!dropped) yield point;
      for (const each of created) if (!each.dropped) yield each.point;
    }
  }

  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer", bodyLimit }, (_request, body, done) => done(null, body));
  app.setErrorHandler((error, _request, reply) => {
    if (!(error instanceof PointError)) throw error;
    reply.code(400).send({ error: error.message, lines: error.lines });
  });

  app.post("/write", async (request, reply) => {
    const form = request.headers["content-type"]?.startsWith("application/json") ? "json" : "lp";
    const lines = pointsOf(request.body ?? new Uint8Array(), form);
    if (lines.length > 0) {
      const answer = await fetch(forward, { method: "POST", body: lines, signal: AbortSignal.timeout(10_000) }).catch(
        () => null,
      );
      // Who sent the points still has them and may send them again.
      if (!answer?.ok) return reply.code(502).send({ error: `forwarding failed: ${answer?.status ?? "no answer"}` });
    }
    return reply.code(204).send();
  });
}

export function createApp(forward) {
  const app = Fastify();
  app.register(forwarder, {
    forward,
    script: `
      if grok(_, "%{IP:client} %{WORD:method} %{NOTSPACE:path} %{NUMBER:seconds:float}") { drop_key(message) }
      set_tag(method)
      if path == "/health" { drop() }
    `,
  });
  return app;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const app = createApp(process.env.FORWARD ?? "http://127.0.0.1:9529/v1/write/logging");
  console.log(await app.listen({ port: Number(process.env.PORT ?? 3000) }));
}
