// Measures a page that shows 200,000 log lines while they arrive. curl sends them to the agent of `millrace start`, and
// the page shows them in the query mode as a live list with a histogram, then as a live chart, then as live points of
// the connect mode. Prints the frames of the page while the lines arrive, its memory, and whether the platform has all
// lines.

import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Dice } from "../../../dist/test/bench/data/dice.js";
import { noteFrames, takeFrames } from "./frames.mjs";
import { countOf, startServices, waitForCount } from "./services.mjs";
import { taskTimes } from "./tasks.mjs";

const lines = 200_000;
const requests = 40;
/** Seconds over which curl sends the requests. */
const sendingSeconds = 10;
const goals = { median: 55, longestMs: 100 };

const views = [
  {
    name: "query mode, live lines with histogram",
    show: (page) => showQuery(page, "L::nginx", "Logs"),
    isDrawn: (page) => page.locator("[role=tabpanel] canvas").waitFor(),
  },
  {
    name: "query mode, live chart",
    show: (page) => showQuery(page, "L::nginx:(count(*)) [::1s] BY status", "Chart"),
    isDrawn: (page) => page.locator("[role=tabpanel] canvas").waitFor(),
  },
  {
    name: "connect mode, live points",
    show: showPoints,
    isDrawn: (page) => page.getByRole("group", { name: "Live points" }).locator(".point").first().waitFor(),
  },
];

export async function measureLive({ browser, folder }) {
  const services = await startServices("start", path.join(folder, "live"));
  try {
    // The page lists only sources from which the platform already has points. So a few lines are sent first.
    await curl(services.url, folder, accessLines(20));
    await waitForCount(services.url, "L::nginx:(count(*))", 20);
    for (const view of views) await measureView({ browser, folder }, services.url, view);
  } finally {
    await services.stop();
  }
}

async function measureView({ browser, folder }, url, { name, show, isDrawn }) {
  const sample = accessLines(lines / requests);
  const before = await countOf(url, "L::nginx:(count(*))");
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto(`${url}/#/${name.split(" ")[0] === "query" ? "query" : "connect"}`);
  await show(page);
  await page.waitForTimeout(3000);
  await noteFrames(page);
  await page.waitForTimeout(2000);
  const memory = await followMemory(browser, context, page);
  const idle = await takeFrames(page);
  let [sent, arrived, seconds] = [0, 0, 0];
  const { all, longest } = await taskTimes(browser, page, async () => {
    const began = performance.now();
    for (let at = 0; at < requests; at++) {
      const due = began + (1000 * sendingSeconds * at) / requests;
      await page.waitForTimeout(Math.max(0, due - performance.now()));
      await curl(url, folder, sample);
    }
    sent = (performance.now() - began) / 1000;
    arrived = (await waitForCount(url, "L::nginx:(count(*))", before + lines)) - before;
    seconds = (performance.now() - began) / 1000;
    await isDrawn(page);
  });
  const frames = await takeFrames(page);
  const { start, most, end } = await memory.stop();
  await context.close();
  const isMissed = frames.median < goals.median || frames.longest > goals.longestMs || arrived !== lines;
  console.log(
    `${name}: ${arrived} of ${lines} lines arrived, sent in ${sent.toFixed(1)} s, all stored after ${seconds.toFixed(1)} s`,
  );
  console.log(
    `  frames/s ${frames.perSecond.toFixed(1)}, median ${frames.median.toFixed(1)} (goal ${goals.median}), p99 gap ${frames.p99.toFixed(1)} ms, longest ${frames.longest.toFixed(0)} ms (goal ${goals.longestMs}); idle before: ${idle.perSecond.toFixed(1)}, longest ${idle.longest.toFixed(0)} ms${isMissed ? ": missed" : ""}`,
  );
  const share = (all / seconds / 10).toFixed(0);
  console.log(
    `  processor time of the page's main thread: ${share} % of a core, longest task ${longest.toFixed(0)} ms`,
  );
  console.log(`  memory of the page's process: ${start} MB before, ${most} MB at most, ${end} MB after`);
}

/** Chooses the platform, writes a query, and turns live mode on. */
async function showQuery(page, text, tab) {
  await page.getByLabel("The points of").selectOption("platform");
  await page.getByRole("region", { name: "Data" }).getByText("L::nginx", { exact: true }).first().waitFor();
  await page.getByRole("textbox", { name: "Query in DQL" }).click();
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.insertText(text);
  await page.keyboard.press("Escape");
  await page.getByRole("tab", { name: tab, exact: true }).click();
  await page.getByRole("button", { name: "Live", exact: true }).click();
}

async function showPoints(page) {
  await page.getByRole("tab", { name: "Live points" }).click();
  await page.getByRole("group", { name: "Live points" }).waitFor();
}

/**
 * Measures the resident memory of the process that draws the page, in MB, four times a second until `stop` is
 * called.
 */
async function followMemory(browser, context, page) {
  const session = await browser.newBrowserCDPSession();
  const before = await session.send("SystemInfo.getProcessInfo");
  const own = await context.newCDPSession(page);
  await own.send("HeapProfiler.enable");
  await own.send("HeapProfiler.collectGarbage");
  // Chromium runs each page in a renderer process of its own, and other pages take little memory. So the benchmark
  // measures the renderer with the largest memory.
  const renderers = before.processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id);
  const residentOf = (id) => {
    const status = readFileSync(`/proc/${id}/status`, "utf8");
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
  };
  const look = () => Math.max(...renderers.map(residentOf));
  const start = look();
  let most = start;
  const timer = setInterval(() => (most = Math.max(most, look())), 250);
  return {
    stop: async () => {
      await own.send("HeapProfiler.collectGarbage");
      clearInterval(timer);
      const end = look();
      await session.detach();
      return { start, most: Math.max(most, end), end };
    },
  };
}

/** A placeholder in the log lines. When a request is sent, the time of the request replaces it. */
const timePlace = "@time@";

function accessLines(count) {
  const dice = new Dice(33);
  const line = () => {
    const request = `${dice.pick(["GET", "GET", "GET", "POST"])} ${dice.path()} HTTP/1.1`;
    const status = dice.pick([200, 200, 200, 200, 304, 404, 301, 500]);
    return `${dice.address()} - - [${timePlace}] "${request}" ${status} ${dice.below(100_000)} "-" "Mozilla/5.0 (${dice.sentence(4)})"`;
  };
  return Array.from({ length: count }, line).join("\n");
}

/** Writes log lines to a file and sends the file to the agent with curl. Throws when curl or the agent fails. */
async function curl(url, folder, lines) {
  const [, day, month, year, clock] = /, (\d+) (\w+) (\d+) (\S+)/.exec(new Date().toUTCString());
  const file = path.join(folder, "access.log");
  writeFileSync(file, lines.replaceAll(timePlace, `${day}/${month}/${year}:${clock} +0000`));
  const args = ["-sS", "--fail", "--data-binary", `@${file}`, `${url}/v1/write/logstreaming?source=nginx`];
  const child = spawn("curl", args, { stdio: ["ignore", "ignore", "inherit"] });
  const code = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  });
  if (code !== 0) throw new Error(`curl ended with ${code}`);
}
