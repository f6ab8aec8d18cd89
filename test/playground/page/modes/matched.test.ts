// Tests the table of results on the page: it marks the rows that a `grok` call did not match, and the user can
// search, filter and sort all rows.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { playgroundOfTests, type TestPage } from "../support/running-page.ts";

const playground = playgroundOfTests();
const openPage = playground.open;
let folder: string;
let big: string;
const lines = 20_000;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "millrace-rows-"));
  big = path.join(folder, "big.log");
  const line = (at: number) =>
    at % 500 === 499 ? `torn ${at}` : `${(at * 7919) % lines} item-${at} ${"x".repeat(30)}`;
  writeFileSync(big, Array.from({ length: lines }, (_, at) => `${line(at)}\n`).join(""));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const counts = ({ page }: TestPage) =>
  page.locator(".cm-coverage .count").evaluateAll((all) => all.map((each) => `${each.textContent} ${each.className}`));
const filter = ({ result }: TestPage, name: RegExp) => result.getByRole("button", { name });
/** Returns the texts of the cells in the first rows of the table, without white space at their ends. */
const cells = async ({ rows }: TestPage, column: number) =>
  (await rows.locator(`td:nth-child(${column})`).allInnerTexts()).map((text) => text.trim().replaceAll(/\s+/g, " "));

describe("lines that a grok does not match", () => {
  it("are counted beside the script, and a click on the number shows them", async () => {
    const opened = await openPage();
    const { page, rows, detail, result, script } = opened;
    await expect.poll(() => rows.count()).toBe(12);
    await expect.poll(() => counts(opened)).toContain("11/12 count missed active");
    await page.locator(".cm-coverage .missed").click();
    await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringMatching(/11\s+no match\s+nginx/)]);
    await expect.poll(() => detail.innerText()).toContain("this grok does not match: grok(_,");
    await expect.poll(() => page.locator("footer").innerText()).toContain("1 point without a match of grok");

    await detail.getByRole("button", { name: "nginx.p:7" }).click();
    await expect.poll(() => script.locator(".cm-activeLine").innerText()).toContain("if !grok");
    await filter(opened, /^No match in line 7/).click();
    await expect.poll(() => rows.count()).toBe(12);
    // The cursor is in line 7 of the script. Alt+G has the same effect as the click on the number beside this line: the
    // page shows only the rows that the `grok` call in line 7 did not match.
    await script.press("Alt+g");
    await expect.poll(() => rows.count()).toBe(1);
    expect(await result.getByRole("button", { name: /^No match/ }).count()).toBe(2);
  });

  it("open in the Grok mode, with their text and the expression of their grok", async () => {
    const opened = await openPage();
    const { page, rows, detail, input, script, write } = opened;
    const why = page.getByRole("region", { name: "Details", exact: true });
    const expression = page.getByRole("textbox", { name: "Grok expression" });
    const linesToMatch = page.getByRole("textbox", { name: "Lines to match" });
    await write(input, "a: 1\nb= 2");
    await write(
      script,
      `add_pattern("SMALL", "[a-z]")
replace(_, " ", "_")
if !grok(_, """^%{SMALL:key}:_%{INT:n:int}$""", false) { add_key(missed, true) }`,
    );
    await expect.poll(() => cells(opened, 2)).toEqual(["kept", "no match"]);
    await rows.nth(1).getByRole("button", { name: "no match" }).click();
    await expect.poll(() => expression.innerText()).toBe("^%{SMALL:key}:_%{INT:n:int}$");
    // A call of `replace` had changed the text before the script reached the `grok` call. So the grok mode must show
    // the changed text.
    await expect.poll(() => linesToMatch.innerText()).toBe("b=_2");
    await expect.poll(() => why.innerText()).toContain("Line 1 does not match: expected");
    expect(await page.getByLabel("trim").isChecked()).toBe(false);
    await page.getByRole("tab", { name: "Own patterns" }).click();
    await expect.poll(() => page.getByRole("textbox", { name: "Own patterns" }).innerText()).toContain("SMALL [a-z]");

    // Opens a point's field in the grok mode with the keyboard. The page replaces the previous content of the grok
    // mode by the field, and Undo restores the previous content.
    await page.keyboard.press("Alt+Shift+1");
    await write(input, "c; 3");
    await expect.poll(() => cells(opened, 2)).toEqual(["no match"]);
    await detail.getByRole("button", { name: "Open in Grok" }).press("Enter");
    await expect.poll(() => linesToMatch.innerText()).toBe("c;_3");
    await expect.poll(() => why.innerText()).toContain("Line 1 does not match: expected");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => linesToMatch.innerText()).toBe("b=_2");
  });

  it("are filtered by the line of their grok, and the filter ends when all lines match", async () => {
    const opened = await openPage();
    const { page, rows, script, input, write } = opened;
    await write(input, "1\n2\nx");
    await write(script, 'grok(_, "^%{INT:n:int}$")');
    await expect.poll(() => counts(opened)).toEqual(["2/3 count missed active"]);
    await page.locator(".cm-coverage .missed").click();
    await expect.poll(() => rows.count()).toBe(1);
    await write(script, '# a line above\ngrok(_, "^%{INT:n:int}$")');
    await filter(opened, /^No match in line 2/).waitFor();
    expect(await rows.count()).toBe(1);
    await write(script, '# a line above\ngrok(_, "^%{NOTSPACE:n}$")');
    await expect.poll(() => rows.count()).toBe(3);
    await expect.poll(() => filter(opened, /^No match/).count()).toBe(0);
  });

  it("are distinguished from errors, and from lines that another grok matches", async () => {
    const opened = await openPage();
    const { rows, script, input, write, page } = opened;
    await write(input, "1\nx2\nnone\n0");
    await write(
      script,
      'if !grok(_, "^%{INT:n:int}$") {\n  grok(_, "^x%{INT:n:int}$")\n}\nif n == 0 {\n  y = 1 / n\n}',
    );
    await expect
      .poll(() => counts(opened))
      .toEqual(["2/4 count missed active", "1/2 count missed active", "4 count all active", "1 count some active"]);
    await expect.poll(() => cells(opened, 2)).toEqual(["kept", "kept◐ one grok did not match", "no match", "error"]);
    await expect.poll(() => filter(opened, /^Kept/).innerText()).toMatch(/Kept\s*3/);
    await filter(opened, /^Errors/).click();
    await expect.poll(() => rows.count()).toBe(1);
    await write(input, "1\nx2\nnone");
    // After the change of the input no row has an error, so the page shows all rows again. No row reaches the statement
    // `y = 1 / n`. So the gutter beside this statement shows that 0 points reached it.
    await expect.poll(() => rows.count()).toBe(3);
    await expect.poll(() => page.locator(".cm-coverage .never").allInnerTexts()).toEqual(["0"]);
  });
});

describe("an outdated result", () => {
  it("is dimmed with the reason, until a run brings the current result", async () => {
    const { page, rows, script, result, write, quiet, run } = await openPage();
    await expect.poll(() => rows.count()).toBe(12);
    const view = page.locator("#result-view .grid");
    const colour = () => view.evaluate((element) => getComputedStyle(element).color);
    const before = await colour();
    await write(script, "add_key(a, 1");
    await expect
      .poll(() => result.locator(".stale-note").allInnerTexts())
      .toContain("from before your last change: the script has an error");
    await expect.poll(colour).not.toBe(before);
    await write(script, "add_key(a, 1)");
    await expect.poll(colour).toBe(before);
    await quiet();
    await write(script, "add_key(b, 1)");
    await expect.poll(() => result.innerText()).toContain("from before your last change: press Run");
    await run();
    await result.getByRole("columnheader", { name: /^b/ }).waitFor();
    expect(await result.innerText()).not.toContain("from before");
    // After an edit the page marks the result as outdated. After the edit is reverted, the result is up to date again.
    await write(script, "add_key(c, 1)");
    await expect.poll(() => result.innerText()).toContain("press Run");
    await write(script, "add_key(b, 1)");
    await expect.poll(() => result.innerText()).not.toContain("press Run");
  });
});

describe("a large file", () => {
  it("is run as a sample at once and after each change, and as a whole on demand", async () => {
    const opened = await openPage();
    const { page, script, result, write } = opened;
    await write(script, 'grok(_, "^%{INT:n:int} %{NOTSPACE:item} ")');
    await page.getByLabel("File to read").setInputFiles(big);
    await expect
      .poll(() => result.getByRole("status").innerText())
      .toMatch(/^A sample: the first 2,000 points of \d+ KB/);
    await expect.poll(() => counts(opened)).toEqual(["2.0k/2.0k count missed active"]);
    await write(script, 'grok(_, "^%{INT:n:int} item-%{INT:item:int} ")');
    await result.getByRole("columnheader", { name: /^item\s*int/ }).waitFor();
    await expect.poll(() => filter(opened, /^All/).innerText()).toMatch(/2,000/);
    await result.getByRole("button", { name: "Run all" }).click();
    await expect.poll(() => filter(opened, /^All/).innerText()).toMatch(/20,000/);
    await expect.poll(() => counts(opened)).toEqual(["20k/20k count missed active"]);
    await expect.poll(() => filter(opened, /^No match/).innerText()).toMatch(/40/);
  });

  it("is searched, filtered and sorted as a whole, and its columns can be hidden", async () => {
    const opened = await openPage();
    const { page, script, result, write, rows, run, detail } = opened;
    await write(script, 'grok(_, "^%{INT:n:int} item-%{INT:item:int} ")\nif item > 19990 { drop() }');
    await page.getByLabel("File to read").setInputFiles(big);
    await result.getByRole("button", { name: "Run all" }).click();
    await expect.poll(() => filter(opened, /^All/).innerText()).toMatch(/20,000/);

    const search = result.getByRole("searchbox", { name: "Search the rows" });
    await search.fill("ITEM-17654 ");
    await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringContaining("item-17654")]);
    await expect.poll(() => detail.innerText()).toContain("Point 17,655");
    await expect.poll(() => result.innerText()).toContain("1 found");
    await search.fill("");
    await filter(opened, /^Dropped/).click();
    // The script drops the points whose `item` is from 19,991 to 19,998. These points are in the rows 19,992 to
    // 19,999. The last line of the input is incomplete. Its point has no `item`, so the script does not drop this
    // point.
    await expect
      .poll(() => cells(opened, 1))
      .toEqual(["19992", "19993", "19994", "19995", "19996", "19997", "19998", "19999"]);
    await filter(opened, /^All/).click();

    await result.getByRole("button", { name: "n", exact: true }).click();
    const column = async (key: string) => {
      const heads = (await result.getByRole("columnheader").allInnerTexts()).map((text) => text.trim());
      return heads.findIndex((head) => head.startsWith(key)) + 1;
    };
    await expect.poll(async () => (await cells(opened, await column("n↑"))).slice(0, 3)).toEqual(["0", "1", "2"]);
    await result.getByRole("button", { name: "n", exact: true }).click();
    await expect
      .poll(async () => (await cells(opened, await column("n↓"))).slice(0, 3))
      .toEqual(["19999", "19998", "19997"]);
    await expect.poll(() => result.innerText()).toContain("the first 1,000 are shown");

    await result.getByRole("button", { name: "Columns" }).click();
    await result.getByLabel("item", { exact: true }).uncheck();
    await expect.poll(() => result.getByRole("columnheader", { name: /^item/ }).count()).toBe(0);
    await result.getByLabel("Sort by").selectOption("");
    await page.keyboard.press("Escape");
    await expect.poll(async () => (await cells(opened, 1)).slice(0, 3)).toEqual(["1", "2", "3"]);
    await run();
    await expect.poll(() => filter(opened, /^All/).innerText()).toMatch(/20,000/);
    expect(await result.getByRole("columnheader", { name: /^item/ }).count()).toBe(0);
  });
});
