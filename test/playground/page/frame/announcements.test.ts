// Announcements to screen readers in the modes Convert, Sharding, Query and Dashboards. The page announces each result,
// error and empty answer once, without interrupting the reader. It announces nothing while the user types.

import type { Page } from "playwright";
import { beforeAll, expect, it } from "vitest";
import { expectHeard, heardSince, recordAnnouncements } from "../support/announced.ts";
import { makeDashboard, sendLogs, startWithPlatform } from "../support/platform-page.ts";
import { playgroundOfTests, type TestPage } from "../support/running-page.ts";

const playground = playgroundOfTests(startWithPlatform);
beforeAll(() => sendLogs(playground.url), 60_000);

const open = (fragment: string, options = {}) => playground.open(options, fragment, recordAnnouncements);

/** Replaces the text of an editor by `text`, which is typed key by key. */
async function type(page: Page, editor: ReturnType<Page["locator"]>, text: string): Promise<void> {
  await editor.focus();
  await page.keyboard.press("ControlOrMeta+A");
  // A script in the page types the text. If the test itself pressed the keys, the pauses between them would be so long
  // on a busy machine that the page would announce unfinished texts.
  await page.evaluate(async (all) => {
    for (const each of all) {
      document.execCommand("insertText", false, each);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }, text);
}

/** Asserts that the browser logged only answers with the status 400, which the test has caused, and clears the log. */
function expectRefusals({ faults }: TestPage): void {
  expect(faults.filter((each) => !each.includes("status of 400"))).toEqual([]);
  (faults as string[]).length = 0;
}

it("the Convert mode announces points, errors, corrections and an empty body to screen readers", async () => {
  const opened = await open("#/convert");
  const { page } = opened;
  const body = page.getByRole("textbox", { name: "Body to convert" });
  await expectHeard(opened, [
    ["at first", () => body.waitFor(), ["No body yet"]],
    [
      "a body",
      async () => {
        await page.getByLabel("category").selectOption("metric");
        await type(page, body, "cpu,host=a load=0.5,cores=8i 1763719200");
      },
      ["1 point of Line protocol · nothing corrected"],
    ],
    [
      "an error",
      () => type(page, body, "cpu,host=a load=high 1763719200"),
      [/^1 error: nothing was converted\. Line 1, column \d+: ./],
    ],
    [
      "a correction",
      async () => {
        await page.getByLabel("category").selectOption("logging");
        await type(page, body, 'app level="x" 1763719200');
      },
      [/^1 point of Line protocol · \d corrections?\. ./],
    ],
    [
      "no body",
      async () => {
        await body.click();
        await page.keyboard.press("ControlOrMeta+A");
        await page.keyboard.press("Delete");
      },
      ["No body yet"],
    ],
  ]);
});

it("the Sharding mode announces routes and errors to screen readers, but no move of the focus", async () => {
  const opened = await open("#/sharding");
  const { page } = opened;
  const sinks = page.getByRole("region", { name: "Sink rules" }).getByRole("textbox");
  const points = page.getByRole("list", { name: "Points" }).getByRole("button");
  await expectHeard(opened, [
    ["at first", () => sinks.waitFor(), ["No rules yet"]],
    ["an example", () => page.locator(".start li button").first().click(), ["4 points to 3 targets"]],
    [
      "another point",
      async () => {
        // The page moves the focus to the button of another point. Screen readers read a button that gets the focus, so
        // the page itself must announce nothing.
        await points.first().focus();
        await page.keyboard.press("ArrowDown");
        await page.keyboard.press("ArrowDown");
      },
      [],
    ],
    ["an error", () => type(page, sinks, "nothing of the form"), [/^\d errors? in the texts: ./]],
    [
      "no rules",
      async () => {
        await sinks.click();
        await page.keyboard.press("ControlOrMeta+A");
        await page.keyboard.press("Delete");
      },
      ["4 points to 0 targets"],
    ],
  ]);
});

it("the Query mode announces answers, errors, empty answers and the live mode to screen readers", async () => {
  const opened = await open("#/query");
  const { page } = opened;
  const editor = page.getByRole("textbox", { name: "Query in DQL" });
  await expectHeard(opened, [
    ["at first", () => page.getByText("L::nginx").first().waitFor(), ["No query yet over 10 points"]],
    ["an answer", () => type(page, editor, "L::nginx:(count(*)) BY status"), ["5 rows over 10 points"]],
    ["the same answer, asked for", () => page.keyboard.press("ControlOrMeta+Enter"), ["5 rows over 10 points"]],
    ["another view", () => page.getByRole("tab", { name: "Logs" }).click(), []],
    ["an error", () => type(page, editor, "L::nginx:(coun(*)) BY status"), [/^The query has an error: .*coun/]],
    ["no rows", () => type(page, editor, "L::nothing:(a) LIMIT 3"), [/^No rows over 10 points\. .*"nothing"$/]],
    [
      "live mode",
      async () => {
        await page.getByLabel("The points of").selectOption({ label: "the platform" });
        await type(page, editor, "L::nginx:(message) LIMIT 5");
        await page.getByRole("button", { name: "Live" }).click();
        // During these five seconds, the page in live mode sends the query two more times. The page must announce
        // neither of the two answers.
        await page.waitForTimeout(5000);
      },
      ["Live: new rows are shown as they come"],
    ],
  ]);
});

it("the Dashboards mode announces searches, charts, errors and editing to screen readers", async () => {
  await makeDashboard(playground.url, "Other", []);
  const uuid = await makeDashboard(playground.url, "Web servers", [
    { name: "Lines", type: "toplist", query: "L::nginx:(count(*)) BY host" },
    { name: "Wrong", type: "toplist", query: "L::nginx:(coun(*)) BY host" },
    { name: "Torn", type: "table", query: "L::nginx:(count(*" },
    { name: "Nothing", type: "table", query: "L::nothing:(a)" },
  ]);
  const opened = await open("#/dashboards");
  const { page } = opened;
  const search = page.getByRole("searchbox");
  const all = /^4 charts, last hour\. 2 charts have an error\. Wrong: .*\. 1 chart has no points: Nothing$/;
  await expectHeard(opened, [
    ["at first", () => search.waitFor(), ["2 dashboards"]],
    ["a search", () => search.pressSequentially("web", { delay: 40 }), ["1 dashboard with “web” in the name"]],
    ["a search for nothing", () => search.pressSequentially("x"), ["No dashboard with “webx” in the name"]],
    [
      "a dashboard",
      async () => {
        await page.evaluate((to) => {
          location.hash = `#/dashboards/${to}`;
        }, uuid);
        await page.getByRole("article").first().waitFor();
      },
      [all],
    ],
    ["the charts asked again", () => page.getByRole("button", { name: "Refresh now" }).click(), []],
    [
      "editing",
      async () => {
        await page.getByRole("button", { name: "Edit" }).click();
      },
      ["Editing, nothing changed"],
    ],
  ]);
  // While a query is typed in the form of a chart, the page announces the error or the answer of the preview.
  await page.getByRole("button", { name: "Add chart" }).click();
  const query = page.getByRole("dialog").getByRole("textbox", { name: "Query in DQL" });
  await expectHeard(opened, [
    ["a query with an error", () => type(page, query, "L::nginx:(coun(*))"), [/^The query has an error: .*coun/]],
    ["a query", () => type(page, query, "L::nginx:(count(*)) BY host"), ["The preview shows the answer"]],
    ["no points", () => type(page, query, "L::nothing:(a)"), ["The query has no points in this time"]],
  ]);
  expectRefusals(opened);
  expect(await heardSince(opened)).toEqual([]);
});
