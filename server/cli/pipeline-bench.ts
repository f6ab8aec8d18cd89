// `millrace pipeline bench SCRIPT.p`: how fast a script is over the points of standard input, and where the time goes.

import { parseArgs } from "node:util";
import { createProfile, Point } from "../../lib/index.ts";
import { categoryNamed } from "./category-option.ts";
import { inputPoints } from "./input-points.ts";
import { compiled, decodeWith, openScript } from "./open-script.ts";
import { benchUsage } from "./usage.ts";
import { UsageError } from "./usage-error.ts";

/** Gives the exit code. */
export async function pipelineBench(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      category: { type: "string", default: "logging" },
      seconds: { type: "string", default: "3" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) {
    process.stdout.write(benchUsage);
    return 0;
  }
  const [file, ...rest] = positionals;
  if (file === undefined || rest.length > 0) throw new UsageError(benchUsage);
  const seconds = Number(values.seconds);
  if (!(seconds > 0)) throw new UsageError(`--seconds must be a number above 0, got ${values.seconds}`);
  const category = categoryNamed(values.category);
  const { mill, script, sources } = await openScript(file, category, { requests: "unanswered" });
  const points: Point[] = [];
  for await (const point of inputPoints(category, decodeWith(mill))) points.push(point);
  if (points.length === 0) throw new UsageError("there is no input; give it on standard input");

  // Rounds over fresh copies, made before the clock starts; the best round has been disturbed least.
  let best = Number.POSITIVE_INFINITY;
  let rounds = 0;
  let failures = 0;
  const end = performance.now() + seconds * 1000;
  do {
    const copies = points.map((point) => Point.copyOf(point));
    failures = 0;
    const start = performance.now();
    if (script.waits) {
      for (const copy of copies) if ((await mill.runWaiting(script, copy, { category })).error !== null) failures++;
    } else for (const copy of copies) if (mill.run(script, copy, { category }).error !== null) failures++;
    best = Math.min(best, performance.now() - start);
    rounds++;
  } while (performance.now() < end);

  const profiled = compiled(mill, script.name, sources, category, true);
  const profile = createProfile(() => performance.now());
  const profileEnd = performance.now() + seconds * 500;
  let passes = 0;
  do {
    for (const point of points) await mill.runWaiting(profiled, Point.copyOf(point), { category, probe: profile });
    passes++;
  } while (performance.now() < profileEnd);
  const statements = profile.statements();
  const run = statements.reduce((sum, { count }) => sum + count, 0) / passes;
  const all = statements.reduce((sum, { time }) => sum + time, 0);

  const nsPerPoint = (best * 1e6) / points.length;
  process.stdout.write(
    [
      `${category === "logging" ? "lines" : "points"} per second  ${Math.round(1e9 / nsPerPoint)}`,
      `ns per point       ${nsPerPoint.toFixed(0)}`,
      `ns per statement   ${((best * 1e6) / Math.max(1, run)).toFixed(0)}   (${(run / points.length).toFixed(1)} statements per point)`,
      `best of ${rounds} rounds over ${points.length} points${failures === 0 ? "" : `, ${failures} of which failed`}`,
      "",
      "Share of the time by statement, without those inside of it:",
      ...statements.slice(0, 15).map(({ position, text, count, time }) => {
        const share = `${((time / all) * 100).toFixed(1)} %`.padStart(7);
        const place = `${position.file}:${position.ln}:${position.col}`;
        return `${share}  ${String(count).padStart(8)}x  ${place.padEnd(16)} ${shortened(text)}`;
      }),
      "",
    ].join("\n"),
  );
  return 0;
}

function shortened(text: string): string {
  return text.length > 70 ? `${text.slice(0, 67)}...` : text;
}
