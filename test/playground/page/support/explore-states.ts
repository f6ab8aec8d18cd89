// Brings the explore mode into the states that the accessibility tests check and that `npm run pictures` takes pictures
// of (page-states.ts).

import type { PageState } from "./page-states.ts";
import type { TestPage } from "./running-page.ts";

const states: readonly (readonly [string, (opened: TestPage) => Promise<void>])[] = [
  [
    "log lines and the values of a key",
    async ({ page }) => {
      await page.getByRole("list", { name: "Log lines" }).locator(".line").first().waitFor();
      await page
        .getByRole("list", { name: "Tags and fields of nginx" })
        .getByRole("button", { name: /^method/ })
        .click();
      await page.getByRole("list", { name: "Values of method" }).first().getByRole("button", { name: "GET" }).click();
      await page.getByRole("button", { name: "Only this" }).click();
      await page.getByRole("list", { name: "Filters" }).waitFor();
    },
  ],
  [
    "a chart",
    async ({ page }) => {
      await page.getByRole("tab", { name: "Chart", exact: true }).click();
      await page
        .getByRole("group", { name: /^number of points by status/ })
        .locator("canvas")
        .waitFor();
    },
  ],
  [
    "nothing to explore",
    async (opened) => {
      await opened.page.getByLabel("The points of").selectOption({ label: "the platform" });
      await opened.page.getByRole("heading", { name: "There are no points to explore" }).waitFor();
      // The server of this page has no platform. The browser logs this as an error, which the test removes.
      (opened.faults as string[]).length = 0;
    },
  ],
];

export const exploreStates: readonly PageState[] = states.map(([name, reach]) => ({
  ...{ name: `Explore, ${name}`, fragment: "#/explore", reach, panes: ["data", "view"] },
}));
