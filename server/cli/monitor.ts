// `millrace monitor`: shows the state of a running agent and updates it regularly. On a terminal it shows a page that
// can be scrolled, otherwise it prints plain text.

import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { shownText } from "../../lib/text/index.ts";
import { parseDuration } from "../config/go-duration.ts";
import { defaults } from "../config/schema.ts";
import { parseMetrics } from "../telemetry/status/samples.ts";
import { type MetricsSnapshot, type Module, modules } from "../telemetry/status/view.ts";
import { askPlace, type Place, placeOf, placeOptions } from "./agent-place.ts";
import { cutTo } from "./terminal/display-width.ts";
import { monitorPage, type Page } from "./terminal/monitor-page.ts";
import { afterKey, afterResize, atTop, frameOf } from "./terminal/monitor-scroll.ts";
import { print } from "./terminal/print.ts";
import { takeScreen } from "./terminal/screen.ts";
import { monitorUsage } from "./usage/tools.ts";
import { UsageError } from "./usage-error.ts";

const shortestMs = 1000;
const plainWidth = 160;

/**
 * Runs `millrace monitor` and returns its exit code. Without the option `--once` the command runs until it is
 * stopped.
 */
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
  const { to = defaults()["http_api.listen"] } = values;
  const leaving = new AbortController();
  const source = createSource(to, placeOf(to, values.ca), leaving.signal);
  const only = modulesOf(values.modules);
  const width = Number(values.width ?? 0);
  if (values.once) {
    await source.refresh();
    print(`${source.page(width || plainWidth, only).lines.join("\n")}\n`);
    return source.hasFailed ? 1 : 0;
  }
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => leaving.abort());
  const page = (columns: number) => source.page(width || columns, only);
  const shown = process.stdout.isTTY === true ? scrolling(page, leaving) : frames(page);
  try {
    while (!leaving.signal.aborted) {
      await source.refresh();
      if (leaving.signal.aborted) break;
      shown.draw();
      await setTimeout(Math.max(shortestMs, refresh / 1e6), undefined, { signal: leaving.signal }).catch(() => {});
    }
  } finally {
    shown.close();
  }
  return 0;
}

interface Shown {
  draw(): void;
  close(): void;
}

/** Prints the state of the agent as plain text, again at each update. */
function frames(page: (columns: number) => Page): Shown {
  return { draw: () => print(`${page(plainWidth).lines.join("\n")}\n\n`), close: () => {} };
}

/** Draws the part of the page to which the user has scrolled. */
function scrolling(page: (columns: number) => Page, leaving: AbortController): Shown {
  let state = atTop;
  const draw = () => {
    const { size } = screen;
    const now = page(size.columns);
    state = afterResize(state, now, size);
    screen.draw(frameOf(now, state, size));
  };
  const screen = takeScreen({
    key: (name) => {
      state = afterKey(state, name, page(screen.size.columns), screen.size);
      if (state.hasLeft) leaving.abort();
      else draw();
    },
    resized: draw,
  });
  draw();
  return { draw, close: screen.close };
}

interface Source {
  readonly hasFailed: boolean;
  /** Fetches the state of the agent. When this fails, the page shows the reason. */
  refresh(): Promise<void>;
  page(width: number, only: ReadonlySet<Module> | undefined): Page;
}

function createSource(to: string, place: Place, signal: AbortSignal): Source {
  let before: MetricsSnapshot | undefined;
  let last: MetricsSnapshot | undefined;
  let failure: string | undefined;
  return {
    get hasFailed() {
      return failure !== undefined;
    },
    refresh: async () => {
      try {
        const snapshot = { samples: parseMetrics(await askPlace(place, "/metrics", signal)), at: performance.now() };
        [before, last, failure] = [last, snapshot, undefined];
      } catch (error) {
        failure = shownText(`no answer from ${to}: ${(error as Error).message}`);
      }
    },
    page: (width, only) => {
      const text = failure ?? (last === undefined ? `asking ${to}` : undefined);
      if (text !== undefined || last === undefined) return { lines: [cutTo(text ?? "", width)], sections: [] };
      return monitorPage(last, before, { width, now: Date.now(), ...(only === undefined ? {} : { only }) });
    },
  };
}

/**
 * Parses a list of page sections such as `http,P`, by their names or short names. Returns undefined (all sections) for
 * an empty string.
 */
function modulesOf(text: string): ReadonlySet<Module> | undefined {
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
  return only.length === 0 ? undefined : new Set(only);
}
