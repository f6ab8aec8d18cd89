// The query mode in the page, as a person uses it: queries over the points of the run and of a file, the views of an
// answer, filters by a click, errors, history, saved queries, keys, a narrow page.

import { readFileSync } from "node:fs";
import type { Locator } from "playwright";
import { describe, expect, it } from "vitest";
import { playgroundOfTests, type TestPage } from "../support/running-page.ts";

const playground = playgroundOfTests();

interface QueryPage extends TestPage {
  readonly query: (text: string) => Promise<void>;
  readonly text: () => Promise<string>;
  /** Returns the texts of the cells in each row of the table. */
  readonly table: () => Promise<string[][]>;
  readonly said: () => Promise<string>;
}

async function open(options = {}): Promise<QueryPage> {
  const test = await playground.open(options, "#/query");
  const { page } = test;
  const editor = page.getByRole("textbox", { name: "Query in DQL" });
  await page.getByRole("region", { name: "Data" }).getByText("L::nginx", { exact: true }).first().waitFor();
  return {
    ...test,
    // Replaces the text of the query in one step. The function `write` empties the editor first, and the page removes
    // the answer when the query is empty.
    query: async (text) => {
      // Focuses the editor without a click, because a click could hit the list of completions, which may be open below
      // the text.
      await editor.focus();
      await page.keyboard.press("ControlOrMeta+A");
      await page.keyboard.insertText(text);
    },
    text: () => editor.innerText(),
    table: async () =>
      page
        .getByRole("grid")
        .locator("tbody tr")
        .evaluateAll((rows) =>
          rows.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent ?? "")),
        ),
    said: () => page.locator("footer .state").last().innerText(),
  };
}

/** Returns whether a chart has drawn something in the colour of its first line. */
const inked = (chart: Locator) =>
  chart.evaluate((element) => {
    const canvas = element.querySelector("canvas")!;
    const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
    const [r, g, b] = getComputedStyle(element.querySelector(".key.c0")!).color.match(/\d+/g)!.map(Number);
    for (let at = 0; at < data.length; at += 4)
      if (data[at] === r && data[at + 1] === g && data[at + 2] === b && data[at + 3] === 255) return true;
    return false;
  });

/** Drags with the mouse over a part of a chart. A position is a number from 0 (left edge) to 1 (right edge). */
async function drag({ page }: QueryPage, chart: Locator, from: number, to: number): Promise<void> {
  await chart.locator(".u-over").waitFor();
  const { x, y, width, height } = (await chart.locator(".u-over").boundingBox())!;
  await page.mouse.move(x + width * from, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width * ((from + to) / 2), y + height / 2, { steps: 4 });
  await page.mouse.move(x + width * to, y + height / 2, { steps: 4 });
  await page.mouse.up();
}

const answerOf = ({ page }: QueryPage) => page.getByRole("region", { name: "Answer" });
const tab = ({ page }: QueryPage, name: string) => page.getByRole("tab", { name, exact: true }).click();

describe("a query over the run", () => {
  it("is answered while it is typed, as a table that can be sorted", async () => {
    const test = await open();
    await test.query("L::nginx:(count(*)) BY status");
    const counts = [
      ["OK", "5"],
      ["error", "2"],
      ["notice", "1"],
      ["unknown", "1"],
      ["warning", "1"],
    ];
    const pairs = async () => (await test.table()).map((row) => [row[0], row.at(-1)]);
    await expect.poll(pairs).toEqual(counts);
    expect(await test.said()).toBe("5 rows over 10 points");
    await test.page.getByRole("button", { name: /^count/ }).click();
    await test.page.getByRole("button", { name: /^count/ }).click();
    expect((await pairs())[0]).toEqual(["OK", "5"]);
    expect((await pairs())[1]).toEqual(["error", "2"]);
    expect(await test.page.getByRole("columnheader", { name: "count(*)" }).getAttribute("aria-sort")).toBe(
      "descending",
    );
  });

  it("follows a change of the script", async () => {
    const test = await open();
    await test.query("L::nginx:(mine) LIMIT 3");
    await expect.poll(() => answerOf(test).innerText()).toContain("mine");
    await test.page.keyboard.press("Alt+Shift+1");
    await test.write(test.script, "add_key(mine, 42)");
    await test.page.keyboard.press("Alt+Shift+5");
    await expect.poll(async () => (await test.table()).map((row) => row.at(-1))).toEqual(["42", "42", "42"]);
  });

  it("can be started from suggestions that are made from the data", async () => {
    const test = await open();
    await test.page.getByRole("button", { name: /How many of each status/ }).click();
    await expect.poll(test.text).toBe("L::nginx:(count(*)) BY status");
    await expect.poll(async () => (await test.table()).length).toBe(5);
  });

  it("marks an error at its place, and keeps the last good answer, dimmed", async () => {
    const test = await open();
    await test.query("L::nginx:(count(*)) BY status");
    await expect.poll(async () => (await test.table()).length).toBe(5);
    await test.query("L::nginx:(coun(*)) BY status");
    const pane = test.page.getByRole("region", { name: "Query", exact: true });
    await expect.poll(() => pane.locator(".fault").innerText()).toContain("coun");
    expect(await pane.locator(".cm-lintRange-error").innerText()).toBe("coun");
    expect(await answerOf(test).innerText()).toContain("This is the last good answer.");
    expect(await answerOf(test).locator(".stale").count()).toBe(1);
    expect((await test.table()).length).toBe(5);
    await test.query("L::nginx:(count(*)) BY method");
    await expect.poll(() => answerOf(test).locator(".stale").count()).toBe(0);
    expect(await pane.locator(".fault").count()).toBe(0);
  });

  it("shows above the answer that a limit cut off rows", async () => {
    const test = await open();
    const lines = Array.from({ length: 1500 }, (_, at) => `cpu n=${at}i ${1_763_719_200 + at}000000000`);
    const buffer = Buffer.from(lines.join("\n"));
    await test.page.getByLabel("File with points").setInputFiles({ name: "cpu.lp", mimeType: "text/plain", buffer });
    await test.query("M::cpu:(n)");
    await expect
      .poll(() => answerOf(test).locator(".warning").first().innerText())
      .toContain("1000 rows of a series are given, as without LIMIT");
    await expect.poll(async () => (await test.table()).length).toBe(200);
    await test.page.getByRole("button", { name: /more of 1,000 rows/ }).click();
    expect((await test.table()).length).toBe(400);
  });

  it("completes sources, keys and functions from the data", async () => {
    const test = await open();
    await test.query("L::");
    await test.page.keyboard.press("Control+Space");
    const options = test.page.locator(".cm-tooltip-autocomplete li");
    await expect.poll(() => options.allInnerTexts()).toEqual([expect.stringContaining("nginx")]);
    await test.page.keyboard.press("Escape");
    await test.query("L::nginx:(ur");
    await test.page.keyboard.press("Control+Space");
    await expect.poll(async () => (await options.allInnerTexts()).join()).toContain("url");
  });
});

describe("a value of the answer", () => {
  it.each([
    ["Only this", "L::nginx:(method, url) { method = 'POST' }", ["POST"]],
    ["Not this", "L::nginx:(method, url) { method != 'POST' }", ["DELETE", "GET"]],
  ])("can be filtered with “%s”", async (choice, wanted, methods) => {
    const test = await open();
    await test.query("L::nginx:(method, url)");
    await test.page.getByRole("grid").getByText("POST", { exact: true }).first().click();
    await test.page.getByRole("button", { name: choice }).click();
    await expect.poll(test.text).toBe(wanted);
    await expect
      .poll(
        async () =>
          new Set((await test.table()).map((row) => row[1]).filter((each) => each !== "–" && each !== "HEAD")),
      )
      .toEqual(new Set(methods));
  });

  it("is chosen with the keys alone, and a computed value shows why it cannot be a filter", async () => {
    const test = await open();
    await test.query("L::nginx:(count(*)) BY status");
    await expect.poll(async () => (await test.table()).length).toBe(5);
    await test.page.locator("td[tabindex='0']").focus();
    await test.page.keyboard.press("ArrowDown");
    await test.page.keyboard.press("Enter");
    const menu = test.page.getByRole("group", { name: /Value of/ });
    await expect.poll(() => menu.innerText()).toContain("status = error");
    await test.page.keyboard.press("Escape");
    await expect.poll(() => menu.count()).toBe(0);
    await test.page.keyboard.press("ArrowRight");
    await test.page.keyboard.press("ArrowRight");
    await test.page.keyboard.press("Enter");
    await expect.poll(() => menu.innerText()).toContain("This column is computed");
    await test.page.keyboard.press("Escape");
  });
});

describe("a view of the answer", () => {
  it("shows log lines that unfold to values", async () => {
    const test = await open();
    await test.query("L::nginx");
    await tab(test, "Logs");
    const lines = test.page.getByRole("list", { name: "Log lines" });
    await expect.poll(() => lines.locator(".line").count()).toBe(10);
    await lines.locator(".line").nth(1).click();
    expect(await lines.locator("dl").innerText()).toContain("url");
    await lines
      .locator("dl dt", { hasText: /^method$/ })
      .locator("+ dd button")
      .click();
    await expect
      .poll(() => test.page.getByRole("group", { name: "Value of method" }).innerText())
      .toContain("Only this");
  });

  it("draws one value, bars by group, and lines over time with a legend", async () => {
    const test = await open();
    await tab(test, "Chart");
    await test.query("L::nginx:(count(*))");
    await expect.poll(() => test.page.locator(".value").innerText()).toMatch(/^10\s+count\(\*\)$/);
    await test.query("L::nginx:(count(*)) BY status");
    await expect
      .poll(() => test.page.locator(".bars dt").allInnerTexts())
      .toEqual(["OK", "error", "notice", "unknown", "warning"]);
    await test.query("L::nginx:(count(*)) { status_code > 0 } [::1s] BY method");
    const chart = test.page.getByRole("group", { name: /^Chart over time/ });
    const legend = chart.getByRole("list", { name: "Legend" });
    await expect
      .poll(async () => (await legend.innerText()).split(/\s+/))
      .toEqual(expect.arrayContaining(["GET", "POST"]));
    const shown = () => legend.getByRole("button", { pressed: true }).count();
    const lines = await shown();
    await legend.getByRole("button", { name: "POST" }).click();
    expect(await shown()).toBe(lines - 1);
    await chart.locator("canvas").waitFor();
    await chart.focus();
    await test.page.keyboard.press("ArrowRight");
    await expect.poll(() => chart.locator(".moment").innerText()).toContain("2025-11-21 10:00:00");
    expect(await legend.getByRole("button", { name: "GET" }).innerText()).toMatch(/GET\s*\d/);
    for (const kind of ["Bars", "Stacked"]) {
      await test.page.getByLabel(kind).check();
      await expect.poll(() => inked(chart)).toBe(true);
    }
    await test.query("L::nginx:(url)");
    await expect.poll(() => answerOf(test).innerText()).toContain("A chart needs a column of numbers");
  });

  it("sets the time range by dragging over the chart, and Undo restores the range", async () => {
    const test = await open();
    await tab(test, "Chart");
    await test.query("L::nginx:(count(*)) { status_code > 0 } [::1s] BY method");
    const chart = test.page.getByRole("group", { name: /^Chart over time/ });
    await drag(test, chart, 0.4, 0.8);
    const range = test.page.getByLabel("Time range of queries that name none");
    await expect.poll(() => range.inputValue()).toBe("between");
    expect(await test.page.getByLabel("From, in UTC").inputValue()).toMatch(/^2025-11-21T10:00:0/);
    await test.page.getByRole("button", { name: "Undo" }).last().click();
    await expect.poll(() => range.inputValue()).toBe("all");
    // The query names a time range itself. So zooming into the chart changes the range in the text of the query.
    await test.query("L::nginx:(count(*)) { status_code > 0 } [2025-11-21 09:00:00:2025-11-21 11:00:00:1s] BY method");
    await expect.poll(() => answerOf(test).locator(".stale").count()).toBe(0);
    await drag(test, chart, 0.4, 0.8);
    await expect
      .poll(test.text)
      .toMatch(/^L::nginx:\(count\(\*\)\) \{ status_code > 0 \} \[17637\d{8}:17637\d{8}:1s\] BY method$/);
  });

  it.each([["L::nginx:(count(*)) [::1s] BY method"], ["L::nginx:(count(*)) BY status"], ["L::nginx:(count(*))"]])(
    "is saved as an image: %s",
    async (query) => {
      const test = await open();
      await tab(test, "Chart");
      await test.query(query);
      await answerOf(test).locator("canvas, .bars, .value strong").first().waitFor();
      await test.page.mouse.move(0, 0);
      const [saved] = await Promise.all([
        test.page.waitForEvent("download"),
        test.page.getByRole("button", { name: "PNG" }).click(),
      ]);
      expect(saved.suggestedFilename()).toBe("answer.png");
      const bytes = readFileSync(await saved.path());
      expect(bytes.subarray(1, 4).toString()).toBe("PNG");
      expect(bytes.readUInt32BE(16)).toBeGreaterThan(300);
      expect(bytes.readUInt32BE(20)).toBeGreaterThan(80);
    },
  );

  it("counts log lines over time and by value, and the counts can filter, group and zoom", async () => {
    const test = await open();
    await test.query("L::nginx");
    await tab(test, "Logs");
    const values = (key: string) => test.page.getByRole("list", { name: `Values of ${key}`, exact: true });
    await expect
      .poll(async () => (await values("status").innerText()).split(/\s+/))
      .toEqual(["OK", "5", "error", "2", "notice", "1", "unknown", "1", "warning", "1"]);
    const histogram = test.page.getByRole("group", { name: /^Log lines over time/ });
    await histogram.locator("canvas").waitFor();
    const legend = histogram.getByRole("list", { name: "Legend" });
    expect(await legend.innerText()).toContain("error");
    for (const [level, name] of [
      ["error", "--bad"],
      ["warning", "--warn"],
    ] as const) {
      const key = legend.getByRole("button", { name: level }).locator(".key");
      const colours = await key.evaluate((element, name) => {
        const own = getComputedStyle(element).color;
        (element as SVGElement).style.color = `var(${name})`;
        return [own, getComputedStyle(element).color];
      }, name);
      expect(colours[0], level).toBe(colours[1]);
    }
    await values("status_code").getByRole("button", { name: "404" }).click();
    await test.page.getByRole("button", { name: "Only this" }).click();
    await expect.poll(test.text).toBe("L::nginx { status_code = 404 }");
    await expect.poll(() => test.page.getByRole("list", { name: "Log lines" }).locator(".line").count()).toBe(1);
    await test.query("L::nginx");
    await values("method").getByRole("button", { name: "GET" }).click();
    await test.page.getByRole("button", { name: "Group by method" }).click();
    await expect.poll(test.text).toBe("L::nginx:(count(*)) BY method");
    await expect.poll(() => histogram.count()).toBe(0);
    await test.query("L::nginx { status_code > 0 }");
    await drag(test, histogram, 0.5, 0.95);
    await expect.poll(() => test.page.getByLabel("Time range of queries that name none").inputValue()).toBe("between");
    await expect
      .poll(() => test.page.getByRole("list", { name: "Log lines" }).locator(".line").count())
      .toBeLessThan(9);
  });

  it("shows the plan and the SQL", async () => {
    const test = await open();
    await test.query("L::nginx:(avg(bytes)) BY method");
    await tab(test, "Plan");
    await expect.poll(() => answerOf(test).innerText()).toContain("avg(bytes)");
    expect(await answerOf(test).innerText()).toMatch(/SELECT[\s\S]*FROM logging/);
  });

  it("is saved as CSV", async () => {
    const test = await open();
    await test.query("L::nginx:(count(*)) BY status");
    await expect.poll(async () => (await test.table()).length).toBe(5);
    const [saved] = await Promise.all([
      test.page.waitForEvent("download"),
      test.page.getByRole("button", { name: "CSV" }).click(),
    ]);
    expect(
      readFileSync(await saved.path(), "utf8")
        .split("\n")
        .slice(0, 2),
    ).toEqual(["status,time,count(*)", "OK,,5"]);
  });
});

describe("the query mode", () => {
  it("asks about a file of points", async () => {
    const test = await open();
    const buffer = Buffer.from("cpu,host=a usage=10 1763719200000000000\ncpu,host=b usage=30 1763719260000000000\n");
    await test.page.getByLabel("File with points").setInputFiles({ name: "cpu.lp", mimeType: "text/plain", buffer });
    await test.page.getByRole("region", { name: "Data" }).getByText("M::cpu", { exact: true }).first().waitFor();
    await test.query("M::cpu:(usage) BY host");
    await expect.poll(async () => (await test.table()).map((row) => row.at(-1))).toEqual(["10", "30"]);
    await test.page.getByLabel("The points of").selectOption("run");
    await expect.poll(async () => (await test.table()).length).toBe(0);
    expect(await answerOf(test).innerText()).toContain("no stored point of M has the source");
  });

  it("keeps a history, saved queries in the project, and the query across a reload", async () => {
    const test = await open();
    await test.query("L::nginx:(count(*))");
    await test.page.keyboard.press("ControlOrMeta+Enter");
    await test.query("L::nginx:(method)");
    await test.page.getByRole("button", { name: "Saved" }).click();
    await test.page.getByLabel("Name of this query").fill("methods");
    await test.page.keyboard.press("Enter");
    await test.page.getByRole("button", { name: "History" }).click();
    await test.page.getByRole("button", { name: "L::nginx:(count(*))", exact: true }).click();
    await expect.poll(test.text).toBe("L::nginx:(count(*))");
    await test.page.getByText("draft saved").waitFor();
    await test.page.reload();
    await expect.poll(test.text).toBe("L::nginx:(count(*))");
    await test.page.getByRole("button", { name: "Saved" }).click();
    await test.page.getByRole("button", { name: /^methods/ }).click();
    await expect.poll(test.text).toBe("L::nginx:(method)");
  });

  it("reports that there are no points when the script has an error", async () => {
    const test = await open();
    await test.page.keyboard.press("Alt+Shift+1");
    await test.write(test.script, "if {");
    await test.page.keyboard.press("Alt+Shift+5");
    await expect.poll(test.said).toBe("The script has an error, so there are no points.");
  });

  it("shows one pane at a time on a phone", async () => {
    const test = await open({ viewport: { width: 390, height: 844 } });
    const [query, answer] = ["Query", "Answer"].map((name) => test.page.getByRole("region", { name, exact: true }));
    expect([await query!.isVisible(), await answer!.isVisible()]).toEqual([true, false]);
    await test.page.getByRole("button", { name: /How many of each status/ }).click();
    await expect.poll(async () => (await test.table()).length).toBe(5);
    expect([await query!.isVisible(), await answer!.isVisible()]).toEqual([false, true]);
    expect(await test.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  });
});
