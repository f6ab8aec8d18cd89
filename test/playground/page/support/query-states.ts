// The states of the query mode for the accessibility tests and the pictures (page-states.ts).

import type { PageState } from "./page-states.ts";
import type { TestPage } from "./running-page.ts";

async function ask({ page }: TestPage, text: string, tab = "Table"): Promise<void> {
  await page.getByRole("region", { name: "Data" }).getByText("L::nginx", { exact: true }).first().waitFor();
  await page.getByRole("textbox", { name: "Query in DQL" }).click();
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.insertText(text);
  await page.keyboard.press("Escape");
  await page.getByRole("tab", { name: tab, exact: true }).click();
}

const overTime = "L::nginx:(count(*)) { status_code > 0 } [::1s] BY method";

const states: readonly (readonly [string, (opened: TestPage) => Promise<void>])[] = [
  [
    "a table",
    async (opened) => {
      await ask(opened, "L::nginx:(count(*)) BY status");
      await opened.page.getByRole("grid").getByText("notice").waitFor();
    },
  ],
  [
    "log lines",
    async (opened) => {
      await ask(opened, "L::nginx", "Logs");
      await opened.page.getByRole("list", { name: "Values of method" }).waitFor();
      await opened.page.getByRole("list", { name: "Log lines" }).locator(".line").nth(1).click();
    },
  ],
  [
    "a value",
    async (opened) => {
      await ask(opened, "L::nginx", "Logs");
      await opened.page.getByRole("list", { name: "Values of method" }).getByRole("button", { name: "GET" }).click();
      await opened.page.getByRole("group", { name: "Value of method" }).waitFor();
    },
  ],
  [
    "lines over time",
    async (opened) => {
      await ask(opened, overTime, "Chart");
      await opened.page
        .getByRole("group", { name: /^Chart over time/ })
        .locator("canvas")
        .waitFor();
      await opened.page.getByRole("group", { name: /^Chart over time/ }).press("ArrowRight");
    },
  ],
  [
    "stacked bars over time",
    async (opened) => {
      await ask(opened, overTime, "Chart");
      await opened.page.getByLabel("Stacked").check();
      await opened.page
        .getByRole("group", { name: /^Chart over time/ })
        .locator("canvas")
        .waitFor();
    },
  ],
  [
    "bars by group",
    async (opened) => {
      await ask(opened, "L::nginx:(count(*)) BY status", "Chart");
      await opened.page.getByText("notice").first().waitFor();
    },
  ],
  [
    "a single value",
    async (opened) => {
      await ask(opened, "L::nginx:(count(*))", "Chart");
      await opened.page.locator(".value strong").waitFor();
    },
  ],
  [
    "the plan",
    async (opened) => {
      await ask(opened, "L::nginx:(count(*)) BY status", "Plan");
      await opened.page.getByText("The SQL that a platform on DuckDB would run").waitFor();
    },
  ],
  [
    "no rows",
    async (opened) => {
      await ask(opened, "L::nginx { status = 'nothing' }", "Logs");
      await opened.page.getByText("No rows.").waitFor();
    },
  ],
  [
    "an error",
    async (opened) => {
      await ask(opened, "L::nginx:(count(*)) BY status");
      await opened.page.getByRole("grid").getByText("notice").waitFor();
      await ask(opened, "L::nginx:(coun(*)) BY status");
      await opened.page.getByText("This is the last good answer.").waitFor();
    },
  ],
];

export const queryStates: readonly PageState[] = states.map(([name, reach]) => ({
  ...{ name: `Query, ${name}`, fragment: "#/query", reach },
  // In this state a menu of a value is open. The menu closes when the user switches to another pane, so the tests do
  // not switch panes.
  panes: name === "a value" ? [] : ["query", "answer"],
}));
