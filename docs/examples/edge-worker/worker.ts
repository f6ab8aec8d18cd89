// An edge worker that masks what is personal before points leave the region: line protocol in, line protocol out.
// `npx wrangler dev` runs it here, `npx wrangler deploy` at the edge; with UPSTREAM set it forwards, else it answers.

import { createMillrace, PointError, type Points, type PointView, plErrorText } from "millrace";

interface Env {
  /** Where the masked points are posted to. */
  readonly UPSTREAM?: string;
}

const category = "logging";
/** Bytes of a body. */
const limit = 1 << 20;

// One instance for all requests that this isolate serves.
const mill = await createMillrace();
const { scripts, errors } = mill.compile(
  {
    "mask.p": String.raw`
      cover(phone, [4, 7])
      replace(message, "[\\w.+-]+@[\\w-]+\\.[\\w.]+", "***@***")
    `,
  },
  { category },
);
const script = scripts.get("mask.p");
if (script === undefined) throw new Error(plErrorText(errors.get("mask.p")!));

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    if (request.method !== "POST") return new Response("POST points\n", { status: 405, headers: { allow: "POST" } });
    if (Number(request.headers.get("content-length") ?? 0) > limit) return new Response("too large\n", { status: 413 });
    const body = new Uint8Array(await request.arrayBuffer());
    if (body.length > limit) return new Response("too large\n", { status: 413 });
    try {
      const masked = mask(body);
      if (env.UPSTREAM !== undefined) return await fetch(env.UPSTREAM, { method: "POST", body: masked });
      return new Response(masked, { headers: { "content-type": "text/plain; charset=utf-8" } });
    } catch (error) {
      if (error instanceof PointError) return new Response(`${error.message}\n`, { status: 400 });
      throw error;
    }
  },
};

function mask(body: Uint8Array): Uint8Array<ArrayBuffer> {
  const points = mill.decodePoints(body, { category, form: "lp" });
  try {
    return mill.encodePoints(run(points), "lp");
  } finally {
    points.release();
  }
}

/** What the script could not mask does not leave. */
function* run(points: Points): Generator<PointView> {
  for (const point of points) {
    const { dropped, error } = mill.run(script!, point, { category });
    if (error !== null) console.error(plErrorText(error));
    else if (!dropped) yield point;
  }
}
