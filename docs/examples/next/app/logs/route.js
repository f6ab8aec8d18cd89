// A route handler of Next.js: POST /logs answers the fields of each log line.

import { createMillrace } from "millrace";

/** One instance and one compiled script for all requests. */
const web = createMillrace().then((mill) =>
  mill.script(
    `if grok(_, "%{IP:client} %{WORD:method} %{NOTSPACE:path} %{NUMBER:seconds:float}") { drop_key(message) }`,
  ),
);

const largest = 1_000_000;

export async function POST(request) {
  const text = await request.text();
  if (text.length > largest) return Response.json({ error: "the body is too large" }, { status: 413 });
  const script = await web;
  const lines = text.split("\n").filter((line) => line !== "");
  return Response.json(lines.map((line) => script.run(line).fields));
}
