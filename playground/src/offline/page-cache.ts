// The work of the service worker: it stores the files of one built page, and answers the requests for them. It answers
// no other request, so requests to interfaces of an agent on the same origin (`/v1`, `/metrics`) never pass through it.

/** The files of a built page, by their paths below the page's address. */
export interface PageFiles {
  /** Version of the build, as a text. Two builds with different files have different versions. */
  readonly version: string;
  /** Files that are stored as soon as the service worker is installed. */
  readonly files: readonly string[];
  /** Large files, which are stored only after the page has requested them. */
  readonly large: readonly string[];
}

/** The functions of the browser that the service worker uses. They are passed in, so that tests can replace them. */
export interface Surroundings {
  /** Address of the page, which ends with `/`. */
  readonly scope: string;
  readonly caches: Pick<CacheStorage, "open" | "keys" | "delete" | "has">;
  readonly fetch: (request: RequestInfo, init?: RequestInit) => Promise<Response>;
  /** Unregisters the service worker. The browser still runs it until the last tab with the page is closed. */
  readonly unregister: () => Promise<unknown>;
  /** Returns the number of tabs that show the page. */
  readonly tabs: () => Promise<number>;
}

/**
 * Number of files that the service worker loads at the same time. The number is small, so that the page's own
 * requests are not slowed down.
 */
const parallel = 4;

/**
 * Returns the text with which the names of all caches of a page begin. It contains the address of the page, because
 * other pages of the same origin have caches, too.
 */
export function cachePrefix(scope: string): string {
  return `millrace-page ${scope} `;
}

export class PageCache {
  private readonly page: PageFiles;
  private readonly around: Surroundings;
  private readonly name: string;
  private readonly known: ReadonlySet<string>;

  constructor(page: PageFiles, around: Surroundings) {
    this.page = page;
    this.around = around;
    this.name = cachePrefix(around.scope) + page.version;
    this.known = new Set([...page.files, ...page.large]);
  }

  /**
   * Stores the page and its files. Rejects when one of them cannot be loaded; the next attempt loads only the files
   * that are missing.
   */
  async install(): Promise<void> {
    const { scope, caches } = this.around;
    const own = await caches.open(this.name);
    // The server may have a newer or an older build than this service worker. The page of another build needs files
    // that this service worker does not know, so such a page is not stored.
    const page = await this.load(scope, { cache: "no-cache" });
    const html = await page.clone().text();
    const foreign = (html.match(/assets\/[\w.-]+/g) ?? []).find((file) => !this.known.has(file));
    if (foreign !== undefined) throw new Error(`the page belongs to another build: it uses ${foreign}`);
    const rest = this.page.files.map((file) => scope + file);
    const next = async (): Promise<void> => {
      for (let url = rest.pop(); url !== undefined; url = rest.pop()) {
        if ((await own.match(url, exact)) === undefined)
          await own.put(url, (await this.kept(url)) ?? (await this.load(url)));
      }
    };
    await Promise.all(Array.from({ length: parallel }, next));
    // The page is stored after its files, so a cache that contains the page is complete.
    await own.put(scope, page);
  }

  /**
   * Deletes the caches of older builds. Keeps the newest of these caches while several tabs show the page: a tab
   * that was opened before the update may still load parts of the older page.
   */
  async activate(): Promise<void> {
    const others = (await this.names()).filter((name) => name !== this.name);
    if ((await this.around.tabs()) > 1) others.pop();
    await Promise.all(others.map((name) => this.around.caches.delete(name)));
  }

  /**
   * Returns the answer to a request; null when the request is not for the page or its files. The service worker calls
   * `afterwards` with work that continues after the answer.
   */
  answer(
    request: Pick<Request, "method" | "url" | "mode">,
    afterwards: (work: Promise<unknown>) => void,
  ): Promise<Response> | null {
    const { scope } = this.around;
    const url = new URL(request.url);
    const address = url.origin + url.pathname;
    if (request.method !== "GET" || !address.startsWith(scope)) return null;
    const file = address.slice(scope.length);
    if (request.mode === "navigate")
      return file === "" || file === "index.html" ? this.openPage(request.url, afterwards) : null;
    return file.startsWith("assets/") && url.search === "" ? this.file(address, this.known.has(file)) : null;
  }

  private async openPage(url: string, afterwards: (work: Promise<unknown>) => void): Promise<Response> {
    const page = await (await this.own())?.match(this.around.scope, exact);
    if (page === undefined) return this.around.fetch(url);
    afterwards(this.refresh(page.clone()));
    return page;
  }

  /**
   * Requests the page from the server again. When the server still has the same build, stores the page again,
   * because its headers may have changed (such as the list of agents that the page may call). When the server has
   * no page at this address any more, removes the service worker. Does not store the page of another build: the
   * browser itself finds the service worker of that build.
   */
  private async refresh(kept: Response): Promise<void> {
    const { scope, fetch, unregister } = this.around;
    const page = await fetch(scope, { cache: "no-cache", redirect: "manual" }).catch(() => null);
    if (page === null) return;
    if (page.status === 404 || page.status === 410) {
      await unregister();
      await deleteCaches(this.around.caches, scope);
    } else if (page.ok && (await page.clone().text()) === (await kept.text()))
      await (await this.own())?.put(scope, page);
  }

  /**
   * Returns a file of this build, or of an older build that another tab still shows. Stores only files of this build.
   */
  private async file(url: string, isOwn: boolean): Promise<Response> {
    const kept = await this.kept(url);
    if (kept !== undefined) return kept;
    if (!isOwn) return this.around.fetch(url);
    const response = await this.load(url);
    // When the user has turned the service worker off, the cache of this build no longer exists, so the file is not
    // stored.
    await (await this.own())?.put(url, response.clone()).catch(() => {});
    return response;
  }

  /**
   * Returns a file from the caches of all builds. The name of a file contains a hash of its content, so files with the
   * same name are equal.
   */
  private async kept(url: string): Promise<Response | undefined> {
    for (const name of (await this.names()).reverse()) {
      const response = await (await this.around.caches.open(name)).match(url, exact);
      if (response !== undefined) return response;
    }
    return undefined;
  }

  private async load(url: string, init?: RequestInit): Promise<Response> {
    const response = await this.around.fetch(url, init);
    // Some servers answer a request for an unknown path with the HTML page instead of the status 404. So an answer
    // in HTML is an error, unless the page itself was requested.
    const isPage = response.headers.get("content-type")?.startsWith("text/html") === true;
    if (!response.ok || response.redirected || isPage !== (url === this.around.scope))
      throw new TypeError(`${url}: the server answered ${response.status}, without the file`);
    return response;
  }

  private async own(): Promise<Cache | null> {
    const { caches } = this.around;
    return (await caches.has(this.name)) ? caches.open(this.name) : null;
  }

  private async names(): Promise<string[]> {
    const prefix = cachePrefix(this.around.scope);
    return (await this.around.caches.keys()).filter((name) => name.startsWith(prefix));
  }
}

/**
 * Options for looking a file up in a cache: ignore the header Vary. The server sets this header because it
 * compresses the content for some clients only, but the content itself is the same for all clients.
 */
const exact: CacheQueryOptions = { ignoreVary: true };

/** Deletes everything that the service worker has stored for the page at `scope`. */
export async function deleteCaches(caches: Surroundings["caches"], scope: string): Promise<void> {
  const names = (await caches.keys()).filter((name) => name.startsWith(cachePrefix(scope)));
  await Promise.all(names.map((name) => caches.delete(name)));
}
