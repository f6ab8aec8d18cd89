// The step debugger on the page: moving forward and back, entering or skipping a script called with `use`, breakpoints,
// and the state at each step.

import { describe, expect, it } from "vitest";
import { playgroundOfTests, type TestPage } from "../support/running-page.ts";

const playground = playgroundOfTests();
const openPage = playground.open;

const main =
  'x = 1\nuse("script-2.p")\nif grok(_, "^%{WORD:w} %{INT:n:int}$") {\n  x = x + n\n}\nadd_key(x)\ndrop_key(message)';

async function openSteps(): Promise<TestPage> {
  const opened = await openPage();
  const { page, script, input, write, rows } = opened;
  await write(input, "first 1\nsecond 41\nnone");
  await write(script, main);
  await page.getByRole("button", { name: "Add a script" }).click();
  await write(script, 'called = true\nset_tag(t, "a")');
  await page.getByRole("tab", { name: "nginx.p" }).click();
  await expect.poll(() => rows.count()).toBe(3);
  await rows.nth(1).click();
  await page.getByRole("tab", { name: "Steps" }).click();
  await page.getByRole("listbox", { name: "Statements that ran" }).waitFor();
  return opened;
}

const where = ({ page }: TestPage) =>
  page.getByRole("region", { name: "Steps", exact: true }).getByRole("status").innerText();
const move = ({ page }: TestPage, name: string) => page.getByRole("button", { name, exact: true }).click();
/**
 * Returns `key value` for each entry of a list on the page. The text of a value includes the signs by which the page
 * shows what the step has changed.
 */
async function entries({ page }: TestPage, label: string): Promise<string[]> {
  const list = page.getByLabel(label, { exact: true });
  const [keys, values] = [await list.locator("dt").allInnerTexts(), await list.locator("dd").allInnerTexts()];
  return keys.map((key, at) => `${key} ${values[at]}`);
}

describe("the steps of a point", () => {
  it("go forward and back, into and over a called script, and show what each step changed", async () => {
    const opened = await openSteps();
    const { page, script } = opened;
    expect(await where(opened)).toBe("before the first of 8 steps");
    await move(opened, "Step, and into");
    expect(await where(opened)).toBe("step 1 of 8, nginx.p:1");
    await expect.poll(() => entries(opened, "Variables")).toEqual(["~ x 1"]);
    await expect.poll(() => page.locator(".cm-step").innerText()).toBe("x = 1");

    await move(opened, "Step, and into");
    await move(opened, "Step, and into");
    await move(opened, "Step, and into");
    expect(await where(opened)).toBe("step 4 of 8, script-2.p:2");
    await expect.poll(() => script.getAttribute("aria-label")).toBe("Script script-2.p");
    await expect.poll(() => page.locator(".cm-step").innerText()).toBe('set_tag(t, "a")');
    await expect.poll(() => entries(opened, "Variables")).toEqual(["called true"]);
    await expect.poll(() => entries(opened, "Point at this step")).toContain("~ ttag a");

    await move(opened, "Step out");
    expect(await where(opened)).toBe("step 5 of 8, nginx.p:3");
    await expect.poll(() => script.getAttribute("aria-label")).toBe("Script nginx.p");
    await expect
      .poll(() => entries(opened, "Point at this step"))
      .toEqual(expect.arrayContaining(["~ w second", "~ n 41", "ttag a"]));
    await move(opened, "Back over");
    expect(await where(opened)).toBe("step 2 of 8, nginx.p:2");
    await move(opened, "Step over");
    expect(await where(opened)).toBe("step 5 of 8, nginx.p:3");
    await move(opened, "Step over");
    expect(await where(opened)).toBe("step 7 of 8, nginx.p:6");
    await move(opened, "Step back");
    await expect.poll(() => entries(opened, "Variables")).toEqual(["~ x 42"]);
    await move(opened, "To the end");
    await expect
      .poll(() => entries(opened, "Point at this step"))
      .not.toContainEqual(expect.stringContaining("message"));
    await move(opened, "To the start");
    await expect.poll(() => entries(opened, "Point at this step")).toContain("message second 41");
  });

  it("run to breakpoints and to a line, with the keyboard alone, and follow the selected row", async () => {
    const opened = await openSteps();
    const { page, script, rows, write } = opened;
    await page.locator(".cm-lineNumbers .cm-gutterElement", { hasText: "4" }).waitFor();
    await script.locator(".cm-line").nth(3).click();
    await page.keyboard.press("F9");
    await script.locator(".cm-line").nth(5).click();
    await page.keyboard.press("F9");
    await expect.poll(() => page.locator(".cm-breakpoints .breakpoint:not(.idle)").count()).toBe(2);
    const list = page.getByRole("listbox", { name: "Statements that ran" });
    await list.focus();
    await page.keyboard.press("Enter");
    expect(await where(opened)).toBe("step 6 of 8, nginx.p:4");
    await page.keyboard.press("Enter");
    expect(await where(opened)).toBe("step 7 of 8, nginx.p:6");
    await page.keyboard.press("Shift+Enter");
    expect(await where(opened)).toBe("step 6 of 8, nginx.p:4");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowLeft");
    expect(await where(opened)).toBe("step 2 of 8, nginx.p:2");

    // The `grok` call does not match the point of the selected row. So the script executes other statements than for
    // the first row, and the page lists other steps.
    await rows.nth(2).click();
    await expect.poll(() => where(opened)).toBe("before the first of 7 steps");
    await list.focus();
    await page.keyboard.press("Enter");
    expect(await where(opened)).toBe("step 6 of 7, nginx.p:6");
    expect(await list.innerText()).toContain("no match");

    await rows.nth(1).click();
    await expect.poll(() => where(opened)).toContain("of 8 steps");
    await script.locator(".cm-line").nth(6).click();
    await page.keyboard.press("Alt+r");
    await expect.poll(() => where(opened)).toBe("step 8 of 8, nginx.p:7");

    // A breakpoint moves with its line when lines are inserted above.
    await write(script, main);
    await script.press("Control+Home");
    await script.locator(".cm-line").nth(2).click();
    await page.keyboard.press("F9");
    await script.press("Control+Home");
    await page.keyboard.insertText("# above\n");
    // The test has inserted a line above the statement of the first step. So this statement is now in line 2.
    await expect.poll(() => list.innerText()).toMatch(/^the point comes in\s+2\s/);
    await list.focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("Enter");
    await expect.poll(() => where(opened)).toBe("step 5 of 8, nginx.p:4");
  });

  it("use the state that earlier points have left", async () => {
    const { page, script, input, write, rows } = await openPage();
    await write(input, "a\nb\nc");
    await write(script, 'n = cache_get("n")\nif n == nil { n = 0 }\nn = n + 1\ncache_set("n", n, 30)\nadd_key(n)');
    await expect.poll(() => rows.count()).toBe(3);
    await rows.nth(2).click();
    await page.getByRole("tab", { name: "Steps" }).click();
    await page.getByRole("button", { name: "To the end", exact: true }).click();
    await expect.poll(() => page.getByLabel("Point at this step").innerText()).toMatch(/n\s+3/);
  });
});
