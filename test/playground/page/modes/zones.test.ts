// The time zone of the page, as a person uses it in the query mode and in dashboards: choosing and searching a zone,
// times in tables, input fields and charts, changes of the clocks, requests, and the stored choice.

import { describe, expect, it } from "vitest";
import { send } from "../../../server/support/running-agent.ts";
import { launch, removeFolder, temporaryFolder } from "../../../server/support/running-platform.ts";
import { playgroundOfTests, type TestPage } from "../support/running-page.ts";

const playground = playgroundOfTests(async () => {
  const dataDir = temporaryFolder();
  const { url, kill } = await launch({
    command: "start",
    dataDir,
    args: ["--listen", "127.0.0.1:0", "--gateway-listen", "none", "--platform-listen", "127.0.0.1:0"],
    service: ["agent", "platform"],
  });
  const stop = async () => {
    await kill();
    removeFolder(dataDir);
  };
  return { url, stop };
});

const ns = (iso: string) => `${Date.parse(iso)}000000`;
/** Four points: one before the hour that the clocks in Berlin show twice, two in this hour, and one after it. */
const points = ["2025-10-25T23:30Z", "2025-10-26T00:30Z", "2025-10-26T01:30Z", "2025-10-26T12:00Z"]
  .map((time, at) => `m v=${at + 1} ${ns(time)}`)
  .join("\n");

/** Opens the query mode, and reads a file of points there. */
async function openQuery(options: object): Promise<TestPage> {
  const test = await playground.open({ timezoneId: "Europe/Berlin", ...options }, "#/query");
  const { page } = test;
  await page
    .getByLabel("File with points")
    .setInputFiles({ name: "points.lp", mimeType: "text/plain", buffer: Buffer.from(points) });
  await page.getByLabel("The points of").selectOption("file");
  await page.getByRole("region", { name: "Data" }).getByText("M::m", { exact: true }).first().waitFor();
  return test;
}

async function ask({ page }: TestPage, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Query in DQL" }).click();
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.insertText(text);
  await page.keyboard.press("Escape");
}

const times = ({ page }: TestPage) => page.getByRole("grid").locator("td.time").allInnerTexts();

async function choose({ page }: TestPage, search: string): Promise<void> {
  await page.getByRole("button", { name: /^Time zone/ }).click();
  await page.getByRole("searchbox", { name: "Search a time zone" }).fill(search);
  await page.keyboard.press("Enter");
}

const overflow = ({ page }: TestPage) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

async function picture({ page }: TestPage, name: string): Promise<void> {
  const folder = process.env.ZONE_PICTURES;
  if (folder === undefined) return;
  for (const [width, colorScheme] of [
    [1440, "light"],
    [390, "dark"],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await page.waitForTimeout(300);
    await page.screenshot({ path: `${folder}/${name}-${width}-${colorScheme}.png` });
  }
  await page.setViewportSize({ width: 1440, height: 900 });
}

describe("the time zone of queries", () => {
  it("is the browser's at first, and repeated clock times are shown with their offset", async () => {
    const test = await openQuery({ viewport: { width: 1440, height: 900 } });
    const { page } = test;
    expect(await page.getByRole("button", { name: "Time zone Europe/Berlin" }).innerText()).toContain("Europe/Berlin");
    await ask(test, "M::m:(v)");
    await expect
      .poll(() => times(test))
      .toEqual([
        "2025-10-26 13:00:00",
        "2025-10-26 02:30:00 +01:00",
        "2025-10-26 02:30:00 +02:00",
        "2025-10-26 01:30:00",
      ]);
    await page.getByRole("button", { name: /^Time zone/ }).click();
    await page.getByText(/more: search by name/).waitFor();
    await picture(test, "picker");
    await page.getByRole("button", { name: "UTC", exact: true }).click();
    await expect.poll(() => times(test)).toContain("2025-10-26 01:30:00");
    expect(await times(test)).toContain("2025-10-25 23:30:00");
    expect(await page.locator("footer").last().innerText()).toContain("times in UTC");

    await choose(test, "mars");
    await page.getByText("There is no time zone of this name.").waitFor();
    await page.getByRole("searchbox", { name: "Search a time zone" }).fill("new york");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect
      .poll(() => times(test))
      .toEqual(["2025-10-26 08:00:00", "2025-10-25 21:30:00", "2025-10-25 20:30:00", "2025-10-25 19:30:00"]);
    await page.reload();
    await page.getByRole("button", { name: "Time zone America/New_York" }).waitFor();
    await page.getByRole("button", { name: /^Time zone/ }).click();
    await page.getByRole("button", { name: /\(this browser\)/ }).click();
    await page.getByRole("button", { name: "Time zone Europe/Berlin" }).waitFor();
  });

  it("applies to the entered range, to the buckets and to the chart", async () => {
    const test = await openQuery({ viewport: { width: 1440, height: 900 } });
    const { page } = test;
    await ask(test, "M::m:(v)");
    await page.getByLabel("Time range of queries that name none").selectOption("between");
    const [from, to] = [page.getByLabel("From, in Europe/Berlin"), page.getByLabel("To, in Europe/Berlin")];
    await from.fill("2025-10-26T01:00:00");
    await to.fill("2025-10-26T02:30:30");
    // The clocks show the end of the range, 02:30:30, twice on this day. The range ends at the second of the two
    // moments, so both points at 02:30 are in the range.
    await page.getByText("The clocks show 02:30:30 twice that day; this is UTC+1.").waitFor();
    await expect.poll(() => times(test)).toHaveLength(3);
    await picture(test, "between");
    await choose(test, "utc");
    expect(await page.getByLabel("To, in UTC").inputValue()).toBe("2025-10-26T01:30:30");
    await choose(test, "berlin");
    await from.fill("2025-03-30T02:30:00");
    await page.getByText("The clocks skip 02:30:00 that day; 03:00 is taken.").waitFor();
    expect(await from.inputValue()).toBe("2025-03-30T03:00");

    await page.getByLabel("Time range of queries that name none").selectOption("all");
    // In Berlin, October 26 has 25 hours and begins at 22:00 UTC of the day before.
    await ask(test, "M::m:(count(v)) [::1d]");
    await expect.poll(() => times(test)).toEqual(["2025-10-26 00:00:00"]);
    await choose(test, "new york");
    await expect.poll(() => times(test)).toEqual(["2025-10-26 00:00:00", "2025-10-25 00:00:00"]);
    await choose(test, "berlin");
    await ask(test, "M::m:(count(v)) [::30m]");
    await page.getByRole("tab", { name: "Chart", exact: true }).click();
    const chart = page.getByRole("group", { name: /^Chart over time/ });
    await chart.locator("canvas").waitFor();
    // The chart reacts to keys only after its answer has arrived, so the keys are pressed again and again.
    await expect
      .poll(async () => {
        for (const key of ["Home", "ArrowRight", "ArrowRight"]) await chart.press(key);
        return chart.locator(".moment").innerText();
      })
      .toMatch(/^2025-10-26 02:\d0:00 \+0[12]:00$/);
    await picture(test, "chart");
  });

  it("can be chosen beside the range on a phone", async () => {
    const test = await openQuery({ viewport: { width: 390, height: 844 } });
    await test.page.getByLabel("Time range of queries that name none").selectOption("between");
    await choose(test, "buenos aires");
    await test.page.getByRole("button", { name: /^Time zone America\/.*Buenos_Aires$/ }).waitFor();
    expect(await overflow(test)).toBeLessThanOrEqual(0);
  });
});

describe("the time zone of dashboards", () => {
  it("applies to the entered range, and requests contain exact times in UTC", async () => {
    const now = Date.now();
    const log = Array.from(
      { length: 50 },
      (_, at) => `web status="ok",message="line ${at}" ${now - at * 60_000}000000`,
    );
    await send(`${playground.url}/v1/write/logging?precision=n`, { body: log.join("\n") });
    // The agent passes points on only once a second, and a dashboard without refresh asks for them only once. So the
    // test waits until the platform has the points before it opens the dashboard.
    const stored = () =>
      send(`${playground.url}/v1/query/raw`, {
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ queries: [{ query: "L::web:(message)" }] }),
      });
    await expect.poll(async () => (await stored()).text).toContain("line 49");
    const chart = (name: string, type: string, q: string, x: number) => ({
      ...{ name, type, pos: { x, y: 0, w: 12, h: 9 }, group: { name: null } },
      ...{ queries: [{ qtype: "dql", query: { q } }], extend: {} },
    });
    const charts = [
      chart("Lines", "sequence", "L::web:(count(*)) [::auto]", 0),
      chart("Logs", "log", "L::web:(message)", 12),
    ];
    const made = await send(`${playground.url}/openapi/v1/dashboard/create`, {
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: "Zones", templateInfo: { main: { charts } } }),
    });
    const { uuid } = JSON.parse(made.text).content as { uuid: string };
    const test = await playground.open(
      { timezoneId: "Asia/Tokyo", viewport: { width: 1440, height: 900 } },
      `#/dashboards/${uuid}`,
    );
    const { page } = test;
    await page.getByRole("button", { name: "Time zone Asia/Tokyo" }).waitFor();
    const hour = (ms: number, zone: string) =>
      new Date(ms).toLocaleString("sv", { timeZone: zone, hourCycle: "h23" }).slice(0, 13);
    const newest = page.getByRole("article", { name: "Logs" }).getByRole("listitem").first();
    await expect.poll(async () => (await newest.innerText()).slice(0, 13)).toBe(hour(now, "Asia/Tokyo"));

    const sent: { time_range: number[]; tz?: string; query: string }[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/v1/query/raw")) sent.push(...JSON.parse(request.postData()!).queries);
    });
    await page.getByRole("button", { name: /^last hour/ }).click();
    await page.getByLabel("From").fill("2025-11-21T09:00:00");
    await page.getByLabel("To", { exact: true }).fill("2025-11-21T10:30:15");
    await picture(test, "dashboard-range");
    await page.getByRole("button", { name: "Show this time" }).click();
    await page.getByRole("button", { name: /^2025-11-21 09:00:00 – 10:30:15/ }).waitFor();
    await expect.poll(() => sent.length).toBe(2);
    for (const { time_range, tz, query } of sent) {
      expect(time_range).toEqual([Date.parse("2025-11-21T00:00:00Z"), Date.parse("2025-11-21T01:30:15Z")]);
      expect([tz, query.startsWith("L::web:(")]).toEqual(["Asia/Tokyo", true]);
    }
    await choose(test, "utc");
    await page.getByRole("button", { name: /^2025-11-21 00:00:00 – 01:30:15/ }).waitFor();
    await expect.poll(() => sent.length).toBe(4);
    expect(sent.at(-1)).not.toHaveProperty("tz");
    expect(sent.at(-1)!.time_range).toEqual(sent[0]!.time_range);
    expect(await page.locator("footer:visible .zone").innerText()).toBe("times in UTC");
    // The user has chosen the time zone in the dashboards mode. The choice applies to the whole page, so the query mode
    // uses this time zone, too.
    await page.getByRole("link", { name: "Query" }).click();
    await page.getByRole("region", { name: "Query" }).getByRole("button", { name: "Time zone UTC" }).waitFor();
    await page.getByRole("link", { name: "Dashboards" }).click();
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await overflow(test)).toBeLessThanOrEqual(0);
  });
});
