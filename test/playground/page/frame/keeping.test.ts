// Tests when the page stores drafts (projects that the user has edited), and when it can restore an earlier draft.

import type { Page } from "playwright";
import { describe, expect, it } from "vitest";
import { emptyProject } from "../../../../playground/src/state/project.ts";
import { shareFragment } from "../../../../playground/src/state/share.ts";
import { playgroundOfTests, type TestPage } from "../support/running-page.ts";

const playground = playgroundOfTests();
const openPage = playground.open;

/** Returns the titles of the stored drafts, as the menu lists them. */
async function draftTitles({ page }: TestPage): Promise<string[]> {
  await page.getByRole("button", { name: "Drafts" }).click();
  await page.getByText("Drafts are kept in this browser").waitFor();
  const titles = await page.locator(".panel .drafts .title").allInnerTexts();
  await page.keyboard.press("Escape");
  return titles;
}

const reloaded = async (page: Page) => {
  await page.reload();
  await page.getByRole("region", { name: "Script", exact: true }).waitFor();
};

const link = `#${shareFragment({
  ...emptyProject,
  title: "Sent",
  scripts: [{ name: "sent.p", text: "add_key(sent, 1)" }],
  input: "a\n",
})}`;

describe("an opened project", () => {
  it("becomes a draft only when it is edited, and stays open after a reload", async () => {
    const opened = await openPage();
    const { page, script, write, rows } = opened;
    await expect.poll(() => rows.count()).toBe(12);
    await page.getByRole("button", { name: "Examples" }).click();
    await page.getByRole("button", { name: /^Tracing spans/ }).click();
    await expect.poll(() => rows.count()).toBe(3);
    await page.getByRole("tab", { name: "JSON", exact: true }).click();
    expect(await draftTitles(opened)).toEqual([]);
    expect(await page.locator("footer").innerText()).toContain("not edited yet");

    await reloaded(page);
    await expect.poll(() => page.getByLabel("Name of this draft").inputValue()).toBe("Tracing spans");
    await expect
      .poll(() => page.getByRole("tab", { name: "JSON", exact: true }).getAttribute("aria-selected"))
      .toBe("true");
    expect(await draftTitles(opened)).toEqual([]);

    await write(script, "add_key(mine, 1)");
    await page.getByText("draft saved").waitFor();
    expect(await draftTitles(opened)).toEqual(["Tracing spans"]);
  });

  it("from a link is not a draft, and the earlier draft is kept", async () => {
    const opened = await openPage();
    const { page, script, write } = opened;
    await write(script, "add_key(mine, 1)");
    await page.getByText("draft saved").waitFor();
    await page.evaluate((hash) => {
      location.hash = hash;
    }, link);
    await expect.poll(() => script.innerText()).toBe("add_key(sent, 1)");
    expect(await draftTitles(opened)).toEqual(["Nginx access log"]);
  });

  it("from a link of a newer version is refused, and the page shows the reason", async () => {
    const { page, rows } = await openPage({}, "#p7.abc");
    await expect.poll(() => page.locator(".toast").innerText()).toContain("The link has the form p7");
    await expect.poll(() => rows.count()).toBe(12);
  });
});

describe("a page that is still opening", () => {
  it("ignores edits until the project is open", async () => {
    const { page, script, rows } = await openPage();
    await expect.poll(() => rows.count()).toBe(12);
    const box = (await script.boundingBox())!;
    const text = await script.innerText();
    // The page opens a project only after the browser has given it the project's lock. The test delays this lock.
    await page.addInitScript(() => {
      const { locks } = navigator;
      const request = locks.request.bind(locks) as (...args: unknown[]) => Promise<unknown>;
      const free = new Promise<void>((resolve) => {
        (globalThis as unknown as { openNow: () => void }).openNow = resolve;
      });
      locks.request = ((...args: unknown[]) => free.then(() => request(...args))) as typeof locks.request;
    });
    await page.reload();
    const shown = page.locator(".cm-content").first();
    await shown.waitFor();
    await page.mouse.click(box.x + 60, box.y + 20);
    await page.keyboard.insertText("lost");
    await page.keyboard.press("Alt+1");
    await page.keyboard.insertText("lost");
    expect(await shown.innerText()).not.toContain("lost");
    await page.evaluate(() => (globalThis as unknown as { openNow: () => void }).openNow());
    await expect.poll(() => script.innerText()).toBe(text);
    await page.mouse.click(box.x + 60, box.y + 20);
    await page.keyboard.insertText("kept");
    await expect.poll(() => script.innerText()).toContain("kept");
  });
});

describe("a draft", () => {
  it("is kept when the page reloads directly after an edit", async () => {
    const { page, script, write } = await openPage();
    for (let time = 0; time < 6; time++) {
      await write(script, `add_key(time, ${time})`);
      await reloaded(page);
      await expect.poll(() => script.innerText()).toBe(`add_key(time, ${time})`);
    }
    expect(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes("left")))).toEqual([]);
  });

  it("is found in another tab when its tab was closed directly after an edit", async () => {
    const { page, script, write } = await openPage();
    await write(script, "add_key(closed, 1)");
    const other = await page.context().newPage();
    // The call of `close` returns before the browser has left the page, so the test also waits for the event `close`.
    const closed = page.waitForEvent("close");
    await page.close({ runBeforeUnload: true });
    await closed;
    await other.goto(playground.url);
    const text = () => other.getByRole("textbox", { name: /^Script / }).innerText();
    await expect.poll(text).toBe("add_key(closed, 1)");
  });

  it("that was deleted can be brought back", async () => {
    const opened = await openPage();
    const { page, script, write } = opened;
    await page.getByLabel("Name of this draft").fill("Precious");
    await write(script, "add_key(precious, 1)");
    await page.getByText("draft saved").waitFor();
    await page.getByRole("button", { name: "Drafts" }).click();
    await page.getByRole("button", { name: /^New draft/ }).click();
    await expect.poll(() => script.innerText()).not.toContain("precious");

    await page.getByRole("button", { name: "Drafts" }).click();
    await page.getByRole("button", { name: "More for Precious" }).click();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await expect.poll(() => page.locator(".toast").innerText()).toContain("The draft Precious is deleted.");
    await page.keyboard.press("Escape");
    expect(await draftTitles(opened)).toEqual([]);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => draftTitles(opened)).toEqual(["Precious"]);
    await page.getByRole("button", { name: "Drafts" }).click();
    await page.getByRole("button", { name: /^Precious/ }).click();
    await expect.poll(() => script.innerText()).toBe("add_key(precious, 1)");
  });
});
