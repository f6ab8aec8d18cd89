// The states of the page for `npm run pictures` that need a running platform. Agent, gateway and platform run as
// `npm start` runs them, and curl has sent them an hour of an access log of nginx.

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import type { Page } from "playwright";
import { send } from "../../../server/support/running-agent.ts";
import { launch, removeFolder, temporaryFolder } from "../../../server/support/running-platform.ts";
import type { PageState } from "./page-states.ts";
import type { TestPage } from "./running-page.ts";

const minutes = 57;
const urls = ["/", "/items", "/items/42", "/cart", "/search?q=lamp", "/pay", "/login", "/static/app.js"];
const agents = ["Mozilla/5.0 (X11; Linux x86_64)", "Mozilla/5.0 (iPhone)", "curl/8.5.0"];

/**
 * Returns the log lines of the last hour. Their number differs from minute to minute, and in some minutes many requests
 * fail with the status 502.
 */
export function accessLines(now: number): string[] {
  const lines: string[] = [];
  let seed = 7;
  const below = (limit: number) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * limit);
  };
  for (let minute = minutes; minute > 0; minute--) {
    const isBad = minute > 18 && minute < 24;
    const count = Math.round(70 + 35 * Math.sin(minute / 7) + below(16));
    const seconds = Array.from({ length: count }, () => below(60)).sort((a, b) => a - b);
    for (const second of seconds) {
      const url = urls[below(below(urls.length) + 1)]!;
      const chance = below(100);
      const status = isBad && chance < 35 ? 502 : chance < 86 ? 200 : chance < 92 ? 304 : chance < 99 ? 404 : 500;
      const client = `203.0.113.${10 + below(below(24) + 1)}`;
      const bytes = status === 304 ? 0 : 300 + below(9000);
      const time = timeText(now - minute * 60_000 + second * 1000);
      const agent = agents[below(agents.length)]!;
      lines.push(`${client} - - [${time}] "GET ${url} HTTP/1.1" ${status} ${bytes} "-" "${agent}"`);
    }
  }
  return lines;
}

/** Returns a time as nginx writes it. */
function timeText(ms: number): string {
  const [, day, month, year, clock] = /, (\d+) (\w+) (\d+) (\S+)/.exec(new Date(ms).toUTCString())!;
  return `${day}/${month}/${year}:${clock} +0000`;
}

function curl(url: string, file: string): void {
  const to = `${url}/v1/write/logstreaming?source=nginx`;
  execFileSync("curl", ["-sS", "--fail", "--data-binary", `@${file}`, to], { stdio: ["ignore", "ignore", "inherit"] });
}

/** Starts the services and sends the lines. Resolves when the platform has all of them. */
export async function startWithLogs(): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const dataDir = temporaryFolder();
  const args = ["--listen", "127.0.0.1:0", "--gateway-listen", "127.0.0.1:0", "--platform-listen", "127.0.0.1:0"];
  const { url, kill } = await launch({ command: "start", dataDir, args, service: ["agent", "gateway", "platform"] });
  const lines = accessLines(Date.now());
  const file = path.join(dataDir, "access.log");
  writeFileSync(file, `${lines.join("\n")}\n`);
  curl(url, file);
  const body = JSON.stringify({ queries: [{ query: "L::nginx:(count(*))" }] });
  while (!(await send(`${url}/v1/query/raw`, { body })).text.includes(`${lines.length}`))
    await new Promise((resolve) => setTimeout(resolve, 100));
  const stop = async () => {
    await kill();
    removeFolder(dataDir);
  };
  return { url, stop };
}

const originOf = (page: Page) => new URL(page.url()).origin;

async function openApi(page: Page, at: string, body?: object): Promise<{ readonly content: never }> {
  const headers = { "content-type": "application/json" };
  const sent = body === undefined ? {} : { headers, body: JSON.stringify(body) };
  return JSON.parse((await send(`${originOf(page)}/openapi/v1${at}`, sent)).text) as { content: never };
}

async function clear(page: Page): Promise<void> {
  const { content } = await openApi(page, "/dashboard/list?pageSize=100");
  for (const { uuid } of content as { uuid: string }[]) await openApi(page, `/dashboard/${uuid}/delete`, {});
  await page.reload();
  await page.getByRole("button", { name: "New dashboard" }).waitFor();
}

/** Opens the dashboard for nginx that comes with the server, and waits until all charts have their answers. */
async function nginxBoard({ page }: TestPage): Promise<void> {
  await clear(page);
  await page.getByRole("button", { name: /^nginx/ }).click();
  await page.getByRole("heading", { name: "nginx", level: 2 }).waitFor();
  await page.locator("article canvas").first().waitFor();
  await page.waitForFunction(() => document.querySelector("article[aria-busy=true], article .empty") === null);
}

/** Sends a query to the platform, and opens its answer in the given view. */
async function ask({ page }: TestPage, text: string, view: string): Promise<void> {
  await page.getByLabel("The points of").selectOption("platform");
  await page.getByRole("region", { name: "Data" }).getByText("L::nginx", { exact: true }).first().waitFor();
  await page.getByRole("textbox", { name: "Query in DQL" }).click();
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.insertText(text);
  await page.keyboard.press("Escape");
  await page.getByRole("tab", { name: view, exact: true }).click();
  await page.getByRole("region", { name: "Answer" }).locator("canvas").first().waitFor();
}

async function scripts({ page }: TestPage): Promise<void> {
  await page.getByRole("button", { name: /^nginx\.p/ }).click();
  await page.getByRole("tabpanel").locator(".cm-line").nth(10).waitFor();
}

const dashboardStates: readonly (readonly [string, (opened: TestPage) => Promise<void>])[] = [
  ["ways to start", ({ page }) => clear(page)],
  ["nginx", nginxBoard],
  [
    "the list",
    async (opened) => {
      await nginxBoard(opened);
      await opened.page.getByRole("button", { name: "All dashboards" }).click();
      await opened.page.getByRole("link", { name: /^nginx/ }).waitFor();
    },
  ],
  [
    "editing",
    async (opened) => {
      await nginxBoard(opened);
      await opened.page.getByRole("button", { name: "Edit", exact: true }).click();
      await opened.page.getByRole("button", { name: "Add chart" }).waitFor();
    },
  ],
  [
    "a chart in the form",
    async (opened) => {
      await nginxBoard(opened);
      await opened.page.getByRole("button", { name: "Edit", exact: true }).click();
      await opened.page.getByRole("button", { name: "Change Requests by status code" }).click();
      await opened.page.getByRole("group", { name: "Preview" }).locator("canvas").waitFor();
    },
  ],
];

const queryStates: readonly (readonly [string, (opened: TestPage) => Promise<void>])[] = [
  [
    "log lines of the platform",
    async (opened) => {
      await ask(opened, "L::nginx { status_code >= 400 }", "Logs");
      await opened.page.getByRole("list", { name: "Values of http_url" }).waitFor();
    },
  ],
  [
    "a chart of the platform",
    async (opened) => {
      await ask(opened, "L::nginx:(count(*)) [::1m] BY status", "Chart");
      await opened.page.getByLabel("Stacked").check();
    },
  ],
];

const connectStates: readonly (readonly [string, (opened: TestPage) => Promise<void>])[] = [
  ["a script", scripts],
  [
    "live points",
    async (opened) => {
      const { page } = opened;
      await scripts(opened);
      await page.getByRole("tab", { name: "Live points" }).click();
      const points = page.getByRole("group", { name: "Live points" });
      // The agent samples points only after it got the first request for live points. So the test sends lines until the
      // page shows some points.
      const newest = accessLines(Date.now()).slice(-30).join("\n");
      while ((await points.locator(".point").count()) < 6) {
        await send(`${originOf(page)}/v1/write/logstreaming?source=nginx`, { method: "POST", body: newest });
        await page.waitForTimeout(300);
      }
      await page.getByRole("button", { name: "Hold" }).click();
      await points.locator("button").nth(1).click();
    },
  ],
  [
    "a comparison",
    async (opened) => {
      await scripts(opened);
      await opened.page.getByRole("tab", { name: "Compare" }).click();
      await opened.page.getByRole("button", { name: "Compare with this page" }).click();
      await opened.page.locator(".result span").waitFor();
    },
  ],
  [
    "saving",
    async (opened) => {
      await scripts(opened);
      await opened.page.getByRole("tab", { name: "Save" }).click();
    },
  ],
];

const stateOf =
  (mode: string, panes: readonly string[]) =>
  ([name, reach]: readonly [string, (opened: TestPage) => Promise<void>]): PageState => ({
    ...{ name: `${mode}, ${name}`, fragment: `#/${mode.toLowerCase()}`, reach, panes },
  });

export const platformStates: readonly PageState[] = [
  ...dashboardStates.map(stateOf("Dashboards", [])),
  ...queryStates.map(stateOf("Query", ["query", "answer"])),
  ...connectStates.map(stateOf("Connect", ["scripts", "agent"])),
];
