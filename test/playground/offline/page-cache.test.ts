// Tests which files the service worker of the page stores and which requests it answers, with caches and a server made
// by the test.

import { describe, expect, it } from "vitest";
import { deleteCaches, PageCache } from "../../../playground/src/offline/page-cache.ts";

const scope = "https://example.com/play/";
const html = '<script src="./assets/index-1.js"></script>';
const page = (text: string, headers: Readonly<Record<string, string>> = {}) =>
  new Response(text, { headers: { "content-type": "text/html; charset=utf-8", ...headers } });
const script = (text: string) => new Response(text, { headers: { "content-type": "text/javascript" } });

type Files = Record<string, () => Response>;

/** Makes a browser with caches in memory. Its server has `files`, by their path below the address of the page. */
function browserOf(files: Files) {
  const stored = new Map<string, Map<string, Response>>();
  const addressOf = (request: RequestInfo | URL) => (request instanceof Request ? request.url : String(request));
  const cacheOf = (entries: Map<string, Response>) =>
    ({
      match: async (request: RequestInfo | URL) => entries.get(addressOf(request))?.clone(),
      put: async (request: RequestInfo | URL, response: Response) => void entries.set(addressOf(request), response),
    }) as unknown as Cache;
  const browser = {
    files,
    tabs: 1,
    isOnline: true,
    requests: [] as string[],
    unregistered: 0,
    /** Returns the addresses of the files in each cache, relative to the address of the page. */
    kept: () => [...stored].map(([name, entries]) => [name.split(" ").at(-1), [...entries.keys()].map(short).sort()]),
    cache: (version: string, files: Readonly<Record<string, Response>>) =>
      stored.set(
        `millrace-page ${scope} ${version}`,
        new Map(Object.entries(files).map(([path, response]) => [scope + path, response])),
      ),
    around: {
      scope,
      caches: {
        open: async (name: string) => {
          const entries = stored.get(name) ?? new Map<string, Response>();
          stored.set(name, entries);
          return cacheOf(entries);
        },
        keys: async () => [...stored.keys()],
        has: async (name: string) => stored.has(name),
        delete: async (name: string) => stored.delete(name),
      },
      fetch: async (request: RequestInfo) => {
        const path = short(addressOf(request));
        browser.requests.push(path);
        if (!browser.isOnline) throw new TypeError("Failed to fetch");
        return browser.files[path]?.() ?? new Response("no", { status: 404 });
      },
      unregister: async () => {
        browser.unregistered++;
      },
      tabs: async () => browser.tabs,
    },
  };
  return browser;
}

const short = (address: string) => (address.startsWith(scope) ? address.slice(scope.length) : address);

const built: Files = {
  "": () => page(html),
  "assets/index-1.js": () => script("index"),
  "assets/mode-1.js": () => script("mode"),
  "assets/countries-1.mmdb": () => new Response("places"),
};

const pageFiles = {
  version: "v1",
  files: ["assets/index-1.js", "assets/mode-1.js"],
  large: ["assets/countries-1.mmdb"],
};

type Browser = ReturnType<typeof browserOf>;

const cacheIn = (browser: Browser) => new PageCache(pageFiles, browser.around);

/**
 * Sends a request to the service worker, and waits until all work that the request started has ended. Returns the text
 * of the answer; null when the service worker leaves the request to the browser.
 */
async function answer(cache: PageCache, path: string, init: { method?: string; mode?: string } = {}) {
  const work: Promise<unknown>[] = [];
  const { method = "GET", mode = "cors" } = init;
  const url = path.includes("://") ? path : scope + path;
  const asked = { method, mode: mode as RequestMode, url };
  const response = await cache.answer(asked, (each) => work.push(each));
  await Promise.all(work);
  return response === null ? null : response.text();
}

const opened = { mode: "navigate" };

describe("installing the service worker", () => {
  it("keeps the page and its files, except the large ones", async () => {
    const browser = browserOf(built);
    await cacheIn(browser).install();
    expect(browser.kept()).toEqual([["v1", ["", "assets/index-1.js", "assets/mode-1.js"]]]);
  });

  it.each<[what: string, files: Files, message: RegExp]>([
    ["a file is not there", { "assets/mode-1.js": () => new Response("", { status: 404 }) }, /mode-1\.js.* 404/],
    ["the server sends a page for a file", { "assets/mode-1.js": () => page("<p>") }, /mode-1\.js/],
    ["the page is of another build", { "": () => page(html.replace("-1", "-2")) }, /uses assets\/index-2\.js/],
    ["the page is no page", { "": () => script("") }, /without the file/],
  ])("fails when %s, and continues at the next attempt", async (_what, files, message) => {
    const browser = browserOf({ ...built, ...files });
    await expect(cacheIn(browser).install()).rejects.toThrow(message);
    expect(browser.kept()[0]![1]).not.toContain("");
    browser.files = built;
    browser.requests = [];
    await cacheIn(browser).install();
    expect(browser.kept()[0]![1]).toContain("");
    // Each attempt to install requests the page again, but not the files that an earlier attempt has stored.
    const has = "assets/mode-1.js" in files;
    expect(browser.requests).toEqual(has ? ["", "assets/mode-1.js"] : expect.arrayContaining([""]));
  });

  it("takes unchanged files from the cache of the build before", async () => {
    const browser = browserOf(built);
    browser.cache("v0", { "assets/mode-1.js": script("mode") });
    await cacheIn(browser).install();
    expect(browser.requests.sort()).toEqual(["", "assets/index-1.js"]);
  });
});

describe("a request", () => {
  it.each([
    ["v1/write/logging"],
    ["v1/ping"],
    ["openapi/dashboards"],
    ["metrics"],
    ["assets/index-1.js?x=1"],
    ["https://example.com/other/assets/index-1.js"],
    ["https://other.example/play/assets/index-1.js"],
  ])("for %s is left to the browser", async (path) => {
    const browser = browserOf(built);
    const cache = cacheIn(browser);
    await cache.install();
    browser.requests = [];
    expect(await answer(cache, path)).toBeNull();
    expect(browser.requests).toEqual([]);
  });

  it("that sends something, or opens another page, is left to the browser", async () => {
    const cache = cacheIn(browserOf(built));
    await cache.install();
    expect(await answer(cache, "assets/index-1.js", { method: "POST" })).toBeNull();
    expect(await answer(cache, "status", opened)).toBeNull();
  });

  it("for a file of the page is answered without a network", async () => {
    const browser = browserOf(built);
    const cache = cacheIn(browser);
    await cache.install();
    browser.isOnline = false;
    expect(await answer(cache, "assets/mode-1.js")).toBe("mode");
    expect(await answer(cache, "?from=mail", opened)).toBe(html);
    expect(await answer(cache, "index.html", opened)).toBe(html);
    await expect(answer(cache, "assets/countries-1.mmdb")).rejects.toThrow();
  });

  it("for a large file stores the file", async () => {
    const browser = browserOf(built);
    const cache = cacheIn(browser);
    await cache.install();
    expect(await answer(cache, "assets/countries-1.mmdb")).toBe("places");
    browser.isOnline = false;
    expect(await answer(cache, "assets/countries-1.mmdb")).toBe("places");
  });

  it("for a file of another build is answered from its cache or the server, and not stored", async () => {
    const browser = browserOf({ ...built, "assets/new-2.js": () => script("new") });
    browser.cache("v0", { "assets/old-0.js": script("old") });
    const cache = cacheIn(browser);
    await cache.install();
    const before = browser.kept();
    expect(await answer(cache, "assets/old-0.js")).toBe("old");
    expect(await answer(cache, "assets/new-2.js")).toBe("new");
    expect(browser.kept()).toEqual(before);
  });
});

describe("opening the page", () => {
  async function installed(): Promise<readonly [Browser, PageCache]> {
    const browser = browserOf(built);
    const cache = cacheIn(browser);
    await cache.install();
    return [browser, cache];
  }

  it("stores the latest headers when the server sends the same page", async () => {
    const [browser, cache] = await installed();
    browser.files = { "": () => page(html, { "content-security-policy": "connect-src 'self' https://a.example" }) };
    await answer(cache, "", opened);
    browser.isOnline = false;
    const response = await cache.answer({ method: "GET", mode: "navigate", url: scope }, () => {});
    expect(response!.headers.get("content-security-policy")).toContain("https://a.example");
  });

  it.each([
    ["the page of another build", () => page("<p>new</p>")],
    ["an error", () => new Response("busy", { status: 503 })],
  ])("keeps the stored page when the server returns %s", async (_what, sent) => {
    const [browser, cache] = await installed();
    browser.files = { "": sent };
    expect(await answer(cache, "", opened)).toBe(html);
    expect(await answer(cache, "", opened)).toBe(html);
    expect(browser.unregistered).toBe(0);
  });

  it("unregisters the service worker when the server no longer has the page", async () => {
    const [browser, cache] = await installed();
    browser.files = {};
    expect(await answer(cache, "", opened)).toBe(html);
    expect([browser.unregistered, browser.kept()]).toEqual([1, []]);
  });
});

describe("a new build", () => {
  it.each([
    [1, ["v1"]],
    [2, ["v0", "v1"]],
  ])("deletes older caches, but keeps the previous one for a second tab: %d tabs", async (tabs, kept) => {
    const browser = browserOf(built);
    for (const version of ["v-2", "v-1", "v0"]) browser.cache(version, {});
    browser.tabs = tabs;
    const cache = cacheIn(browser);
    await cache.install();
    await cache.activate();
    expect(browser.kept().map(([version]) => version)).toEqual(kept);
  });

  it("leaves the caches of other pages of the origin", async () => {
    const browser = browserOf(built);
    await browser.around.caches.open("millrace-page https://example.com/ v9");
    await browser.around.caches.open("other");
    const cache = cacheIn(browser);
    await cache.install();
    await cache.activate();
    await deleteCaches(browser.around.caches, scope);
    expect(await browser.around.caches.keys()).toEqual(["millrace-page https://example.com/ v9", "other"]);
  });
});
