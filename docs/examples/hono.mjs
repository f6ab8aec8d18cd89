// Hono: a middleware that turns the body into points, runs a script over them and answers in the form that was asked for.
// The app is a fetch handler: Bun, Deno and edge workers serve it as it is, Node through @hono/node-server:
//
//   npm install hono @hono/node-server millrace
//   node -e 'import("./hono.mjs").then(async ({ default: app }) => (await import("@hono/node-server")).serve(app))'

import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { createMillrace, PointError, plErrorText } from "millrace";

export const mill = await createMillrace();

/** Middleware: `c.get("points")` gives the points in a wire form; their memory goes back when the handlers behind are done. */
export function points(script, category = "logging") {
  const { scripts, errors } = mill.compile({ "hono.p": script }, { category });
  const compiled = scripts.get("hono.p");
  if (compiled === undefined) throw new Error(plErrorText(errors.get("hono.p")));

  function* results(batch) {
    for (const point of batch) {
      const { dropped, created, error } = mill.run(compiled, point, { category });
      if (error !== null) console.error(plErrorText(error));
      if (!dropped) yield point;
      for (const each of created) if (!each.dropped) yield each.point;
    }
  }

  return async (c, next) => {
    const body = new Uint8Array(await c.req.arrayBuffer());
    const form = c.req.header("content-type")?.startsWith("application/json") ? "json" : "lp";
    const batch = mill.decodePoints(body, { category, form });
    try {
      c.set("points", (as) => mill.encodePoints(results(batch), as));
      await next();
    } finally {
      batch.release();
    }
  };
}

const app = new Hono();

app.onError((error, c) => {
  if (error instanceof PointError) return c.json({ error: error.message, lines: error.lines }, 400);
  console.error(error);
  return c.json({ error: "internal error" }, 500);
});

app.post(
  "/logs",
  bodyLimit({ maxSize: 1 << 20, onError: (c) => c.json({ error: "at most 1 MiB" }, 413) }),
  points(`
    if grok(_, "%{IP:client} %{WORD:method} %{NOTSPACE:path} %{NUMBER:seconds:float}") { drop_key(message) }
    if path == "/health" { drop() }
  `),
  (c) => {
    const asLines = c.req.header("accept") === "text/plain";
    const encoded = c.get("points")(asLines ? "lp" : "json");
    return c.body(encoded, 200, { "content-type": asLines ? "text/plain; charset=utf-8" : "application/json" });
  },
);

export default app;
