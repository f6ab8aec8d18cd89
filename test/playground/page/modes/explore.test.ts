// Tests the explore mode in the page, as a person uses it, with agent and platform in one process. The user
// clicks through from the list of measurements to log lines, values, a chart, a query, and a chart on a
// dashboard. Also tests the texts that the mode shows when there are no points.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright";
import { beforeAll, describe, expect, it } from "vitest";
import { send } from "../../../server/support/running-agent.ts";
import { launch, removeFolder, temporaryFolder } from "../../../server/support/running-platform.ts";
import { playgroundOfTests, type TestPage } from "../support/running-page.ts";

const playground = playgroundOfTests(async () => {
  const dataDir = temporaryFolder();
  const args = ["--listen", "127.0.0.1:0", "--gateway-listen", "none", "--platform-listen", "127.0.0.1:0"];
  const { url, kill } = await launch({ command: "start", dataDir, args, service: ["agent", "platform"] });
  const stop = async () => {
    await kill();
    removeFolder(dataDir);
  };
  return { url, stop };
});

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const lines = 120;
const pane = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const said = (page: Page) => page.locator("footer:visible [role=status]").last();
const source = (page: Page, name: string) => pane(page, "Data").locator("[data-source]").filter({ hasText: name });
const logLines = (page: Page) => pane(page, "View").getByRole("list", { name: "Log lines" }).locator(".line");

async function openPlatform(options = {}): Promise<TestPage> {
  const test = await playground.open(options, "#/explore");
  await test.page.getByLabel("The points of").selectOption({ label: "the platform" });
  return test;
}

/** Sends log lines of nginx and some metrics to the agent, and waits until the platform has all of these points. */
async function sendPoints(): Promise<void> {
  const now = Date.now();
  const access = Array.from({ length: lines }, (_, at) => {
    const [url, code] = at % 4 === 0 ? ["/pay", 502] : [`/p${at % 3}`, 200];
    const method = at % 6 === 0 ? "POST" : "GET";
    const fields = `message="${method} ${url} ${code}",status="${code === 502 ? "error" : "OK"}",http_url="${url}",status_code=${code}i,bytes=${at}i`;
    return `nginx,host=web-${at % 2} ${fields} ${now - 60_000 - at * 20_000}000000`;
  });
  const cpu = Array.from({ length: lines }, (_, at) => {
    const usage = at % 2 === 0 ? 10 : 70;
    return `cpu,host=web-${at % 2} usage=${usage},cores=${4 + at}i ${now - 60_000 - at * 20_000}000000`;
  });
  const write = async (path: string, body: readonly string[]) =>
    expect((await send(`${playground.url}/v1/write/${path}`, { method: "POST", body: body.join("\n") })).status).toBe(
      200,
    );
  await write("logging", access);
  await write("metric", cpu);
  const count = { queries: [{ query: "L::nginx:(count(*))" }, { query: "M::cpu:(count(usage))" }] };
  const ask = async () => (await send(`${playground.url}/v1/query/raw`, { body: JSON.stringify(count) })).text;
  const has = new RegExp(`(?:[^]*,${lines}\\]){2}`);
  while (!has.test(await ask())) await new Promise((resolve) => setTimeout(resolve, 100));
}

/** Asserts that the page is accessible in both themes, on a wide page and on a phone. */
async function expectAccessible({ page }: TestPage, name: string, panes = ["data", "view"]): Promise<void> {
  const found: Record<string, string[]> = {};
  await page.evaluate(axe);
  for (const width of [1440, 390])
    for (const shown of width === 390 ? panes : [""])
      for (const colorScheme of ["light", "dark"] as const) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        const choice = page
          .getByRole("navigation", { name: "Panes" })
          .getByRole("button", { name: shown, exact: true });
        if (shown !== "") await choice.click();
        const { violations } = await page.evaluate(
          () =>
            (globalThis as unknown as { axe: typeof import("axe-core") }).axe.run(document, {
              runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"],
              resultTypes: ["violations"],
            }) as Promise<AxeResults>,
        );
        const broken = violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
        if (broken.length > 0) found[`${width} ${shown} ${colorScheme}`] = broken;
        const folder = process.env.EXPLORE_PICTURES;
        if (folder !== undefined)
          await page.screenshot({ path: `${folder}/${name}-${width}${shown}-${colorScheme}.png` });
      }
  await page.setViewportSize({ width: 1440, height: 900 });
  expect(found).toEqual({});
}

describe("a platform without points", () => {
  it("shows how to send points, and shows the sent points after a refresh", async () => {
    const test = await openPlatform({ permissions: ["clipboard-read", "clipboard-write"] });
    const { page } = test;
    await page.getByRole("heading", { name: "The platform has no points yet" }).waitFor();
    await expectAccessible(test, "empty");
    await page.getByRole("button", { name: "Copy the command: A log line" }).click();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    const [, body, url] = /^curl -d '(.*)' (\S+)$/.exec(command)!;
    expect((await send(url!, { method: "POST", body: body! })).status).toBe(200);
    await expect
      .poll(async () => {
        await page.keyboard.press("ControlOrMeta+Enter");
        await page.waitForTimeout(300);
        return logLines(page).allInnerTexts();
      })
      .toEqual([expect.stringContaining("card refused")]);
    expect(await pane(page, "Data").innerText()).toMatch(/Logs\s*1\s+shop/);
  });
});

describe("a platform with points", () => {
  beforeAll(sendPoints, 60_000);

  describe("logs", () => {
    it("are counted by their own keys when the points before had the same name and other keys", async () => {
      const { page } = await playground.open({}, "#/explore");
      const counts = pane(page, "View").locator("details").getByRole("list");
      await expect.poll(() => counts.allInnerTexts()).toContainEqual(expect.stringContaining("curl/8.5.0"));
      await page.getByLabel("The points of").selectOption({ label: "the platform" });
      await expect.poll(() => said(page).innerText()).toBe("nginx: 120 lines");
      await expect
        .poll(() => counts.evaluateAll((lists) => lists.map((list) => list.getAttribute("aria-label"))))
        .toEqual(expect.arrayContaining(["Values of host", "Values of http_url"]));
    });

    it("are filtered by values, search and histogram, and the choice opens as a query", async () => {
      const test = await openPlatform();
      const { page } = test;
      const view = pane(page, "View");
      await source(page, "nginx").click();
      await expect.poll(() => logLines(page).count()).toBe(100);
      await expect.poll(() => source(page, "nginx").innerText()).toMatch(/nginx\s*120/);
      await expect.poll(() => said(page).innerText()).toBe("nginx: 120 lines");
      await view
        .getByRole("group", { name: /^Log lines over time/ })
        .locator("canvas")
        .waitFor();

      // The list of keys shows the type and the number of points of each key. A click on a key lists its values.
      const keys = page.getByRole("list", { name: "Tags and fields of nginx" });
      const key = (name: string) =>
        keys.getByRole("button", { name: new RegExp(`^${name}(?: |[a-z]+\\d|int|str|tag)`) });
      await expect
        .poll(async () => (await keys.innerText()).replace(/\s+/g, " "))
        .toMatch(/host str 120 .*status_code int 120/);
      expect(await keys.innerText()).not.toContain("__docid");
      await key("status_code").click();
      const values = page.getByRole("list", { name: "Values of status_code" }).first();
      await expect.poll(async () => (await values.innerText()).replace(/\s+/g, " ")).toBe("200 90 502 30");
      await expectAccessible(test, "logs");
      await values.getByRole("button", { name: /^502/ }).click();
      await page
        .getByRole("group", { name: "Value of status_code" })
        .getByRole("button", { name: "Only this" })
        .click();
      await expect.poll(() => said(page).innerText()).toBe("nginx: 30 lines");
      await expect.poll(async () => (await values.innerText()).replace(/\s+/g, " ")).toBe("502 30");

      await page.getByRole("searchbox", { name: "Search in message" }).fill("post /PAY");
      await expect.poll(() => said(page).innerText()).toBe("nginx: 10 lines");
      await page.getByRole("searchbox", { name: "Search in message" }).fill("nothing like it");
      await expect.poll(() => view.innerText()).toContain("No points of nginx match the search and the filters.");
      await page.getByRole("button", { name: "Clear search and filters" }).click();
      await expect.poll(() => said(page).innerText()).toBe("nginx: 120 lines");

      // Dragging over the histogram chooses a time range. The button Undo restores the time range that was chosen
      // before.
      const chart = view.getByRole("group", { name: /^Log lines over time/ }).locator(".u-over");
      const box = (await chart.boundingBox())!;
      await page.mouse.move(box.x + box.width * 0.4, box.y + 20);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.7, box.y + 20, { steps: 4 });
      await page.mouse.up();
      const count = async () => Number(/(\d+) lines/.exec(await said(page).innerText())?.[1]);
      await expect.poll(count).toBeLessThan(100);
      await page.getByRole("button", { name: "Undo" }).click();
      await expect.poll(count).toBe(120);

      await key("http_url").click();
      await page
        .getByRole("list", { name: "Values of http_url" })
        .first()
        .getByRole("button", { name: "/pay" })
        .click();
      await page.getByRole("group", { name: "Value of http_url" }).getByRole("button", { name: "Not this" }).click();
      await page.getByRole("searchbox", { name: "Search in message" }).fill("get");
      const kept = 80;
      await expect.poll(() => said(page).innerText()).toBe(`nginx: ${kept} lines`);
      await page.getByLabel("Time range of queries that name none").selectOption("last 6 hours");
      await page.getByRole("button", { name: "Open as DQL" }).click();
      await pane(page, "Query").waitFor();
      const editor = page.getByRole("textbox", { name: "Query in DQL" });
      await expect
        .poll(() => editor.innerText())
        .toBe("L::nginx { message = re('(?is).*get.*'), http_url != '/pay' } LIMIT 500");
      expect(await pane(page, "Query").getByLabel("The points of").inputValue()).toBe("platform");
      const range = pane(page, "Query").getByLabel("Time range of queries that name none");
      await expect
        .poll(() => range.evaluate((each: HTMLSelectElement) => each.selectedOptions[0]!.text))
        .toBe("last 6 hours");
      await expect.poll(() => said(page).innerText()).toContain(`${kept} rows`);
    });
  });

  describe("metrics", () => {
    it("are drawn by function and tag, and are added to a new and to an existing dashboard", async () => {
      const test = await openPlatform();
      const { page } = test;
      const view = pane(page, "View");
      await page.getByRole("searchbox", { name: "Filter the names" }).fill("usa");
      await expect.poll(() => pane(page, "Data").locator("[data-source]").count()).toBe(1);
      await source(page, "cpu").click();
      await page.getByRole("searchbox", { name: "Filter the names" }).fill("");
      await view.locator("canvas").waitFor();
      await page.getByLabel("Field", { exact: true }).selectOption("usage");
      await page.getByLabel("Group by").selectOption("host");
      const legend = view.getByRole("list", { name: "Legend" });
      await expect.poll(async () => (await legend.innerText()).split(/\s+/).sort()).toEqual(["web-0", "web-1"]);
      await expect.poll(() => view.getByRole("heading", { level: 3 }).innerText()).toMatch(/^mean of usage by host/);
      // The metrics of each host have the same value at all times. So the test knows the last value of each line in the
      // chart.
      await view.getByRole("group", { name: /^mean of usage by host/ }).press("End");
      await expect.poll(async () => (await legend.innerText()).replace(/\s+/g, " ")).toMatch(/web-0 10.*|.*web-1 70/);
      await page.getByLabel("Function").selectOption("count");
      await expect.poll(() => view.getByRole("heading", { level: 3 }).innerText()).toMatch(/^count of usage by host/);
      await page.getByLabel("Function").selectOption("max");
      await expect.poll(() => said(page).innerText()).toBe("cpu: 2 lines of a chart");
      await expectAccessible(test, "metrics");

      await page.getByRole("button", { name: "Add to dashboard" }).click();
      const name = page.getByRole("textbox", { name: "Name of the chart" });
      await expect.poll(() => name.inputValue()).toBe("cpu: max of usage by host");
      await name.fill("Busy hosts");
      await page.getByRole("textbox", { name: "Name of the dashboard" }).fill("Machines");
      await expectAccessible(test, "add", [""]);
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByText("The chart “Busy hosts” is on the dashboard “Machines”.").waitFor();
      await page.getByRole("link", { name: "Open the dashboard" }).click();
      const card = page.getByRole("article", { name: "Busy hosts", exact: true });
      await card.locator("canvas").waitFor();
      expect(await pane(page, "Dashboards").getByRole("heading", { level: 2 }).innerText()).toBe("Machines");

      // The user adds a second chart to the same dashboard. The page then shows this dashboard with both charts.
      await page.getByRole("link", { name: "Explore" }).click();
      await page.getByLabel("Group by").selectOption("nothing");
      await expect.poll(() => view.getByRole("heading", { level: 3 }).innerText()).toMatch(/^max of usage(?! by)/);
      await page.getByRole("button", { name: "Add to dashboard" }).click();
      await page.getByLabel("Dashboard", { exact: true }).selectOption("Machines");
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByRole("link", { name: "Open the dashboard" }).click();
      await page.getByRole("article", { name: "cpu: max of usage" }).locator("canvas").waitFor();
      expect(await page.getByRole("article").count()).toBe(2);
    });

    it("are also drawn from a numeric field of logs, grouped by status", async () => {
      const { page } = await openPlatform();
      const view = pane(page, "View");
      await source(page, "nginx").click();
      await page.getByRole("tab", { name: "Chart", exact: true }).click();
      await expect
        .poll(() => view.getByRole("heading", { level: 3 }).innerText())
        .toMatch(/^number of points by status/);
      await page.getByLabel("Field", { exact: true }).selectOption("bytes");
      await expect.poll(() => view.getByRole("heading", { level: 3 }).innerText()).toMatch(/^mean of bytes by status/);
      await view.locator("canvas").waitFor();
      await page.getByRole("button", { name: "Open as DQL" }).click();
      const editor = page.getByRole("textbox", { name: "Query in DQL" });
      await expect.poll(() => editor.innerText()).toBe("L::nginx:(avg(bytes)) [::auto] BY status");
    });
  });
});

describe("the points of the page's run", () => {
  it("are explored with keys without a platform, and cannot be added to a dashboard", async () => {
    const test = await playground.open({}, "#/explore");
    const { page } = test;
    await expect.poll(() => said(page).innerText()).toBe("nginx: 10 lines");
    await page.keyboard.press("Alt+1");
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute("placeholder")))
      .toBe("filter the names");
    await page.keyboard.type("meth");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("list", { name: "Values of method" }).first().waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect
      .poll(() => pane(page, "View").getByRole("heading", { level: 3 }).innerText())
      .toMatch(/^number of points by method/);
    await page.getByRole("button", { name: "Add to dashboard" }).click();
    await page.getByText("A dashboard asks the platform.").waitFor();
  });

  it("are missing without an input, and the page links to the Pipeline mode", async () => {
    const { page, input, write } = await playground.open();
    await write(input, "");
    await page.keyboard.press("Alt+Shift+8");
    await page.getByRole("heading", { name: "There are no points yet" }).waitFor();
    await page.getByRole("link", { name: "Open Pipeline" }).click();
    await input.waitFor();
  });

  it("are offered instead when the page's server has no platform", async () => {
    const test = await playground.open({}, "#/explore");
    const { page } = test;
    await page.route("**/v1/query/raw", (route) => route.fulfill({ status: 404, body: "404 page not found" }));
    await page.getByLabel("The points of").selectOption({ label: "the platform" });
    await expect.poll(() => pane(page, "View").getByRole("alert").innerText()).toContain("a server without a platform");
    await expectAccessible(test, "none");
    await page.getByRole("button", { name: "Explore this run instead" }).click();
    await expect.poll(() => said(page).innerText()).toBe("nginx: 10 lines");
    (test.faults as string[]).length = 0;
  });
});
