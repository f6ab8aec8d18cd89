// `millrace monitor`: the state of a running agent, drawn again and again in a terminal; frames of plain text elsewhere.

import { parseArgs } from "node:util";
import { shownText } from "../../lib/point/shown-text.ts";
import { parseDuration } from "../config/go-duration.ts";
import { defaults } from "../config/schema.ts";
import { parseMetrics } from "../monitor/samples.ts";
import { type Look, type Module, modules } from "../monitor/state.ts";
import { askPlace, placeOf, placeOptions } from "./agent-place.ts";
import { monitorPage } from "./monitor-page.ts";
import { closeScreen, draw, openScreen, print } from "./print.ts";
import { monitorUsage } from "./usage/tools.ts";
import { UsageError } from "./usage-error.ts";

const shortestMs = 1000;
const plainWidth = 160;

/** Gives the exit code; without `--once` it goes on until it is stopped. */
export async function monitor(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      ...placeOptions,
      refresh: { type: "string", short: "R", default: "5s" },
      width: { type: "string", short: "W" },
      modules: { type: "string", short: "M", default: "" },
      once: { type: "boolean", default: false },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) {
    print(monitorUsage);
    return 0;
  }
  const refresh = parseDuration(values.refresh);
  if (refresh === undefined || refresh <= 0)
    throw new UsageError(`--refresh: ${values.refresh} is no duration such as 5s`);
  const refreshMs = Math.max(shortestMs, refresh / 1e6);
  const isTerminal = process.stdout.isTTY === true && !values.once;
  const width = () => Number(values.width ?? 0) || (isTerminal && process.stdout.columns) || plainWidth;
  const { to = defaults()["http_api.listen"] } = values;
  const place = placeOf(to, values.ca);
  const only = modulesOf(values.modules);
  const stop = stopper(isTerminal);

  let before: Look | undefined;
  for (;;) {
    let failed = false;
    let lines: string[];
    try {
      const look = { samples: parseMetrics(await askPlace(place, "/metrics")), at: performance.now() };
      lines = monitorPage(look, before, { width: width(), now: Date.now(), ...only });
      before = look;
    } catch (error) {
      failed = true;
      lines = [shownText(`no answer from ${to}: ${(error as Error).message}`)];
    }
    if (isTerminal) draw(lines);
    else print(`${lines.join("\n")}\n${values.once ? "" : "\n"}`);
    if (values.once) return failed ? 1 : 0;
    if (await stop.within(refreshMs)) {
      stop.restore();
      return 0;
    }
  }
}

/** `http,P`: names or short names. None: everything. */
function modulesOf(text: string): { readonly only?: ReadonlySet<Module> } {
  const asked = text.split(",").filter((name) => name !== "");
  const known = Object.entries(modules) as [Module, string][];
  const only = asked.map((name) => {
    const found = known.find(([long, short]) => name === long || name === short);
    if (found === undefined) {
      throw new UsageError(
        `--modules: ${name} is none of ${known.map(([long, short]) => `${long} (${short})`).join(", ")}`,
      );
    }
    return found[0];
  });
  return only.length === 0 ? {} : { only: new Set(only) };
}

/** Resolves early when the user wants to leave: q, Ctrl-C, or a signal. */
function stopper(isTerminal: boolean): { within(ms: number): Promise<boolean>; restore(): void } {
  let stopped = false;
  let wake = () => {};
  const stop = () => {
    stopped = true;
    wake();
  };
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  if (isTerminal) {
    openScreen();
    if (process.stdin.isTTY) {
      process.stdin.setRawMode(true);
      process.stdin.on("data", (keys) => {
        if (/[q\x03]/.test(String(keys))) stop();
      });
    }
  }
  return {
    within: (ms) =>
      new Promise((resolve) => {
        if (stopped) return resolve(true);
        const timer = setTimeout(() => resolve(stopped), ms);
        wake = () => {
          clearTimeout(timer);
          resolve(true);
        };
      }),
    restore: () => {
      if (!isTerminal) return;
      closeScreen();
      if (process.stdin.isTTY) process.stdin.setRawMode(false);
      process.stdin.pause();
    },
  };
}
