// Tests the page without a network: which files it stores after the first load, that it opens and runs offline,
// and how it offers a new version. The new version comes from a server of plain files, as on a static site.

import { createReadStream } from "node:fs";
import { cp, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright";
import { describe, expect, it } from "vitest";
import { playgroundOfTests, type TestPage } from "../support/running-page.ts";

const built = fileURLToPath(new URL("../../../../playground/dist", import.meta.url));
const withWorkers = { serviceWorkers: "allow" } as const;

/** Waits until the page says that its files are stored. */
async function stored(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByText("Its files are stored.").waitFor();
  await page.keyboard.press("Escape");
}

/** Returns the addresses of the files in each cache of the page's origin. */
function cached(page: Page): Promise<string[][]> {
  return page.evaluate(async () => {
    const names = await caches.keys();
    return Promise.all(
      names.map(async (name) => (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname)),
    );
  });
}

/** Returns the errors that the page logged, without errors about the missing network, and clears the log. */
function otherFaults({ faults }: TestPage): string[] {
  return (faults as string[]).splice(0).filter((fault) => !fault.includes("ERR_INTERNET_DISCONNECTED"));
}

describe("after the first load", () => {
  const playground = playgroundOfTests();

  it("the page opens, runs scripts, and has all its modes without a network", async () => {
    const opened = await playground.open(withWorkers);
    const { page, rows, script, input, write } = opened;
    await stored(page);
    await page.context().setOffline(true);
    await page.reload();
    await expect.poll(() => rows.count()).toBe(12);
    await write(input, "<mill><gate>12</gate></mill>\n");
    // No script has used XPath yet, but the page has stored the code for XPath in advance, so it is in the cache.
    await write(script, 'xml(_, "//gate", level)');
    await expect.poll(() => rows.first().innerText()).toContain("12");
    const links = await page.getByRole("navigation", { name: "Modes" }).getByRole("link").all();
    expect(links.length).toBeGreaterThanOrEqual(7);
    for (const link of links) {
      await link.click();
      const title = await link.innerText();
      await expect.poll(() => page.title()).toBe(`${title} · Millrace playground`);
      const shown = page.locator("main .mode:not([hidden])");
      await expect.poll(async () => (await shown.innerText()).length, { message: title }).toBeGreaterThan(20);
      expect(await page.getByText("could not be loaded").count()).toBe(0);
    }
    await page.keyboard.press("Alt+Shift+1");
    await page.getByRole("button", { name: "Functions" }).click();
    await page.getByRole("combobox", { name: "Search the functions" }).waitFor();
    expect(otherFaults(opened)).toEqual([]);
  });

  it("the cache contains the page and its files, and no answer of an API", async () => {
    const opened = await playground.open(withWorkers, "#/connect");
    const { page } = opened;
    await expect.poll(async () => (await cached(page)).flat()).toContain("/");
    await page.reload();
    await page.getByRole("region", { name: "Scripts of the agent" }).waitFor();
    const asked = await page.evaluate(async () => {
      const answers = [await fetch("/v1/ping"), await fetch("/assets/none.js")];
      return answers.map(({ status }) => status);
    });
    expect(asked).toEqual([200, 404]);
    const held = (await cached(page)).flat();
    expect(held.filter((each) => each !== "/" && !each.startsWith("/assets/"))).toEqual([]);
    expect(held).not.toContain("/assets/none.js");
    // No script has asked for the country database, so it is not stored.
    expect(held.filter((each) => each.endsWith(".mmdb"))).toEqual([]);
    await page.context().setOffline(true);
    expect(await page.evaluate(() => fetch("/v1/ping").then(String, () => "no network"))).toBe("no network");
    (opened.faults as string[]).splice(0);
  });

  it("the page stores nothing when the user switches offline use off", async () => {
    const { page } = await playground.open(withWorkers);
    await stored(page);
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByLabel("Keep this page for use without a network").uncheck();
    await page.getByText("The page needs its server.").waitFor();
    const left = () =>
      page.evaluate(
        async () => (await navigator.serviceWorker.getRegistrations()).length + (await caches.keys()).length,
      );
    await expect.poll(left).toBe(0);
    await page.reload();
    await page.getByRole("button", { name: "Settings" }).click();
    const setting = page.getByLabel("Keep this page for use without a network");
    await setting.waitFor();
    expect(await setting.isChecked()).toBe(false);
    // The page enables the checkbox once it has loaded the code for the service worker. The setting is off, so this
    // code starts no service worker.
    await expect.poll(() => setting.isEnabled()).toBe(true);
    expect([await setting.isChecked(), await left()]).toEqual([false, 0]);
    await setting.check();
    await page.getByText("Its files are stored.").waitFor();
  });
});

/**
 * Starts a server of static files with a copy of the built page. The function `release` changes the files into those of
 * a newer build.
 */
async function startStaticSite() {
  const folder = await mkdtemp(path.join(tmpdir(), "millrace-site-"));
  await cp(built, folder, { recursive: true, filter: (file) => !/\.(br|gz|mmdb)$/.test(file) });
  const types: Readonly<Record<string, string>> = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
  };
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url!, "http://localhost");
    const file = path.join(folder, pathname.endsWith("/") ? `${pathname}index.html` : pathname);
    const isFile = await stat(file).then(
      (found) => found.isFile(),
      () => false,
    );
    response.statusCode = isFile ? 200 : 404;
    response.setHeader("content-type", types[path.extname(file)] ?? "text/plain");
    if (isFile) createReadStream(file).pipe(response);
    else response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    release: async (name: string) => {
      const [page, worker] = [path.join(folder, "index.html"), path.join(folder, "service-worker.js")];
      const html = await readFile(page, "utf8");
      await writeFile(
        page,
        html.replace(/<meta name="release"[^>]*>|(?=<\/head>)/, `<meta name="release" content="${name}">`),
      );
      const text = await readFile(worker, "utf8");
      expect(text).toMatch(/version:\s*[`"'][\w-]+[`"']/);
      await writeFile(worker, text.replace(/(version:\s*[`"'])[\w-]+/, `$1${name}`));
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true });
      return "";
    },
  };
}

describe("a new version", () => {
  let site: Awaited<ReturnType<typeof startStaticSite>>;
  const playground = playgroundOfTests(async () => {
    site = await startStaticSite();
    return site as unknown as Awaited<ReturnType<NonNullable<Parameters<typeof playgroundOfTests>[0]>>>;
  });

  const release = (page: Page) =>
    page.evaluate(() => document.querySelector<HTMLMetaElement>("meta[name=release]")?.content ?? "");
  const offer = (page: Page) => page.getByRole("status").filter({ hasText: "A new version of this page is ready" });

  it("is offered but not forced; after the reload, old caches are deleted and drafts are kept", async () => {
    const { page, script, write } = await playground.open(withWorkers);
    const before = await release(page);
    await write(script, "add_key(mine, 1)");
    await page.getByText("draft saved").waitFor();
    await stored(page);
    await site.release("second");
    await page.reload();
    await offer(page).waitFor();
    expect(await release(page)).toBe(before);
    expect(await cached(page)).toHaveLength(2);

    await offer(page).getByRole("button", { name: "Later" }).click();
    await expect.poll(() => offer(page).count()).toBe(0);
    expect(await release(page)).toBe(before);
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByRole("button", { name: "Reload" }).click();
    await expect.poll(() => release(page).catch(() => null)).toBe("second");
    await expect.poll(() => script.innerText()).toBe("add_key(mine, 1)");
    await expect.poll(async () => (await cached(page)).length).toBe(1);
    await page.context().setOffline(true);
    await page.reload();
    expect(await release(page)).toBe("second");
  });

  it("is loaded by each tab on its own", async () => {
    const { page } = await playground.open(withWorkers);
    await stored(page);
    const other = await page.context().newPage();
    await other.goto(`${playground.url}/`);
    await site.release("third");
    await page.reload();
    await offer(page).waitFor();
    await offer(other).waitFor();
    const before = await release(other);
    await offer(page).getByRole("button", { name: "Reload" }).click();
    await expect.poll(() => release(page).catch(() => null)).toBe("third");
    expect(await release(other)).toBe(before);
    // The other tab still shows the older version and may load further files of it. So the files of both versions stay
    // stored.
    expect(await cached(page)).toHaveLength(2);
    await offer(other).getByRole("button", { name: "Reload" }).click();
    await expect.poll(() => release(other).catch(() => null)).toBe("third");
  });
});
