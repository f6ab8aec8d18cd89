// `millrace tail FILE...`: follows log files, runs the script that fits their lines best, and shows the points as a
// live table. Prints plain lines when standard output is not a terminal. With `--to` it also sends the points.

import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { correct, type Millrace, type Point, type Script } from "../../../lib/index.ts";
import { logOf } from "../pipeline/input-points.ts";
import { openMillrace, openScript } from "../pipeline/open-script.ts";
import { destinationOf, postBody } from "../post-body.ts";
import { commandConfig } from "../read-config.ts";
import { counted } from "../terminal/counted.ts";
import { print, printErrorLine, printJson, printLine } from "../terminal/print.ts";
import { takeScreen } from "../terminal/screen.ts";
import { tailUsage } from "../usage/tools.ts";
import { UsageError } from "../usage-error.ts";
import { chooseScript } from "./choose-script.ts";
import { FollowedFile } from "./followed-file.ts";
import { plainLine, pointTable, type ShownPoint, shownPoint } from "./shown-point.ts";

/** Time in milliseconds between two checks of the files for new lines. */
const lookMs = 250;
/** Maximum number of points that the table keeps for display. */
const mostShown = 500;

/** Runs the command and returns its exit code. Without the option `--once` the command runs until it is stopped. */
export async function tail(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      script: { type: "string" },
      lines: { type: "string", short: "n", default: "10" },
      once: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      to: { type: "string" },
      config: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) {
    print(tailUsage);
    return 0;
  }
  if (positionals.length === 0) throw new UsageError(tailUsage);
  if (!/^(?:\d{1,9}|all)$/.test(values.lines))
    throw new UsageError(`--lines: ${values.lines} is neither a number nor all`);
  const lines = values.lines === "all" ? undefined : Number(values.lines);
  const destination = values.to === undefined ? undefined : destinationOf(values.to);
  const files: FollowedFile[] = [];
  try {
    for (const each of positionals) files.push(await FollowedFile.open(path.resolve(each), lines));
    const parser = await openParser(files, values);
    const leaving = new AbortController();
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => leaving.abort());
    const isTable = process.stdout.isTTY === true && !values.json && !values.once;
    const shown = isTable ? table(parser, files, leaving) : plain(parser, values.json);
    try {
      await follow({ files, parser, shown, destination, isOnce: values.once, leaving: leaving.signal });
    } finally {
      shown.close();
    }
  } finally {
    for (const file of files) await file.close();
  }
  return 0;
}

interface Parser {
  readonly mill: Millrace;
  /** The script that is run over the lines; undefined when no script fits them. */
  readonly script: Script | undefined;
  /** The name of the script, which becomes the measurement of the points. */
  readonly name: string;
  /** Text for the user that says which script is used and why. */
  readonly about: string;
}

async function openParser(
  files: readonly FollowedFile[],
  { script: named, config }: { readonly script?: string | undefined; readonly config?: string | undefined },
): Promise<Parser> {
  if (named !== undefined) {
    const file = named.endsWith(".p") ? named : `${named}.p`;
    const opening = { requests: "unanswered", config: commandConfig(config), choice: {} } as const;
    const { mill, script } = await openScript(file, "logging", opening);
    const name = path.basename(file, ".p");
    return { mill, script, name, about: `script ${name}` };
  }
  const { mill } = await openMillrace("unanswered", commandConfig(config));
  for (const file of files) {
    const chosen = await chooseScript(mill, await file.head(), file.path);
    if (chosen === undefined) continue;
    const { script, name, fits, tried } = chosen;
    return { mill, script, name, about: `script ${name}: it fits ${fits} of the first ${counted(tried, "line")}` };
  }
  return { mill, script: undefined, name: "default", about: "no bundled script fits the first lines" };
}

interface Shown {
  add(points: readonly Point[]): Promise<void>;
  close(): void;
}

/** Prints the points as plain lines or, with `--json`, as JSON. */
function plain({ mill, about }: Parser, isJson: boolean): Shown {
  printErrorLine(about);
  return {
    add: async (points) => {
      for (const point of points) {
        if (!isJson) printLine(plainLine(shownPoint(point)));
        else
          await printJson(
            `${Buffer.from(mill.encodePoints([point], "json"))
              .toString()
              .slice(1, -1)}\n`,
          );
      }
    },
    close: () => {},
  };
}

/** Shows the last points as a table that fills the screen. */
function table({ about }: Parser, files: readonly FollowedFile[], leaving: AbortController): Shown {
  const rows: ShownPoint[] = [];
  let all = 0;
  const draw = () => {
    const { size } = screen;
    const title = `${files.map((file) => path.basename(file.path)).join(", ")}  ${about}`;
    const lines = rows.length === 0 ? ["waiting for lines"] : pointTable(rows, { ...size, rows: size.rows - 2 });
    const body = lines.map((text, at) => ({
      text,
      ...(at === 0 && rows.length > 0 ? { style: "bold" as const } : {}),
    }));
    const empty = Array.from({ length: Math.max(0, size.rows - 2 - body.length) }, () => ({ text: "" }));
    const foot = `q quit  ${counted(all, "line")}`;
    screen.draw([{ text: title.slice(0, size.columns), style: "inverse" }, ...body, ...empty, { text: foot }]);
  };
  const screen = takeScreen({
    key: (name) => {
      if (name === "q" || name === "ctrl+c" || name === "escape") leaving.abort();
    },
    resized: draw,
  });
  draw();
  return {
    add: async (points) => {
      all += points.length;
      rows.push(...points.slice(-mostShown).map(shownPoint));
      rows.splice(0, rows.length - mostShown);
      draw();
    },
    close: screen.close,
  };
}

interface Following {
  readonly files: readonly FollowedFile[];
  readonly parser: Parser;
  readonly shown: Shown;
  readonly destination: URL | undefined;
  readonly isOnce: boolean;
  readonly leaving: AbortSignal;
}

async function follow({ files, parser, shown, destination, isOnce, leaving }: Following): Promise<void> {
  while (!leaving.aborted) {
    let isQuiet = true;
    for (const file of files) {
      let lines = await file.next();
      if (lines.length === 0 && isOnce) lines = await file.next(true);
      if (lines.length === 0) continue;
      isQuiet = false;
      const points = await pointsOf(parser, lines);
      await shown.add(points);
      if (destination !== undefined && points.length > 0) await send(parser.mill, points, destination);
    }
    if (!isQuiet) continue;
    if (isOnce) return;
    await wait(lookMs, undefined, { signal: leaving }).catch(() => {});
  }
}

async function pointsOf({ mill, script, name }: Parser, lines: readonly string[]): Promise<Point[]> {
  const points: Point[] = [];
  for (const line of lines) {
    const point = logOf(line);
    point.name = name;
    if (script !== undefined) {
      const { dropped } = await mill.runWaiting(script, point, { category: "logging" });
      if (dropped) continue;
    }
    correct(point, "logging");
    points.push(point);
  }
  return points;
}

async function send(mill: Millrace, points: readonly Point[], destination: URL): Promise<void> {
  const url = new URL(destination);
  url.pathname = "/v1/write/logging";
  url.searchParams.set("precision", "n");
  url.searchParams.set("input", "tail-command");
  await postBody(url, new Uint8Array(mill.encodePoints(points, "lp")));
}
