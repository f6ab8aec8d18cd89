// The frame of the page: its modes, their addresses and shortcuts, and links to projects.

import { describe, expect, it } from "vitest";
import { emptyProject } from "../../../../playground/src/state/project.ts";
import { shareFragment } from "../../../../playground/src/state/share.ts";
import { playgroundOfTests, type TestPage } from "../support/running-page.ts";

const playground = playgroundOfTests();
const openPage = playground.open;

const project = {
  ...emptyProject,
  title: "Old",
  scripts: [{ name: "old.p", text: "add_key(old, 1)" }],
  input: "a line\n",
};

describe("a mode", () => {
  it("is opened by its name, its shortcut and its address, and is loaded only then", async () => {
    const { page, script, write, rows } = await openPage();
    await expect.poll(() => rows.count()).toBe(12);
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    const body = page.getByRole("region", { name: "Body", exact: true });
    const current = page.getByRole("navigation", { name: "Modes" }).locator("[aria-current=page]");
    await expect.poll(() => current.innerText()).toBe("Pipeline");
    expect(await page.locator("main").innerText()).toContain("Write a script, give it logs or points");

    await write(script, "add_key(mine, 1)");
    await page.keyboard.press("Alt+Shift+3");
    await body.waitFor();
    expect(asked.filter((path) => /Convert/.test(path))).not.toEqual([]);
    await expect.poll(() => current.innerText()).toBe("Convert");
    expect([new URL(page.url()).hash, await page.title()]).toEqual(["#/convert", "Convert · Millrace playground"]);
    expect(await page.locator("main").innerText()).toContain("Paste points in one form");
    expect(await script.isVisible()).toBe(false);
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("MAIN");

    await page.goBack();
    await expect.poll(() => script.isVisible()).toBe(true);
    expect(await body.isVisible()).toBe(false);
    // The page has kept the editor of the script while another mode was shown. So the user can still undo the last
    // change.
    await script.click();
    await page.keyboard.press("ControlOrMeta+Z");
    await page.keyboard.press("ControlOrMeta+Z");
    await expect.poll(() => script.innerText()).not.toContain("mine");

    await page.getByRole("link", { name: "Convert" }).click();
    await expect.poll(() => body.isVisible()).toBe(true);
    await page.keyboard.press("Alt+Shift+1");
    await expect.poll(() => script.isVisible()).toBe(true);
  });

  it("loads no part of another mode at a first visit", async () => {
    const asked: string[] = [];
    const { page, rows } = await openPage();
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.reload();
    await expect.poll(() => rows.count()).toBe(12);
    expect(asked.filter((path) => /Pipeline/.test(path))).not.toEqual([]);
    expect(asked.filter((path) => /[Cc]onvert-|[Gg]rok-|Help-|examples-|Convert/.test(path))).toEqual([]);
  });

  it("stays open after a reload, and an unknown mode opens the first mode", async () => {
    const { page, script } = await openPage({}, "#/convert");
    await page.reload();
    await page.getByRole("region", { name: "Body", exact: true }).waitFor();
    expect(await script.count()).toBe(0);
    await page.goto(`${playground.url}/#/nothing`);
    await script.waitFor();
  });

  it("shows an error when it cannot be loaded, and loads when the user tries again", async () => {
    const { page, faults } = await openPage();
    await page.route(/Convert-.*\.js$/, (route) => route.abort());
    await page.getByRole("link", { name: "Convert" }).click();
    await expect
      .poll(() => page.getByRole("alert").innerText())
      .toContain("Convert could not be loaded. Your text is kept.");
    await page.unroute(/Convert-.*\.js$/);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("region", { name: "Body", exact: true }).waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    expect(faults.every((fault) => /Failed to (?:load resource|fetch)/.test(fault))).toBe(true);
    (faults as string[]).length = 0;
  });
});

describe("a link to a project", () => {
  it("of an older page opens in the first mode, from any mode", async () => {
    const link = `#${shareFragment(project)}`;
    const { page, script } = await openPage({}, link);
    await expect.poll(() => script.innerText()).toBe("add_key(old, 1)");
    expect(await page.getByLabel("Name of this draft").inputValue()).toBe("Old");

    const { page: other, script: otherScript } = await openPage({}, "#/convert");
    await other.evaluate((hash) => {
      location.hash = hash;
    }, link);
    await expect.poll(() => otherScript.innerText()).toBe("add_key(old, 1)");
    await expect.poll(() => otherScript.isVisible()).toBe(true);
  });

  it("holds the mode in which it was made, and the body of the converter", async () => {
    const first = await openPage({ permissions: ["clipboard-read", "clipboard-write"] }, "#/convert");
    const body = (page: TestPage) => page.page.getByRole("textbox", { name: "Body to convert" });
    await first.write(body(first), "cpu load=1 1763719200");
    await first.page.getByRole("button", { name: "Share" }).click();
    await expect.poll(() => first.page.locator(".toast").innerText()).toContain("Link copied");
    const link = await first.page.evaluate(() => navigator.clipboard.readText());
    expect(link.startsWith(`${playground.url}/#/convert/p1.`)).toBe(true);

    const second = await openPage({}, new URL(link).hash);
    await expect.poll(() => body(second).innerText()).toBe("cpu load=1 1763719200");
    // The project of the link was in the fragment of the URL. When the user changes the body, the page removes the
    // project from the URL and keeps only the name of the mode.
    await second.write(body(second), "cpu load=2");
    await expect.poll(() => new URL(second.page.url()).hash).toBe("#/convert");
    await second.page.getByText("draft saved").waitFor();
    await second.page.reload();
    await expect.poll(() => body(second).innerText()).toBe("cpu load=2");
  });
});
