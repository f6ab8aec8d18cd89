// Cuts log lines into fields while you type. `npx vite` serves this folder, `npx vite build` makes a static site of it.

import { createMillrace, Key, Point, plErrorText } from "millrace";

const mill = await createMillrace();
const message = new Key("message");
const category = "logging";

const script = document.querySelector<HTMLTextAreaElement>("#script")!;
const lines = document.querySelector<HTMLTextAreaElement>("#lines")!;
const mistake = document.querySelector("#mistake")!;

/** The lines as points; a mistake in the script is told, not thrown. */
function run(): Point[] {
  const { scripts, errors } = mill.compile({ "page.p": script.value }, { category });
  const compiled = scripts.get("page.p");
  const wrong = errors.get("page.p");
  mistake.textContent = wrong === undefined ? "" : plErrorText(wrong);
  if (compiled === undefined) return [];

  const points: Point[] = [];
  for (const line of lines.value.split("\n").filter((each) => each !== "")) {
    const point = new Point("page", BigInt(Date.now()) * 1_000_000n);
    point.setField(message, line);
    // A script of one's own may loop for ever: it ends after so many steps, and the page stays alive.
    const { dropped, error } = mill.run(compiled, point, { category, maxSteps: 100_000 });
    if (error !== null) mistake.textContent = plErrorText(error);
    if (!dropped) points.push(point);
  }
  return points;
}

function show(points: readonly Point[]): void {
  const json = new TextDecoder().decode(mill.encodePoints(points, "json"));
  const rows = (JSON.parse(json) as { fields: Record<string, unknown> }[]).map(({ fields }) => fields);
  const keys = [...new Set(rows.flatMap((fields) => Object.keys(fields)))];
  document.querySelector("#keys")!.replaceChildren(row("th", keys));
  document.querySelector("#points")!.replaceChildren(
    ...rows.map((fields) =>
      row(
        "td",
        keys.map((key) => String(fields[key] ?? "")),
      ),
    ),
  );
}

function row(kind: "th" | "td", texts: readonly string[]): HTMLTableRowElement {
  const tr = document.createElement("tr");
  for (const text of texts) tr.append(Object.assign(document.createElement(kind), { textContent: text }));
  return tr;
}

for (const input of [script, lines]) input.addEventListener("input", () => show(run()));
show(run());
