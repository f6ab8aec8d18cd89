// The help of the editors on the page: functions, signatures, completion, fixes, errors of a run, and suggested input
// formats.

import { expect, it } from "vitest";
import { playgroundOfTests } from "../support/running-page.ts";

const openPage = playgroundOfTests().open;

it("functions are searched, read and inserted, and their arguments explained while they are typed", async () => {
  const { page, script, write, rows } = await openPage();
  await expect.poll(() => rows.count()).toBe(12);
  await write(script, "");
  await page.getByRole("button", { name: "Functions" }).click();
  const browser = page.getByRole("region", { name: "Functions", exact: true });
  const search = browser.getByRole("combobox", { name: "Search the functions" });
  await expect.poll(() => search.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.type("upper case");
  await expect.poll(() => browser.getByRole("option").first().innerText()).toContain("uppercase");
  expect(await browser.innerText()).toContain("Turns the text of a key to upper case");
  await page.keyboard.press("Enter");
  await expect.poll(() => script.innerText()).toMatch(/^uppercase\(\w+\)$/);
  await browser.getByRole("button", { name: "Close the functions" }).click();

  await write(script, "");
  await page.keyboard.type("group_between(status_code, ");
  const help = page.locator(".cm-signature");
  await expect.poll(() => help.locator("strong").innerText()).toBe("between");
  await page.keyboard.type("[200, 299], ");
  await expect.poll(() => help.locator("strong").innerText()).not.toBe("between");
  // The first Escape closes the list of completions, the second one closes the help.
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await expect.poll(() => help.count()).toBe(0);
});

it("the editor completes patterns that the script defines, and Tab accepts a completion", async () => {
  const { page, script, write } = await openPage();
  const options = page.locator(".cm-tooltip-autocomplete li .cm-completionLabel");
  await write(script, 'add_pattern("plate", "[A-Z]{2}-\\\\d+")\n');
  await page.keyboard.type('grok(_, "%{plat');
  await expect.poll(() => options.first().innerText()).toBe("plate");
  await expect.poll(() => page.locator(".cm-completionInfo").innerText()).toContain("A pattern that a script defines");
  await page.keyboard.press("Tab");
  await expect.poll(() => script.innerText()).toContain('grok(_, "%{plate');
});

it("a hint is applied with Ctrl+. and with its button, and errors of a run are marked at their statement", async () => {
  const { page, script, write, rows, input } = await openPage();
  await expect.poll(() => rows.count()).toBe(12);
  const mark = page.locator(".cm-lintRange-error");
  await write(script, "uppercas(client)");
  await expect.poll(() => mark.allInnerTexts()).toEqual(["uppercas"]);
  await page.keyboard.press("Control+.");
  await expect.poll(() => script.innerText()).toBe("uppercase(client)");
  await write(script, "if client == 1 {\n} else if client == 2 {\n}");
  await expect.poll(() => mark.first().innerText()).toBe("else");
  const change = page.getByRole("button", { name: "Change to elif" });
  // The editor draws the underlines of errors again after each check of the script. The tooltip of an error opens only
  // a moment after the mouse has reached an underline that is already drawn. So the test tries again until the tooltip
  // is open.
  const hovers = async () => {
    await page.mouse.move(0, 0);
    await mark.first().hover();
    await change.waitFor({ timeout: 3000 }).catch(() => {});
    return change.count();
  };
  await expect.poll(hovers).toBe(1);
  await change.click();
  await expect.poll(() => script.innerText()).toContain("} elif client == 2");

  await write(input, "1\n0\n0");
  await write(script, 'grok(_, "%{INT:n:int}")\nx = 1 / n');
  const warning = page.locator(".cm-lintRange-warning");
  await expect.poll(() => warning.count()).toBe(1);
  await warning.hover();
  await expect
    .poll(() => page.locator(".cm-tooltip").allInnerTexts())
    .toContainEqual(expect.stringMatching(/division by zero, at run time for 2 points/));
  await write(input, "1\n2");
  await expect.poll(() => warning.count()).toBe(0);
});

it("the page suggests another form when the input looks like it, and wraps long lines on demand", async () => {
  const { page, input, write, rows } = await openPage();
  await page.getByRole("button", { name: "Drafts" }).click();
  await page.getByRole("button", { name: /^New draft/ }).click();
  await write(input, "cpu,host=a load=0.5 1763719200000000000\nmem used=5i 1763719200000000000");
  const pane = page.getByRole("region", { name: "Input", exact: true });
  await expect.poll(() => pane.getByRole("status").innerText()).toContain("This looks like Line protocol");
  await pane.getByRole("button", { name: "Read as Line protocol" }).click();
  await expect.poll(() => page.getByLabel("Form of the input").inputValue()).toBe("lp");
  await expect
    .poll(() => rows.allInnerTexts())
    .toEqual([expect.stringContaining("cpu"), expect.stringContaining("mem")]);
  expect(await pane.getByRole("status").count()).toBe(0);
  await write(input, "a log line\nanother");
  await pane.getByRole("button", { name: "Keep the form" }).click();
  await expect.poll(() => pane.getByRole("status").count()).toBe(0);

  await page.getByLabel("Form of the input").selectOption("lines");
  await write(input, "word ".repeat(200));
  const lines = () =>
    input
      .locator(".cm-line")
      .first()
      .evaluate((line) => line.getBoundingClientRect().height);
  const height = await lines();
  await pane.getByRole("button", { name: "Wrap long lines" }).click();
  await expect.poll(lines).toBeGreaterThan(height * 2);
  // The button "Wrap long lines" only changes how the text is shown and does not edit it. So Undo removes the inserted
  // text, and the lines stay wrapped.
  await input.click();
  await page.keyboard.press("ControlOrMeta+Z");
  await expect.poll(() => input.innerText()).not.toContain("word word");
});

// The editor inserts pasted text itself. If it left this to Chromium, Chromium would lay out the page after every
// inserted line, which would take hours for this text.
it.each([
  ["", "Input"],
  ["#/grok", "Lines to match"],
  ["#/convert", "Body to convert"],
])("20,000 lines are inserted at once, by paste or by text input, in the mode %s", async (fragment, name) => {
  const { page } = await openPage({ permissions: ["clipboard-read", "clipboard-write"] }, fragment);
  await page.getByText("not edited yet").waitFor();
  const editor = page.getByRole("textbox", { name, exact: true });
  const text = Array.from({ length: 20_000 }, (_, line) => `cpu,host=web-${line} load=1 1763719200000000000`).join(
    "\n",
  );
  await page.evaluate((each) => navigator.clipboard.writeText(each), text);
  const last = editor.locator(".cm-line").last();
  for (const insert of [() => page.keyboard.insertText(text), () => page.keyboard.press("ControlOrMeta+V")]) {
    await editor.click();
    await page.keyboard.press("ControlOrMeta+A");
    await insert();
    await expect.poll(() => last.innerText()).toContain("host=web-19999 ");
    // One undo removes the whole inserted text.
    await page.keyboard.press("ControlOrMeta+Z");
    await expect.poll(() => last.innerText()).not.toContain("host=web-");
  }
});

it("the one-line expression editor joins two inserted lines into one", async () => {
  const { page } = await openPage({}, "#/grok");
  const expression = page.getByRole("textbox", { name: "Grok expression" });
  await expression.click();
  await page.keyboard.insertText("%{WORD:a} \n%{INT:b}");
  await expect.poll(() => expression.innerText()).toBe("%{WORD:a} %{INT:b}");
});
