// Points from standard input to standard output, only what is worth an alarm kept:
//
//   deno run --allow-read deno.ts < points.lp > alarms.lp

import { createMillrace, PointError, type Points, type PointView, plErrorText } from "millrace";

const category = "logging";
const mill = await createMillrace();
const { scripts, errors } = mill.compile(
  {
    "alarms.p": `
      if status != "error" && status != "critical" { drop() }
      set_tag(alarm, "true")
    `,
  },
  { category },
);
const script = scripts.get("alarms.p");
if (script === undefined) throw new Error(plErrorText(errors.get("alarms.p")!));

function* alarms(points: Points): Generator<PointView> {
  for (const point of points) {
    const { dropped, error } = mill.run(script!, point, { category });
    if (error !== null) console.error(plErrorText(error));
    if (!dropped) yield point;
  }
}

try {
  const body = new Uint8Array(await new Response(Deno.stdin.readable).arrayBuffer());
  const points = mill.decodePoints(body, { category, form: "lp" });
  const kept = mill.encodePoints(alarms(points), "lp");
  points.release();
  await new Response(`${new TextDecoder().decode(kept)}\n`).body!.pipeTo(Deno.stdout.writable);
} catch (error) {
  if (!(error instanceof PointError)) throw error;
  for (const { lineNumber, column, reason } of error.lines) console.error(`stdin:${lineNumber}:${column}: ${reason}`);
  Deno.exit(1);
}
