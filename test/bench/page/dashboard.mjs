// Measures how long a dashboard with ten charts over 1 million varied points takes from the click on its name in
// the list until all charts are drawn. The first line of the output is the first visit of a new browser profile,
// which also loads the code of the charts.

import path from "node:path";
import { hostMetrics, shopLogs } from "./points.mjs";
import { post, startServices, waitForCount } from "./services.mjs";
import { processorMs, taskTimes } from "./tasks.mjs";

const rounds = 7;
const logs = 600_000;
const metrics = 400_000;
/** Goal for the time until all charts are drawn, in milliseconds. */
const goalMs = 1000;

const from = "L::shop";
/** The charts. Each has a name, a type, a query, a width in columns (a dashboard has 24 columns), and settings. */
const charts = [
  ["Requests", "singlestat", `${from}:(count(*))`, 6],
  ["95th percentile", "singlestat", `${from}:(p95(duration_ms))`, 6, { units: "ms" }],
  ["Clients", "singlestat", `${from}:(count_distinct(client_ip))`, 6],
  ["Load", "sequence", "M::shop_host:(avg(load)) BY region", 6, { chartType: "line" }],
  [
    "Requests by status",
    "sequence",
    `${from}:(count(*)) [::auto] BY status`,
    12,
    { chartType: "bar", showStack: true },
  ],
  ["Usage by region", "sequence", "M::shop_host:(avg(usage), max(usage)) BY region", 12, { chartType: "line" }],
  [
    "Slowest URLs",
    "toplist",
    `${from}:(p95(duration_ms) AS p95) BY http_url SORDER BY p95 DESC SLIMIT 10`,
    8,
    { units: "ms" },
  ],
  ["Top clients", "toplist", `${from}:(count(*) AS requests) BY client_ip SORDER BY requests DESC SLIMIT 10`, 8],
  ["Methods", "table", `${from}:(count(*) AS requests, sum(bytes) AS sent) BY http_method, status_code`, 8],
  ["Errors", "log", `${from}:(status, message, http_url) {status_code >= 500} LIMIT 100`, 24],
];

export async function measureDashboard({ browser, folder }) {
  const services = await startServices("start", path.join(folder, "dashboard"));
  const { url } = services;
  try {
    const began = performance.now();
    await load(url);
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    console.log(`a dashboard of ${charts.length} charts over ${logs + metrics} points, which arrived in ${seconds} s:`);
    const uuid = await make(url);
    print("the first time", await open(browser, services, uuid, 1));
    print(`${rounds} times again`, await open(browser, services, uuid, rounds));
  } finally {
    await services.stop();
  }
}

async function load(url) {
  for (const body of shopLogs(logs)) await post(`${url}/v1/write/logging?precision=n`, body);
  for (const body of hostMetrics(metrics)) await post(`${url}/v1/write/metric?precision=n`, body);
  await waitForCount(url, "L::shop:(count(*))", logs);
  await waitForCount(url, "M::shop_host:(count(load))", metrics);
}

/** Makes the dashboard, and returns its identifier. */
async function make(url) {
  let [x, y] = [0, 0];
  const placed = charts.map(([name, type, q, w, settings = {}]) => {
    if (x + w > 24) [x, y] = [0, y + 8];
    const pos = { x, y, w, h: 8 };
    x += w;
    const queries = [{ qtype: "dql", query: { q } }];
    return { name, type, pos, group: { name: null }, queries, extend: { settings } };
  });
  const templateInfo = { main: { type: "template", groups: [], vars: [], charts: placed } };
  const answer = await post(`${url}/openapi/v1/dashboard/create`, { name: "Shop", templateInfo });
  return JSON.parse(answer).content.uuid;
}

/**
 * Opens the dashboard `times` times from the list. Returns the milliseconds from each click until all charts are drawn,
 * and the processor time of one opening in the page's main thread and in the services.
 */
async function open(browser, { url, pid }, uuid, times) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto(`${url}/#/dashboards`);
  const link = page.getByRole("link", { name: /^Shop/ });
  const found = [];
  const once = async () => {
    await link.waitFor();
    // Waits, because a person also reads the list before the click. Nothing runs during this time.
    await page.waitForTimeout(500);
    const drawn = page.evaluate(untilDrawn, charts.length);
    await link.click();
    const ms = await drawn;
    if (page.url().split("/").at(-1) !== uuid) throw new Error(`the page opened ${page.url()}`);
    await page.getByRole("button", { name: "All dashboards" }).click();
    return ms;
  };
  // The page loads further code at its first click. So when more than one opening is measured, the first opening is not
  // counted.
  if (times > 1) await once();
  const before = processorMs(pid);
  const { all } = await taskTimes(browser, page, async () => {
    for (let at = 0; at < times; at++) found.push(await once());
  });
  const services = before === null ? null : (processorMs(pid) - before) / times;
  await context.close();
  return { found: found.sort((a, b) => a - b), page: all / times, services };
}

/**
 * Runs in the page. The returned promise resolves when the browser has drawn the frame with the last chart, and rejects
 * when a chart shows an error.
 */
function untilDrawn(count) {
  return new Promise((resolve, reject) => {
    addEventListener(
      "click",
      () => {
        const began = performance.now();
        const look = () => {
          const cards = [...document.querySelectorAll("article")];
          const fault = document.querySelector("article [role=alert]");
          if (fault !== null) return reject(new Error(fault.textContent));
          const isDrawn = (card) =>
            card.ariaBusy === "false" &&
            card.querySelector("canvas, dl.bars, table, ol li, .value strong") !== null &&
            card.querySelector(".empty") === null;
          if (cards.length < count || !cards.every(isDrawn)) return requestAnimationFrame(look);
          // When the browser calls the callback of the next frame, it has drawn the frame with the last chart.
          requestAnimationFrame(() => resolve(performance.now() - began));
        };
        requestAnimationFrame(look);
      },
      { capture: true, once: true },
    );
  });
}

function print(name, { found, page: pageMs, services }) {
  const [least, middle, most] = [found[0], found[found.length >> 1], found.at(-1)].map((ms) => ms.toFixed(0));
  const range = found.length === 1 ? "" : ` (${least}-${most})`;
  const missed = Number(middle) > goalMs ? ": missed" : "";
  console.log(`  ${name}: all charts drawn ${middle} ms after the click${range}, goal ${goalMs} ms${missed}`);
  console.log(
    `    processor time of one opening: main thread of the page ${pageMs.toFixed(0)} ms, services ${services?.toFixed(0) ?? "unknown"} ms`,
  );
}
