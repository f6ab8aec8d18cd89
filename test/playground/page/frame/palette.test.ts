// The command palette: what it finds in each mode, and what the chosen entry does.

import { describe, expect, it } from "vitest";
import { focused } from "../support/keyboard.ts";
import { playgroundOfTests, type TestPage } from "../support/running-page.ts";

const openPage = playgroundOfTests().open;

/** Opens the palette with the keyboard and types the text. */
async function search({ page }: TestPage, text: string): Promise<void> {
  await page.keyboard.press("ControlOrMeta+K");
  await page.getByRole("combobox", { name: /^Search actions/ }).fill(text);
}

/** Opens the palette, types the text, and chooses the entry that is found first. */
async function choose(opened: TestPage, text: string): Promise<void> {
  await search(opened, text);
  await opened.page.keyboard.press("Enter");
}

/** Opens the page and waits until the first run has ended, so that functions and patterns are known. */
async function openWithRun(fragment = ""): Promise<TestPage> {
  const opened = await openPage({}, fragment);
  await opened.page.getByText("not edited yet").waitFor();
  if (fragment === "") await opened.rows.nth(11).waitFor();
  return opened;
}

/** Returns the titles of the entries that the open palette shows. */
const titles = ({ page }: TestPage) => page.locator("dialog .title").allInnerTexts();

describe("the command palette", () => {
  it("presses a button of the page, and opens a panel whose first control gets the focus", async () => {
    const opened = await openWithRun();
    const { page, script, write } = opened;
    await write(script, "set_tag( a,1 )");
    await choose(opened, "format");
    await expect.poll(() => script.innerText()).toContain("set_tag(a, 1)");
    // The button that was pressed does not take the focus from the editor.
    expect((await focused(opened)).name).toMatch(/^textbox Script/);
    await choose(opened, "settings");
    await page.getByText("Language · 语言").waitFor();
    await expect.poll(async () => (await focused(opened)).name).toMatch(/^input Time zone/);
  });

  it("inserts a function into the script, and a pattern into the expression of the grok mode", async () => {
    const opened = await openWithRun();
    const { page, script, write } = opened;
    await write(script, "");
    await choose(opened, "parse_date");
    await expect.poll(() => script.innerText()).toContain("parse_date(");
    expect((await focused(opened)).name).toMatch(/^textbox Script/);
    await choose(opened, "iporhost");
    await expect.poll(() => page.url()).toMatch(/#\/grok$/);
    const expression = page.getByRole("textbox", { name: "Grok expression" });
    await expect.poll(() => expression.innerText()).toBe("%{IPORHOST:iporhost}");
    await expect.poll(async () => (await focused(opened)).name).toMatch(/^textbox Grok expression/);
  });

  it.each([
    ["chooses the first entry that is found after Enter was pressed", "redis log", /#\/pipeline$/],
    ["chooses nothing when the text was changed after Enter", "mysql slow log", /#\/convert$/],
  ])("%s", async (_, textAtLast, url) => {
    const opened = await openWithRun("#/convert");
    const { page } = opened;
    let letExamplesArrive = () => {};
    const arrival = new Promise<void>((resolve) => {
      letExamplesArrive = resolve;
    });
    await page.route(/assets\/examples-/, (route) => arrival.then(() => route.continue()));
    await choose(opened, "redis log");
    await page.getByText("Still loading …").waitFor();
    const field = page.getByRole("combobox", { name: /^Search actions/ });
    if (textAtLast !== "redis log") await field.fill(textAtLast);
    letExamplesArrive();
    if (textAtLast === "redis log") await field.waitFor({ state: "detached" });
    else await page.getByRole("option", { name: /mysql slow log/i }).waitFor();
    await expect.poll(() => page.url()).toMatch(url);
  });

  it("opens modes and examples from any mode, and puts the cursor into panes and settings", async () => {
    const opened = await openWithRun("#/convert");
    const { page, rows, script } = opened;
    await choose(opened, "apache error");
    await expect.poll(() => page.url()).toMatch(/#\/pipeline$/);
    await expect.poll(() => script.innerText()).toContain("AH01071");
    await rows.nth(4).waitFor();
    await choose(opened, "go to: input");
    await expect.poll(async () => (await focused(opened)).name).toMatch(/^textbox Input/);
    await choose(opened, "category");
    await expect.poll(async () => (await focused(opened)).name).toMatch(/^select Category/);
    await choose(opened, "go to: convert");
    await page.getByRole("region", { name: "Body", exact: true }).waitFor();
  });

  it("keeps the keys of the page from what it covers", async () => {
    const opened = await openWithRun();
    const { page, script, write } = opened;
    await write(script, "for ;; { a = 1 }");
    await page.keyboard.press("ControlOrMeta+Enter");
    const stop = page.getByRole("button", { name: /^Stop/ });
    await stop.waitFor();
    await search(opened, "grok");
    await page.keyboard.press("Alt+Shift+2");
    await page.keyboard.press("F1");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(page.url()).not.toContain("grok");
    await stop.click();
  });

  it("lets nothing into the script that is typed while its code is loaded", async () => {
    const opened = await openWithRun();
    const { page, script, write } = opened;
    await write(script, "a = 1");
    await page.route(/Palette.*\.js$/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      await route.continue();
    });
    await script.click();
    await page.keyboard.press("ControlOrMeta+K");
    await page.keyboard.type("format");
    await page.keyboard.press("Enter");
    await page.getByRole("combobox", { name: /^Search actions/ }).waitFor();
    expect(await script.innerText()).toContain("a = 1");
    expect(await script.innerText()).not.toContain("format");
  });

  it("says when its code cannot be loaded, and tries again the next time", async () => {
    const opened = await openWithRun();
    const { page } = opened;
    await page.route(/Palette.*\.js$/, (route) => route.abort());
    await page.keyboard.press("ControlOrMeta+K");
    await page.getByText("The command palette could not be loaded.").waitFor();
    await page.unroute(/Palette.*\.js$/);
    await search(opened, "format");
    await page.getByRole("option", { name: /^Format/ }).waitFor();
    // The browser reports the files that the test did not let through.
    expect(opened.faults.every((fault) => fault.includes("net::ERR_FAILED"))).toBe(true);
    (opened.faults as string[]).length = 0;
  });

  it("puts a function on a line of its own", async () => {
    const opened = await openWithRun();
    const { script, write, page } = opened;
    await write(script, "a = 1");
    await page.keyboard.press("Home");
    await choose(opened, "drop_origin_data");
    await expect.poll(() => script.innerText()).toMatch(/drop_origin_data\(\)\n+a = 1/);
  });

  it("leaves out the controls of an open menu, and finds the colours by what they do", async () => {
    const opened = await openWithRun();
    const { page } = opened;
    await page.getByRole("button", { name: "Drafts" }).click();
    await search(opened, "new draft");
    expect(await titles(opened)).toEqual(["New draft"]);
    await page.keyboard.press("Escape");
    await choose(opened, "dark");
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe("dark");
    await search(opened, "colours");
    expect(await titles(opened)).toEqual(["Colours: system", "Colours: light"]);
  });

  it("says whether a control is on, and switches it", async () => {
    const opened = await openWithRun();
    const state = async () => {
      await search(opened, "wrap long lines");
      return opened.page.locator("dialog .about").first().innerText();
    };
    expect(await state()).toMatch(/^is off · Input/);
    await opened.page.keyboard.press("Enter");
    expect(await state()).toMatch(/^is on · Input/);
  });

  it("reaches the other panes of a narrow page", async () => {
    const opened = await openPage({ viewport: { width: 390, height: 740 } });
    const { page } = opened;
    await page.getByText("not edited yet").waitFor({ state: "attached" });
    await choose(opened, "result");
    await page.getByRole("region", { name: "Result", exact: true }).waitFor();
  });

  it("opens another draft", async () => {
    const opened = await openWithRun();
    const { page, script, write } = opened;
    await write(script, "# mine\nset_tag(a)");
    await page.getByText(/^kept/).first().waitFor();
    await choose(opened, "new draft");
    await expect.poll(() => script.innerText()).not.toContain("# mine");
    await write(script, "# other");
    await search(opened, "nginx access");
    const draft = page.getByRole("option", { name: /^Nginx access log .*draft$/ });
    await draft.click();
    await expect.poll(() => script.innerText()).toContain("# mine");
  });

  it("offers the controls that the shown mode has, and not itself, hidden modes or rows of tables", async () => {
    const opened = await openWithRun();
    await search(opened, "");
    const inPipeline = await titles(opened);
    expect(inPipeline).toEqual(expect.arrayContaining(["Run", "Share", "Format", "Keep as test", "Go to: Script"]));
    expect(inPipeline).not.toContain("Find");
    expect(new Set(inPipeline).size).toBeGreaterThan(30);
    await opened.page.keyboard.press("Escape");
    await choose(opened, "go to: grok");
    await opened.page.getByRole("region", { name: "Expression", exact: true }).waitFor();
    await search(opened, "");
    const inGrok = await titles(opened);
    expect(inGrok).toContain("Go to: Expression");
    expect(inGrok).not.toContain("Run");
    expect(inGrok).not.toContain("Keep as test");
  });

  it("moves with the arrow keys, closes with Escape, and gives the focus back", async () => {
    const opened = await openWithRun();
    const { page, script } = opened;
    await script.click();
    await search(opened, "date");
    const selected = () => page.getByRole("option", { selected: true }).locator(".title").innerText();
    const first = await selected();
    await page.keyboard.press("ArrowDown");
    expect(await selected()).toBe((await titles(opened))[1]);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    expect(await selected()).toBe(first);
    await page.keyboard.press("Escape");
    await expect.poll(async () => (await focused(opened)).name).toMatch(/^textbox Script/);
    // The palette opens again however soon the keys are pressed after it was closed.
    for (let time = 0; time < 5; time++) {
      await page.keyboard.press("ControlOrMeta+K");
      await page.getByRole("dialog").waitFor();
      await page.keyboard.press("Escape");
    }
    await expect.poll(async () => (await focused(opened)).name).toMatch(/^textbox Script/);
    await page.getByRole("button", { name: "Find", exact: true }).click();
    await page.getByRole("combobox", { name: /^Search actions/ }).fill("no such thing");
    await page.getByText("Nothing has this name.").waitFor();
    await page.keyboard.press("Enter");
    expect(await page.getByRole("dialog").count()).toBe(1);
  });

  it("works in Chinese, and finds modes by their English names, too", async () => {
    const opened = await openPage({ locale: "zh-CN" });
    const { page } = opened;
    await page.keyboard.press("ControlOrMeta+K");
    const field = page.getByRole("combobox", { name: "搜索操作、示例、函数和模式" });
    await field.fill("dashboards");
    await page.getByRole("option", { name: /Alt\+Shift\+6/ }).waitFor();
    await field.fill("运行");
    await page.getByRole("option", { name: /^运行 .*Ctrl\+Enter/ }).waitFor();
    await field.fill("format");
    await page.getByRole("option", { name: /^格式化/ }).waitFor();
    await field.fill("english");
    await page.getByRole("option", { name: /^English/ }).waitFor();
  });
});
