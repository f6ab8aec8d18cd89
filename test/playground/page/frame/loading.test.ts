// Tests which files the page loads at a first visit, and which files it loads only when a user needs them.

import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import process from "node:process";
import type { Page } from "playwright";
import { describe, expect, it } from "vitest";
import { playgroundOfTests } from "../support/running-page.ts";

const playground = playgroundOfTests();

/** Returns an array to which the name of each asset that the page or a worker requests is added. */
function requested(page: Page): string[] {
  const names: string[] = [];
  page.context().on("request", (request) => {
    const [, name] = /\/assets\/(.+)$/.exec(new URL(request.url()).pathname) ?? [];
    if (name !== undefined && !names.includes(name)) names.push(name);
  });
  return names;
}

const isPartOf = (part: string) => (name: string) => name.startsWith(`${part}-`);

describe("a first visit", () => {
  it("loads only files that playground/sizes.mjs counts, and nearly all of them", async () => {
    const { page, rows } = await playground.open();
    const names = requested(page);
    await page.reload();
    await expect.poll(() => rows.count()).toBe(12);
    await page.waitForLoadState("networkidle");
    const { stdout } = spawnSync(process.execPath, ["playground/sizes.mjs", "--counted"], { encoding: "utf8" });
    expect(stdout).toContain("index.html\n");
    const counted = stdout.split("\n").flatMap((line) => (line.startsWith("assets/") ? [line.slice(7)] : []));
    expect(names.filter((name) => !counted.includes(name))).toEqual([]);
    // The script sizes.mjs counts some small chunks that a first visit does not load: chunks that several parts of the
    // page share, and that are needed only by a part that is loaded later. The test limits the size of these chunks.
    const others = counted.filter((name) => !names.includes(name));
    const bytes = others.map((name) => statSync(`playground/dist/assets/${name}`).size);
    expect(
      bytes.reduce((sum, each) => sum + each, 0),
      others.join(),
    ).toBeLessThan(10_000);
  });
});

describe("a part that a first visit does not need", () => {
  it("is loaded when a script calls xml, and errors in its expression are marked", async () => {
    const { page, script, input, rows, result, quiet, write, run } = await playground.open();
    const names = requested(page);
    await quiet();
    await write(input, "<mill><gate>12</gate></mill>\n");
    await write(script, "add_key(level, 1)");
    await run();
    await expect.poll(() => rows.count()).toBe(1);
    expect(names.filter(isPartOf("xpath-evaluator"))).toEqual([]);
    await write(script, 'xml(_, "//gate", level)');
    await run();
    await page.getByRole("tab", { name: "Line protocol" }).click();
    await expect.poll(() => result.locator(".cm-content").innerText()).toContain('level="12"');
    expect(names.filter(isPartOf("xpath-evaluator"))).toHaveLength(1);
    await write(script, 'xml(_, "//gate[", level)');
    await expect.poll(() => page.locator(".cm-lintRange-error").count()).toBe(1);
  });

  it("is loaded when the user formats a script", async () => {
    const { page, script, quiet, write } = await playground.open();
    const names = requested(page);
    await quiet();
    await write(script, "if  true{drop()}");
    expect(names.filter(isPartOf("format-script"))).toEqual([]);
    await page.getByRole("button", { name: "Format" }).click();
    await expect.poll(() => script.innerText()).toContain("if true {");
    expect(names.filter(isPartOf("format-script"))).toHaveLength(1);
  });

  it("is loaded when an editor gets the focus: its search", async () => {
    const { page, input } = await playground.open();
    const names = requested(page);
    await input.click();
    await page.keyboard.press("ControlOrMeta+F");
    const field = page.getByRole("textbox", { name: "Find" });
    await field.waitFor();
    expect(names.filter(isPartOf("search"))).toHaveLength(1);
    await field.pressSequentially("wp-login");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator(".cm-searchMatch-selected").innerText()).toBe("wp-login");
    await page.keyboard.press("Escape");
    await expect.poll(() => field.count()).toBe(0);
  });

  it("handles a key that was pressed before the search was loaded", async () => {
    const { page, input } = await playground.open();
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/assets/search-*", async (route) => {
      await held;
      await route.continue();
    });
    await input.click();
    await page.keyboard.press("Shift+F3");
    expect(await page.getByRole("textbox", { name: "Find" }).count()).toBe(0);
    release();
    await page.getByRole("textbox", { name: "Find" }).waitFor();
  });
});
