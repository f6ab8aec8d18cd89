// `millrace pipeline bench SCRIPT.p`: measures how fast a script processes the points of standard input, and which
// statements take how much time.

import { parseArgs } from "node:util";
import type { Point } from "../../../lib/index.ts";
import { escapeControls } from "../../../lib/text/index.ts";
import { categoryNamed } from "../category-option.ts";
import { patternOptions } from "../pattern-files.ts";
import { commandConfig } from "../read-config.ts";
import { print } from "../terminal/print.ts";
import { benchUsage } from "../usage/pipeline.ts";
import { UsageError } from "../usage-error.ts";
import { firstLineOf, inputPoints } from "./input-points.ts";
import { compiled, decodeWith, openScript } from "./open-script.ts";
import { timeScript, timeStatements } from "./time-script.ts";

/** Runs `millrace pipeline bench` and returns its exit code. */
export async function pipelineBench(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      category: { type: "string", default: "logging" },
      seconds: { type: "string", default: "3" },
      config: { type: "string" },
      multiline: { type: "string" },
      ...patternOptions,
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) {
    print(benchUsage);
    return 0;
  }
  const [file, ...rest] = positionals;
  if (file === undefined || rest.length > 0) throw new UsageError(benchUsage);
  const seconds = Number(values.seconds);
  if (!(seconds > 0)) throw new UsageError(`--seconds must be a number above 0, got ${values.seconds}`);
  const category = categoryNamed(values.category);
  const firstLine = firstLineOf(values.multiline);
  const opening = { requests: "unanswered", config: commandConfig(values.config), choice: values } as const;
  const { mill, script, sources, options } = await openScript(file, category, opening);
  const points: Point[] = [];
  for await (const point of inputPoints(category, decodeWith(mill), firstLine)) points.push(point);
  if (points.length === 0) throw new UsageError("there is no input; give it on standard input");

  const timed = await timeScript(mill, script, category, points, seconds * 1000);
  const probed = compiled(mill, script.name, sources, { category, probes: true, ...options });
  const { statements, perPoint } = await timeStatements(mill, probed, category, points, seconds * 500);
  const all = statements.reduce((sum, { time }) => sum + time, 0);
  const perSecond = (ns: number) => Math.round(1e9 / ns);
  const whole = script.waits ? "" : `   (${perSecond(timed.whole)} from body to protobuf)`;
  print(
    [
      `${category === "logging" ? "lines" : "points"} per second  ${perSecond(timed.script)}${whole}`,
      `ns per point       ${timed.script.toFixed(0)}`,
      `ns per statement   ${(timed.script / Math.max(1, perPoint)).toFixed(0)}   (${perPoint.toFixed(1)} statements per point)`,
      `best of ${timed.rounds} rounds over ${points.length} points${timed.failures === 0 ? "" : `, ${timed.failures} of which failed`}`,
      "",
      "Share of the time by statement, each run by itself and without those inside of it:",
      ...statements.slice(0, 15).map(({ position, text, count, time }) => {
        const share = `${((time / all) * 100).toFixed(1)} %`.padStart(7);
        const place = `${position.file}:${position.ln}:${position.col}`;
        return `${share}  ${String(count).padStart(8)}x  ${place.padEnd(16)} ${escapeControls(shortened(text))}`;
      }),
      "",
    ].join("\n"),
  );
  return 0;
}

function shortened(text: string): string {
  return text.length > 70 ? `${text.slice(0, 67)}...` : text;
}
