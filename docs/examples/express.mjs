// Express: a middleware that takes points in line protocol or JSON, runs a script over them, and hands them on in JSON.
//
//   npm install express millrace
//   node express.mjs
//   curl localhost:3000/logs -H 'content-type: text/plain' --data 'web message="10.0.0.7 GET /a 0.25"'

import process from "node:process";
import { fileURLToPath } from "node:url";
import express from "express";
import { createMillrace, PointError, plErrorText } from "millrace";

/** Reads the body as points, runs `script` over each, and gives `req.points`: what is left, as a JSON text. */
export async function scripted(script, { category = "logging", limit = "1mb" } = {}) {
  const mill = await createMillrace();
  const { scripts, errors } = mill.compile({ "express.p": script }, { category });
  const compiled = scripts.get("express.p");
  if (compiled === undefined) throw new Error(plErrorText(errors.get("express.p")));

  function* results(batch) {
    for (const point of batch) {
      const { dropped, created, error } = mill.run(compiled, point, { category });
      if (error !== null) console.error(plErrorText(error));
      if (!dropped) yield point;
      for (const each of created) if (!each.dropped) yield each.point;
    }
  }

  // A body over the limit is answered with 413 before it is read to its end.
  const body = express.raw({ type: () => true, limit });
  const run = (req, res, next) => {
    let batch;
    try {
      batch = mill.decodePoints(req.body ?? new Uint8Array(), { category, form: req.is("json") ? "json" : "lp" });
      req.points = new TextDecoder().decode(mill.encodePoints(results(batch), "json"));
    } catch (error) {
      if (!(error instanceof PointError)) throw error;
      return res.status(400).json({ error: error.message, lines: error.lines });
    } finally {
      // The memory of a batch goes back whatever happened; `req.points` is a copy.
      batch?.release();
    }
    next();
  };
  return [body, run];
}

export async function createApp() {
  const app = express();
  const access = await scripted(`
    if grok(_, "%{IP:client} %{WORD:method} %{NOTSPACE:path} %{NUMBER:seconds:float}") { drop_key(message) }
    if path == "/health" { drop() }
  `);
  app.post("/logs", access, (req, res) => res.type("json").send(req.points));
  return app;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const app = await createApp();
  const server = app.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () => {
    console.log(`http://127.0.0.1:${server.address().port}/logs`);
  });
}
