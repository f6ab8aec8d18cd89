// Checks the page against the rules of WCAG 2.1 AA that the tool axe can check: in each mode and state of the
// page, in both themes, on a wide page and on a phone.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright";
import { expect, it } from "vitest";
import { pageStates } from "../support/page-states.ts";
import { playgroundOfTests } from "../support/running-page.ts";

const openPage = playgroundOfTests().open;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"];

/** Returns the rules that the page breaks, each with the elements that break it. */
async function faults(page: Page): Promise<string[]> {
  const { violations } = await page.evaluate(
    (only) =>
      (globalThis as unknown as { axe: typeof import("axe-core") }).axe.run(document, {
        runOnly: only,
        resultTypes: ["violations"],
      }) as Promise<AxeResults>,
    tags,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = "" }) => `${id}: ${html.slice(0, 160)}\n${failureSummary.slice(0, 300)}`),
  );
}

it.each(pageStates)("$name", async ({ fragment, reach, panes }) => {
  const opened = await openPage({ reducedMotion: "reduce" }, fragment);
  const { page } = opened;
  await reach(opened);
  await page.evaluate(axe);
  const found: Record<string, string[]> = {};
  const whole = [""];
  for (const [width, shown] of [
    [1440, whole],
    [390, panes.length === 0 ? whole : panes],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    for (const pane of shown) {
      const choice = page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: pane, exact: true });
      if (pane !== "") await choice.click();
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        const broken = await faults(page);
        if (broken.length > 0) found[`${width} ${pane} ${colorScheme}`] = broken;
      }
    }
  }
  expect(found).toEqual({});
});
