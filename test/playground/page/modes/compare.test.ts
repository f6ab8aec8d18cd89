// The page compares two runs of a script row by row, and measures which script is faster.

import { expect, it } from "vitest";
import { playgroundOfTests } from "../support/running-page.ts";

const openPage = playgroundOfTests().open;

it("the page marks rows that differ from a kept run, and benchmarks both scripts", async () => {
  const { page, script, input, write, rows, result } = await openPage();
  await write(input, "a 1\nb 2\nc 3");
  await write(script, 'grok(_, "%{WORD:w} %{INT:n:int}")');
  await expect.poll(() => rows.count()).toBe(3);
  await page.getByRole("tab", { name: "Compare" }).click();
  const pane = page.getByRole("region", { name: "Compare", exact: true });
  await pane.getByRole("button", { name: "Keep this run" }).click();
  await expect.poll(() => pane.getByRole("status").innerText()).toBe("No row differs from the kept run");

  await write(script, 'grok(_, "%{WORD:w} %{INT:n:int}")\nif n == 2 { uppercase(w) }\nif n == 3 { drop() }');
  await expect.poll(() => pane.getByRole("status").innerText()).toBe("2 rows differ");
  await expect.poll(() => result.locator("td.differs").allInnerTexts()).toEqual(["B"]);
  expect(await result.locator("td.differs").getAttribute("title")).toBe("B\nkept run: b");
  await pane.getByLabel("Only rows that differ").check();
  await expect.poll(() => rows.count()).toBe(2);
  await expect.poll(() => pane.locator("tbody tr").allInnerTexts()).toEqual(["w\tb string\tB string"]);
  await rows.nth(1).click();
  await expect.poll(() => pane.locator("tbody tr").allInnerTexts()).toEqual(["outcome\tkept\tdropped"]);

  await pane.getByRole("button", { name: "Benchmark both" }).click();
  await pane.getByRole("button", { name: "Measuring" }).waitFor();
  await expect.poll(() => pane.getByRole("img").count(), { timeout: 30_000 }).toBe(2);
  expect(await pane.innerText()).toMatch(/This script takes \d+ % (?:more|less) time/);
  await pane.getByText("Time by statement").click();
  expect(await pane.locator("details li").allInnerTexts()).toContainEqual(expect.stringContaining("grok(_"));
  expect(await page.locator(".cm-coverage .heat").count()).toBeGreaterThan(0);
  // The measured times belong to the previous script, so the page removes them when the script changes.
  await write(script, "add_key(a, 1)");
  await expect.poll(() => page.locator(".cm-coverage .heat").count()).toBe(0);

  await pane.getByRole("button", { name: "End" }).click();
  await expect.poll(() => result.locator("td.differs").count()).toBe(0);
  await expect.poll(() => rows.count()).toBe(3);
});
