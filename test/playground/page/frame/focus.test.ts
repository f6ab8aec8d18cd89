// Tests which element gets the focus when the focused element vanishes (a button, a menu or a row). It must
// always be an element near the vanished one, so that a keyboard user can continue there, and never the body of
// the page.

import type { Page } from "playwright";
import { beforeAll, expect, it } from "vitest";
import { focused } from "../support/keyboard.ts";
import { makeDashboard, sendLogs, startWithPlatform } from "../support/platform-page.ts";
import { playgroundOfTests, type TestPage } from "../support/running-page.ts";

const playground = playgroundOfTests(startWithPlatform);
beforeAll(() => sendLogs(playground.url), 60_000);

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });

/** Presses Enter on an element, as a user does who has moved the focus to the element with the Tab key. */
async function use(page: Page, name: string | RegExp): Promise<void> {
  await button(page, name).first().focus();
  await page.keyboard.press("Enter");
}

const unedited = ({ page }: TestPage) => page.getByText("not edited yet").waitFor();

async function writeDraft(opened: TestPage): Promise<void> {
  await unedited(opened);
  await opened.write(opened.script, 'grok(_, "%{WORD:verb} %{INT:size:int}")');
  await opened.write(opened.input, "GET 2\nPUT 3");
  await opened.page.getByText("draft saved").waitFor();
}

async function keepTests(opened: TestPage, count: number): Promise<void> {
  const { page, rows } = opened;
  await writeDraft(opened);
  await rows.nth(1).waitFor();
  for (let at = 0; at < count; at++) {
    await rows.nth(at).click();
    await button(page, "Keep as test").click();
  }
  await page.getByRole("tab", { name: /^Tests/ }).click();
  await page.getByText(`${count} ${count === 1 ? "test" : "tests"}, all pass`).waitFor();
}

async function answer({ page }: TestPage, text: string, tab = "Table"): Promise<void> {
  await page.getByText("L::nginx").first().waitFor();
  await page.getByRole("textbox", { name: "Query in DQL" }).click();
  await page.keyboard.insertText(text);
  await page.keyboard.press("Escape");
  await page.getByRole("tab", { name: tab, exact: true }).click();
}

async function board({ page }: TestPage): Promise<void> {
  const uuid = await makeDashboard(playground.url, "Two charts", [
    { name: "One", type: "toplist", query: "L::nginx:(count(*)) BY host" },
    { name: "Two", type: "toplist", query: "L::nginx:(count(*)) BY code" },
  ]);
  await page.evaluate((to) => {
    location.hash = `#/dashboards/${to}`;
  }, uuid);
  await page.getByRole("article").nth(1).waitFor();
}

async function editedBoard(opened: TestPage): Promise<void> {
  await board(opened);
  await button(opened.page, "Edit").click();
}

interface Case {
  readonly name: string;
  readonly fragment: string;
  /** Brings the page to the point at which it shows the element that is about to vanish. */
  readonly reach: (opened: TestPage) => Promise<unknown>;
  /** Uses the element, for example by a click, which makes it vanish. */
  readonly use: (page: Page, opened: TestPage) => Promise<unknown>;
  /** Waits until the element has vanished. */
  readonly gone: (page: Page, opened: TestPage) => Promise<unknown>;
  /** Matches the role and the name of the element that must have the focus afterwards. */
  readonly place: RegExp;
}

const gone = (name: string | RegExp) => (page: Page) => expect.poll(() => button(page, name).count()).toBe(0);

const cases: readonly Case[] = [
  {
    name: "a change of the expression that was applied",
    fragment: "#/grok",
    reach: async (opened) => {
      await unedited(opened);
      await button(opened.page, /^An access log with gaps/).click();
      await opened.page.getByText("Line 1 matches").waitFor();
      await opened.page.keyboard.press("F8");
    },
    use: (page) => use(page, /^Apply change 1/),
    gone: gone(/^Apply change/),
    place: /^button client$/,
  },
  {
    name: "an offer of another form that was declined",
    fragment: "",
    reach: async (opened) => {
      await unedited(opened);
      await opened.write(opened.input, "cpu,host=a load=1 1763719200000000000");
    },
    use: (page) => use(page, "Keep the form"),
    gone: gone("Keep the form"),
    place: /^textbox Input$/,
  },
  {
    name: "an offer of another form that was taken",
    fragment: "",
    reach: async (opened) => {
      await unedited(opened);
      await opened.write(opened.input, "cpu,host=a load=1 1763719200000000000");
    },
    use: (page) => use(page, "Read as Line protocol"),
    gone: gone("Read as Line protocol"),
    place: /^textbox Input$/,
  },
  {
    name: "an item of a menu",
    fragment: "",
    reach: async (opened) => {
      await unedited(opened);
      await button(opened.page, "Drafts").click();
    },
    use: (page) => use(page, /^New draft/),
    gone: gone(/^New draft/),
    place: /^button Drafts$/,
  },
  {
    name: "a draft that was deleted",
    fragment: "",
    reach: async (opened) => {
      await writeDraft(opened);
      await button(opened.page, "Drafts").click();
      await button(opened.page, /^New draft/).click();
      await unedited(opened);
      await button(opened.page, "Drafts").click();
    },
    use: async (page) => {
      await use(page, /^More for Nginx/);
      await use(page, "Delete");
    },
    gone: gone("Delete"),
    place: /^button New draft/,
  },
  {
    name: "the button that brings a draft back",
    fragment: "",
    reach: async (opened) => {
      await writeDraft(opened);
      await button(opened.page, "Drafts").click();
      await button(opened.page, /^New draft/).click();
      await unedited(opened);
      await button(opened.page, "Drafts").click();
      await button(opened.page, /^More for Nginx/).click();
      await button(opened.page, "Delete").click();
      await opened.page.keyboard.press("Escape");
    },
    use: (page) => use(page, "Undo"),
    gone: gone("Undo"),
    place: /^tab main\.p$/,
  },
  {
    name: "a test that was removed",
    fragment: "",
    reach: (opened) => keepTests(opened, 2),
    use: (page) => use(page, /^Remove the test/),
    gone: (page) => page.getByText("1 test, all pass").waitFor(),
    place: /^button Remove the test/,
  },
  {
    name: "the last test that was removed",
    fragment: "",
    reach: (opened) => keepTests(opened, 1),
    use: (page) => use(page, /^Remove the test/),
    gone: gone(/^Remove the test/),
    place: /^button (Import|Edit as YAML)/,
  },
  {
    name: "a result that was accepted for a test",
    fragment: "",
    reach: async (opened) => {
      await keepTests(opened, 1);
      await opened.write(opened.script, 'grok(_, "%{WORD:verb} %{INT:size:int}")\nlowercase(verb)');
      await opened.page.getByText("1 test, 1 fails").waitFor();
    },
    use: (page) => use(page, /^Accept/),
    gone: gone(/^Accept/),
    place: /^button Remove the test/,
  },
  {
    name: "the help",
    fragment: "",
    reach: async (opened) => {
      await unedited(opened);
      await use(opened.page, "Help and keyboard");
      await opened.page.getByRole("dialog").waitFor();
    },
    use: (page) => page.keyboard.press("Escape"),
    gone: (page) => page.getByRole("dialog").waitFor({ state: "detached" }),
    place: /^button Help and keyboard$/,
  },
  {
    name: "a script that was removed",
    fragment: "",
    reach: async (opened) => {
      await unedited(opened);
      await button(opened.page, "Add a script").click();
    },
    use: (page) => use(page, /^Remove script-2/),
    gone: gone(/^Remove script-2/),
    place: /^(tab nginx|button Remove nginx|button Add a script)/,
  },
  {
    name: "a value by which the answer was filtered",
    fragment: "#/query",
    reach: async (opened) => {
      await answer(opened, "L::nginx:(status, method)");
      await opened.page.getByRole("grid").getByText("warning").first().click();
    },
    use: (page) => use(page, "Only this"),
    gone: async (page) => {
      await gone("Only this")(page);
      await expect.poll(() => page.getByRole("grid").locator("tbody tr").count()).toBe(1);
    },
    place: /^td /,
  },
  {
    name: "a value whose filter leaves no row",
    fragment: "#/query",
    reach: async (opened) => {
      await answer(opened, "L::nginx:(status) { status = 'warning' }");
      await opened.page.getByRole("grid").getByText("warning").first().click();
    },
    use: (page) => use(page, "Not this"),
    gone: (page) => page.getByText("No rows.").waitFor(),
    place: /^tabpanel /,
  },
  {
    name: "a saved query that was removed",
    fragment: "#/query",
    reach: async (opened) => {
      await answer(opened, "L::nginx:(count(*))");
      for (const name of ["first", "second"]) {
        await button(opened.page, "Saved").click();
        await opened.page.getByLabel("Name of this query").fill(name);
        await opened.page.keyboard.press("Enter");
      }
      await button(opened.page, "Saved").click();
    },
    use: (page) => use(page, "Remove the query first"),
    gone: gone("Remove the query first"),
    place: /^button second/,
  },
  {
    name: "the button that begins the editing of a dashboard",
    fragment: "#/dashboards",
    reach: board,
    use: (page) => use(page, "Edit"),
    gone: gone("Edit"),
    place: /^button Add chart$/,
  },
  {
    name: "the button that ends the editing",
    fragment: "#/dashboards",
    reach: editedBoard,
    use: (page) => use(page, "Close"),
    gone: gone("Close"),
    place: /^button Edit$/,
  },
  {
    name: "the button that saved a dashboard",
    fragment: "#/dashboards",
    reach: async (opened) => {
      await editedBoard(opened);
      await use(opened.page, /^Resize One/);
      await opened.page.keyboard.press("ArrowDown");
    },
    use: (page) => use(page, "Save"),
    gone: gone("Save"),
    place: /^button Edit$/,
  },
  {
    name: "a chart that was removed",
    fragment: "#/dashboards",
    reach: editedBoard,
    use: (page) => use(page, "Remove One"),
    gone: gone("Remove One"),
    place: /^button Add chart$/,
  },
  {
    name: "the form of a chart that was changed",
    fragment: "#/dashboards",
    reach: async (opened) => {
      await editedBoard(opened);
      await use(opened.page, "Change One");
      await opened.page.getByRole("dialog").getByRole("textbox", { name: "Query in DQL" }).click();
      await opened.page.keyboard.press("End");
      await opened.page.keyboard.insertText(" LIMIT 1");
    },
    use: (page) => use(page, "Take"),
    gone: (page) => page.getByRole("dialog").waitFor({ state: "detached" }),
    place: /^button Change One$/,
  },
  {
    name: "the form of a new chart",
    fragment: "#/dashboards",
    reach: async (opened) => {
      await editedBoard(opened);
      await use(opened.page, "Add chart");
      await opened.page.getByRole("dialog").getByRole("textbox", { name: "Query in DQL" }).click();
      await opened.page.keyboard.insertText("L::nginx:(count(*))");
    },
    use: (page) => use(page, /^Add$/),
    gone: (page) => page.getByRole("dialog").waitFor({ state: "detached" }),
    place: /^button Add chart$/,
  },
  {
    name: "the form of a chart that was closed",
    fragment: "#/dashboards",
    reach: async (opened) => {
      await editedBoard(opened);
      await use(opened.page, "Change Two");
      await opened.page.getByRole("dialog").waitFor();
    },
    use: (page) => page.keyboard.press("Escape"),
    gone: (page) => page.getByRole("dialog").waitFor({ state: "detached" }),
    place: /^button Change Two$/,
  },
  {
    name: "a dashboard that was removed",
    fragment: "#/dashboards",
    reach: async ({ page }) => {
      await makeDashboard(playground.url, "Short-lived", []);
      await page.reload();
      await page.getByRole("link", { name: /^Short-lived/ }).waitFor();
    },
    use: (page) => use(page, "Remove the dashboard Short-lived"),
    gone: gone("Remove the dashboard Short-lived"),
    place: /^input Search by name$/,
  },
  {
    name: "a list of dashboards, of which one was opened",
    fragment: "#/dashboards",
    reach: async ({ page }) => {
      await makeDashboard(playground.url, "Opened", []);
      await page.reload();
      await page.getByRole("link", { name: /^Opened/ }).focus();
    },
    use: (page) => page.keyboard.press("Enter"),
    gone: (page) => page.getByRole("heading", { name: "Opened", level: 2 }).waitFor(),
    place: /^button All dashboards$/,
  },
];

it.each(cases)("the focus moves to a nearby element when the focused one vanishes: $name", async (each) => {
  const opened = await playground.open({}, each.fragment);
  const { page } = opened;
  await each.reach(opened);
  await each.use(page, opened);
  await each.gone(page, opened);
  await expect.poll(async () => (await focused(opened)).name).toMatch(each.place);
  // The page may still change after the element has vanished. These later changes must not move the focus to another
  // element.
  await page.waitForTimeout(300);
  const { name, isSeen } = await focused(opened);
  expect([name, isSeen]).toEqual([expect.stringMatching(each.place), true]);
});

it("a click on an empty place removes the focus, and later changes of the page do not restore it", async () => {
  const opened = await playground.open({}, "#/query");
  const { page } = opened;
  await answer(opened, "L::nginx:(count(*)) BY status");
  await button(page, "Saved").focus();
  await page.locator("header").click({ position: { x: 2, y: 2 } });
  expect((await focused(opened)).name).toMatch(/^body /);
  // The user has clicked an empty place, so no element has the focus. When the page changes later, it must not
  // move the focus, even if the element that had the focus before the click vanishes.
  await page.keyboard.press("ControlOrMeta+Enter");
  await page.getByText("5 rows over 10 points").first().waitFor();
  await page.evaluate(() => {
    for (const each of document.querySelectorAll("button")) if (each.textContent?.includes("Saved")) each.remove();
  });
  await page.waitForTimeout(300);
  expect((await focused(opened)).name).toMatch(/^body /);
});
