// Uses the page with the keyboard alone: makes a stored test from a pasted log, moves the focus through a mode
// with the Tab key, and checks what screen readers read in each mode.

import { describe, expect, it } from "vitest";
import { focused, tabTo } from "../support/keyboard.ts";
import { playgroundOfTests, type TestPage } from "../support/running-page.ts";

const openPage = playgroundOfTests().open;

describe("the keyboard alone", () => {
  it("makes a script and a test of a pasted log, and converts a point", async () => {
    const opened = await openPage({ permissions: ["clipboard-read", "clipboard-write"] }, "#/grok");
    const { page, script, rows } = opened;
    const { keyboard } = page;
    const copied = (text: string) => page.evaluate((each) => navigator.clipboard.writeText(each), text);
    const status = () => page.locator("footer:visible [role=status]").innerText();
    await page.getByText("not edited yet").waitFor();
    await copied(
      [
        "2026-11-26 10:00:01 WARN [db] query took 812 ms user=ada",
        "2026-11-26 10:00:02 INFO [web] query took 3 ms user=bob",
      ].join("\n"),
    );
    await tabTo(opened, /^textbox Lines to match/);
    await keyboard.press("ControlOrMeta+V");
    await tabTo(opened, /^button Suggest/, "Shift+Tab");
    await keyboard.press("Enter");
    await expect.poll(status).toBe("2 of 2 lines match");
    // The button "Suggest" keeps the focus while the page works on the suggestion, so the next press of Tab starts from
    // this button.
    expect((await focused(opened)).name).toBe("button Suggest");
    await tabTo(opened, /^button Use in script/);
    await keyboard.press("Enter");
    await expect.poll(() => page.url()).toMatch(/#\/pipeline$/);
    await expect.poll(() => script.innerText()).toContain("grok(_, ");

    await tabTo(opened, /^textbox Input/);
    await keyboard.press("ControlOrMeta+A");
    await keyboard.press("ControlOrMeta+V");
    await expect.poll(() => rows.count()).toBe(2);
    await tabTo(opened, /^button Keep as test/);
    await keyboard.press("Enter");
    await tabTo(opened, /^tab Fields/, "Shift+Tab");
    for (let tab = 0; tab < 3; tab++) await keyboard.press("ArrowRight");
    await page.getByText("1 test, all pass").waitFor();

    await copied("cpu,host=a load=1 1763719200000000000");
    await tabTo(opened, /^a Convert/, "Shift+Tab");
    await keyboard.press("Enter");
    await page.getByRole("region", { name: "Body", exact: true }).waitFor();
    await tabTo(opened, /^textbox Body to convert/);
    await keyboard.press("ControlOrMeta+V");
    await expect.poll(status).toContain("1 point of Line protocol");
  });

  it.each([
    ["", ["textbox Script", "separator Height", "textbox Input", "tab Table", "grid Points", "tab Fields"]],
    ["#/grok", ["button grok", "button Suggest", "textbox Grok expression", "textbox Lines", "tab "]],
    ["#/convert", ["combobox form", "textbox Body", "tab ", "tabpanel "]],
    ["#/sharding", ["textbox Rules for tags", "textbox Sink rules", "textbox Points"]],
  ])("moves the focus through the mode %s and back, and the focus is always visible", async (fragment, order) => {
    const opened = await openPage({}, fragment);
    const { page } = opened;
    await page.getByText("not edited yet").waitFor();
    if (fragment === "") await opened.rows.nth(11).waitFor();
    else await page.locator(".start:visible li button").first().click();
    if (fragment === "#/grok") await page.getByText("There is no expression yet.").waitFor();
    await page.locator("header").click({ position: { x: 2, y: 2 } });
    const way = async (key: string, most: number) => {
      const stops: Awaited<ReturnType<typeof focused>>[] = [];
      for (let presses = 0; presses < most; presses++) {
        await page.keyboard.press("Escape");
        await page.keyboard.press(key);
        const stop = await focused(opened);
        // When the last element of the page has the focus, Tab moves the focus out of the page, to the browser's own
        // controls.
        if (stop.name.startsWith("body ")) break;
        stops.push(stop);
      }
      return stops;
    };
    const there = await way("Tab", 80);
    const names = there.map(({ name }) => name.replace(/^select /, "combobox "));
    expect(there.filter(({ isSeen, isOnPage }) => !isSeen || !isOnPage)).toEqual([]);
    let at = -1;
    for (const wanted of order) {
      const next = names.findIndex((name, index) => index > at && name.startsWith(wanted));
      expect([wanted, next > at, names]).toEqual([wanted, true, names]);
      at = next;
    }
    const back = (await way("Shift+Tab", there.length)).map(({ name }) => name);
    expect(back.reverse()).toEqual(there.map(({ name }) => name));
  });
});

describe("screen readers hear", () => {
  const heard = ({ page }: TestPage) => page.locator("footer:visible [role=status]").first().textContent();

  it("the result of a run and the first error of a script", async () => {
    const opened = await openPage();
    const { script, input, write } = opened;
    await write(input, "a 1\nb 2\nnone");
    await write(script, 'grok(_, "%{WORD:w} %{INT:n:int}")\nif n == 2 { drop() }');
    await expect.poll(() => heard(opened)).toBe("3 points: 2 kept, 1 dropped, 1 without a match of grok");
    await write(script, "if n > {");
    await expect.poll(() => heard(opened)).toMatch(/^1 error in the script: \w/);
    await write(script, "x = 0\nadd_key(b, 1 / x)");
    await expect.poll(() => heard(opened)).toMatch(/^3 points: .*3 failed$/);
  });

  it("that the grok mode still matches a slow line, and then the result", async () => {
    const opened = await openPage({}, "#/grok");
    const { page, write } = opened;
    await page.getByText("not edited yet").waitFor();
    const expression = page.getByRole("textbox", { name: "Grok expression" });
    await write(page.getByRole("textbox", { name: "Lines to match" }), "a".repeat(1000));
    await write(expression, "%{WORD:w}");
    await expect.poll(() => heard(opened)).toBe("1 of 1 line match");
    await write(expression, "(?P<f>.{0,500})*z");
    const line = page.locator(".say[aria-live=polite]:visible");
    await expect.poll(() => line.innerText()).toBe("Matching line 1 …");
    await expect.poll(() => line.innerText(), { timeout: 60_000 }).toContain("Line 1 does not match");
    expect(await heard(opened)).toBe("0 of 1 line match");
  });
});
