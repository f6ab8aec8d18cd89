// Tests the page in a browser that cannot store drafts: the browser denies storage, the database never opens,
// there is no more space, or another tab runs another version of the page. The page still works, tells the user
// once that it stores nothing and why, and loses no edit.

import { readFileSync } from "node:fs";
import type { Page } from "playwright";
import { describe, expect, it } from "vitest";
import { heardSince, recordAnnouncements } from "../support/announced.ts";
import { playgroundOfTests, type TestPage } from "../support/running-page.ts";

const playground = playgroundOfTests();
const openPage = (before?: () => void) => playground.open({ acceptDownloads: true }, "", before);

const notice = (page: Page) => page.locator(".notice [role=alert]");
const kept = ({ page }: TestPage) => page.locator("footer:visible").innerText();

/** Writes a script, and waits until the page shows the points of its run. */
async function edit(opened: TestPage, key: string): Promise<void> {
  await opened.write(opened.script, `add_key(${key}, 1)`);
  await opened.page.getByRole("columnheader", { name: key }).waitFor();
}

async function reload({ page, script }: TestPage): Promise<void> {
  await page.reload();
  await page.getByRole("region", { name: "Script", exact: true }).waitFor();
  await expect.poll(() => script.innerText()).not.toBe("");
}

describe.each<readonly [name: string, before: () => void, sentence: RegExp]>([
  [
    "that is denied",
    () =>
      Object.defineProperty(globalThis, "indexedDB", {
        get: () => {
          throw new DOMException("denied", "SecurityError");
        },
      }),
    /The browser does not let this page store anything, as in some private windows\./,
  ],
  [
    "that cannot be opened",
    () => {
      IDBFactory.prototype.open = () => {
        throw new DOMException("Internal error opening backing store.", "UnknownError");
      };
    },
    /The store of the browser does not work\. .* Internal error opening backing store\./,
  ],
  [
    "that never answers",
    () => {
      const { open } = IDBFactory.prototype;
      // The page adds listeners to the request that opens the database. In this test, adding a listener has no effect.
      // So the page never learns whether the database was opened.
      IDBFactory.prototype.open = function (...args) {
        const request = open.apply(this, args);
        request.addEventListener = () => {};
        return request;
      };
    },
    /The store of the browser does not work\. .* It does not answer\./,
  ],
  [
    "without space",
    () => {
      IDBObjectStore.prototype.put = () => {
        throw new DOMException("full", "QuotaExceededError");
      };
    },
    /The browser has no more space for this page\./,
  ],
])("a store %s", (_name, before, sentence) => {
  it("leaves a page that works, warns once, and keeps the edits after a reload", async () => {
    const opened = await openPage(before);
    const { page, script } = opened;
    await page.evaluate(recordAnnouncements);
    await edit(opened, "first");
    await expect.poll(() => notice(page).innerText()).toMatch(sentence);
    expect(await notice(page).innerText()).toMatch(/^Your edits are not kept\./);
    await expect.poll(() => kept(opened)).toContain("drafts are not kept");

    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save as zip" }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/\.zip$/);
    expect(
      readFileSync((await download.path())!)
        .subarray(0, 2)
        .toString(),
    ).toBe("PK");
    await heardSince(opened);

    await page.locator(".notice").getByRole("button", { name: "Close" }).click();
    await edit(opened, "second");
    expect((await heardSince(opened)).filter(({ text }) => text.includes("not kept"))).toEqual([]);
    expect(await notice(page).count()).toBe(0);

    await reload(opened);
    await expect.poll(() => script.innerText()).toBe("add_key(second, 1)");
    // The page could not store the edits of this draft. When the user opens another project, the page must still keep
    // these edits in memory.
    await page.getByRole("button", { name: "Drafts" }).click();
    await page.getByRole("button", { name: /^New draft/ }).click();
    await expect.poll(() => script.innerText()).not.toContain("second");
    await page.getByRole("button", { name: "Drafts" }).click();
    // The open project is empty, so the page shows buttons for its examples, and one example has the same name as
    // the draft. Therefore the test looks for the draft only in the panel of drafts.
    await page
      .locator(".popover .panel")
      .getByRole("button", { name: /^Nginx access log/ })
      .first()
      .click();
    await expect.poll(() => script.innerText()).toBe("add_key(second, 1)");
  });
});

/**
 * Opens the database of drafts in a second page of the same browser, `holder`, which does not run the
 * playground. The second page keeps the database open.
 */
async function holdStore(holder: Page, version: number, makesDrafts = false): Promise<void> {
  await holder.goto(`${playground.url}/v1/ping`);
  await holder.evaluate(
    ([wanted, makes]) =>
      new Promise<void>((resolve, reject) => {
        const request = indexedDB.open("millrace-playground", wanted);
        request.onupgradeneeded = () => {
          if (makes) request.result.createObjectStore("drafts", { keyPath: "id" });
        };
        request.onsuccess = () => {
          Object.assign(globalThis, { held: request.result });
          resolve();
        };
        request.onerror = () => reject(request.error);
      }),
    [version, makesDrafts] as const,
  );
}

describe("another version of the page", () => {
  it("that is older and open in another tab blocks the store until this tab is closed", async () => {
    const opened = await openPage();
    const { page } = opened;
    await edit(opened, "before");
    await page.getByText("draft saved").waitFor();
    const holder = await page.context().newPage();
    await holdStore(holder, 1);
    // After a reload, this tab behaves like a newer version of the page: it opens the database with a higher version
    // number.
    await page.addInitScript(() => {
      const { open } = IDBFactory.prototype;
      IDBFactory.prototype.open = function (name) {
        const request = open.call(this, name, 2);
        // Because of the higher version number, the page creates the object stores of the database, as in an empty
        // database. The stores exist already, and creating them again would throw an error. So this function replaces
        // `createObjectStore` and returns a store that exists already.
        const create = IDBDatabase.prototype.createObjectStore;
        IDBDatabase.prototype.createObjectStore = function (...args) {
          if (this.objectStoreNames.contains(args[0])) return request.transaction!.objectStore(args[0]);
          return create.apply(this, args);
        };
        return request;
      };
    });
    await reload(opened);
    await expect.poll(() => notice(page).innerText()).toContain("Another tab holds the drafts in an older form.");
    await edit(opened, "meanwhile");
    await holder.close();
    await page.getByText("draft saved").waitFor();
    expect(await notice(page).count()).toBe(0);
    await reload(opened);
    await page.getByText("draft saved").waitFor();
    expect(await opened.script.innerText()).toBe("add_key(meanwhile, 1)");
  });

  it("that is newer gets the store after the last edit of this tab was stored", async () => {
    const opened = await openPage();
    const { page, script, write } = opened;
    await edit(opened, "before");
    await page.getByText("draft saved").waitFor();
    const holder = await page.context().newPage();
    await holder.goto(`${playground.url}/v1/ping`);
    await page.bringToFront();
    await write(script, "add_key(last, 1)");
    await holdStore(holder, 2);
    await expect.poll(() => notice(page).innerText()).toContain("Another tab runs a newer version of this page.");
    const stored = await holder.evaluate(
      () =>
        new Promise<string>((resolve) => {
          const { held } = globalThis as unknown as { held: IDBDatabase };
          const request = held.transaction("drafts").objectStore("drafts").getAll();
          request.onsuccess = () => resolve(JSON.stringify(request.result));
        }),
    );
    expect(stored).toContain("add_key(last, 1)");
  });
});

describe("a full store", () => {
  it("is tried again automatically, and stores the draft when there is space", async () => {
    const opened = await openPage(() => {
      const { put } = IDBObjectStore.prototype;
      IDBObjectStore.prototype.put = function (...args) {
        if (document.title.startsWith("Space")) return put.apply(this, args);
        throw new DOMException("full", "QuotaExceededError");
      };
    });
    const { page } = opened;
    await edit(opened, "waits");
    await notice(page).waitFor();
    await page.evaluate(() => {
      document.title = "Space";
    });
    await page.getByText("draft saved").waitFor();
    expect(await notice(page).count()).toBe(0);
  });

  it("without another place for the edits causes a warning before the page is left", async () => {
    const opened = await openPage(() => {
      const full = () => {
        throw new DOMException("full", "QuotaExceededError");
      };
      IDBObjectStore.prototype.put = full;
      Storage.prototype.setItem = full;
    });
    const { page } = opened;
    await edit(opened, "lost");
    await notice(page).waitFor();
    const asked = page.waitForEvent("dialog");
    const closing = page.close({ runBeforeUnload: true });
    const dialog = await asked;
    expect(dialog.type()).toBe("beforeunload");
    await dialog.dismiss();
    await closing;
    expect(await opened.script.innerText()).toBe("add_key(lost, 1)");
  });
});
