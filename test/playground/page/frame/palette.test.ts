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
    await opened.page.getByRole("dialog").waitFor({ state: "detached" });
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
  });
});
