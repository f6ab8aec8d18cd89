// Whole tasks with the keyboard alone over the points of a platform: a query in the query mode, and a change of a
// dashboard.

import { beforeAll, expect, it } from "vitest";
import { focused, tabTo } from "../support/keyboard.ts";
import { makeDashboard, sendLogs, startWithPlatform } from "../support/platform-page.ts";
import { playgroundOfTests } from "../support/running-page.ts";

const playground = playgroundOfTests(startWithPlatform);
beforeAll(() => sendLogs(playground.url), 60_000);

it("a keyboard user queries the platform, reads the answer and filters it by a value", async () => {
  const opened = await playground.open();
  const { page } = opened;
  const { keyboard } = page;
  const status = () => page.locator("footer:visible [role=status]").innerText();
  await page.getByText("not edited yet").waitFor();
  await tabTo(opened, /^a Query/);
  await keyboard.press("Enter");
  await page.getByRole("region", { name: "Query", exact: true }).waitFor();

  await tabTo(opened, /^select The points of/);
  await keyboard.press("ArrowDown");
  await expect.poll(status).toBe("No query yet of the platform");
  await tabTo(opened, /^textbox Query in DQL/);
  await keyboard.type("L::nginx:(count(*)) BY status");
  await keyboard.press("ControlOrMeta+Enter");
  await expect.poll(status).toBe("2 rows of the platform");

  await tabTo(opened, /^td /);
  const first = (await focused(opened)).name;
  await keyboard.press("ArrowDown");
  expect((await focused(opened)).name).not.toBe(first);
  await keyboard.press("ArrowUp");
  expect((await focused(opened)).name).toBe(first);
  await keyboard.press("Enter");
  expect((await focused(opened)).name).toBe("button Only this");
  await keyboard.press("ArrowDown");
  await keyboard.press("ArrowUp");
  await keyboard.press("Enter");
  await expect.poll(status).toBe("1 row of the platform");
  const text = await page.getByRole("textbox", { name: "Query in DQL" }).innerText();
  expect(text).toMatch(/^L::nginx:\(count\(\*\)\) \{\s*status = '(ok|error)'\s*\} BY status$/);
  // The filter keeps the focus at the cell that the user has chosen, so the next press of the Tab key starts from this
  // cell.
  expect((await focused(opened)).name).toBe(first);
  await tabTo(opened, /^tab Table/, "Shift+Tab");
  await keyboard.press("ArrowRight");
  await keyboard.press("ArrowRight");
  await expect.poll(() => page.getByRole("definition").count()).toBe(1);
});

it("a keyboard user opens a dashboard, undoes a move of a chart, and saves another move", async () => {
  const charts = [
    { name: "One", type: "toplist", query: "L::nginx:(count(*)) BY host" },
    { name: "Two", type: "toplist", query: "L::nginx:(count(*)) BY code" },
  ];
  await makeDashboard(playground.url, "By keys", charts);
  const opened = await playground.open({ viewport: { width: 1440, height: 900 } }, "#/dashboards");
  const { page } = opened;
  const { keyboard } = page;
  const status = () => page.locator("footer:visible [role=status]").innerText();
  await page.getByRole("link", { name: /^By keys/ }).waitFor();
  await page.locator("header").click({ position: { x: 2, y: 2 } });
  await tabTo(opened, /^a By keys/);
  await keyboard.press("Enter");
  await expect.poll(status).toBe("2 charts, last hour");
  expect((await focused(opened)).name).toBe("button All dashboards");

  await tabTo(opened, /^button Edit/);
  await keyboard.press("Enter");
  await expect.poll(async () => (await focused(opened)).name).toBe("button Add chart");
  await tabTo(opened, /^button Move Two/);
  const box = async () => (await page.getByRole("article", { name: "Two" }).boundingBox())!;
  const before = await box();
  await keyboard.press("ArrowLeft");
  await expect.poll(async () => (await box()).x).toBeLessThan(before.x);
  // The chart that was moved now comes before the other chart. The focus stays at the button with which the user moved
  // the chart.
  await expect.poll(async () => (await focused(opened)).name).toMatch(/^button Move Two/);
  await keyboard.press("ControlOrMeta+Z");
  await expect.poll(box).toEqual(before);
  await expect.poll(async () => (await focused(opened)).name).toMatch(/^button Move Two/);
  await keyboard.press("ArrowLeft");
  await expect.poll(status).toBe("Changes that are not saved");
  await tabTo(opened, /^button Save/, "Shift+Tab");
  await keyboard.press("Enter");
  await expect.poll(status).toBe("2 charts, last hour");
  expect((await focused(opened)).name).toBe("button Edit");
  await page.reload();
  await expect.poll(async () => (await box()).x).toBeLessThan(before.x);
});
