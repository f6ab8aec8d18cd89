// Opens the built playground page, served by the real agent, in headless Chromium.

import process from "node:process";
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from "playwright";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { type AgentProcess, startAgent } from "../../../server/support/running-agent.ts";

export interface Playground {
  readonly url: string;
  /**
   * Opens the page in a new browser profile, and waits for the first pane of the mode. `before` is a function or
   * code that runs in the page before the scripts of the page. A `locale` in the options may change the language
   * of the page. In another language, the locators that search for English names find no elements.
   */
  open(options?: BrowserContextOptions, fragment?: string, before?: string | (() => void)): Promise<TestPage>;
  close(): Promise<void>;
}

/** An open page of the playground, with locators for its parts. */
export interface TestPage {
  readonly page: Page;
  /** Messages of uncaught exceptions, and of scripts or connections that the content security policy blocked. */
  readonly faults: readonly string[];
  readonly script: Locator;
  readonly input: Locator;
  readonly result: Locator;
  readonly rows: Locator;
  readonly detail: Locator;
  /** Replaces the text of an editor. The editor is in this page, or in the page `tab` if this argument is given. */
  write(editor: Locator, text: string, tab?: Page): Promise<void>;
  run(): Promise<void>;
  /** Turns live runs off, so that results come only when the test asks for them. */
  quiet(): Promise<void>;
  close(): Promise<void>;
}

/** The addresses of the modes. For each, the name of the pane that must be visible before a test begins. */
const firstPanes = {
  "#/convert": "Body",
  "#/grok": "Lines",
  "#/sharding": "Sink rules",
  "#/query": "Query",
  "#/explore": "View",
  "#/dashboards": "Dashboards",
  "#/connect": "Scripts of the agent",
};

const args = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Starts a server with the function `start`, and starts the browser that loads the page from this server. */
export async function startPlayground(
  start: () => Promise<Pick<AgentProcess, "url" | "stop">> = startAgent,
): Promise<Playground> {
  const agent = await start();
  const browser: Browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
    args,
  });
  return {
    url: agent.url,
    open: async (options = {}, fragment = "", before = undefined) => {
      // Service workers are blocked, except in the tests of the page without a network. A service worker would load all
      // parts of the page during a test, and would answer requests before `page.route` sees them.
      const alone = { serviceWorkers: "block" } as const;
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...alone, ...options });
      context.setDefaultTimeout(60_000);
      const page = await context.newPage();
      if (before !== undefined) await page.addInitScript(typeof before === "string" ? { content: before } : before);
      const faults: string[] = [];
      page.on("pageerror", (error) => faults.push(String(error)));
      page.on("console", (message) => {
        // The browser adds style attributes to text that it inserts while a user edits, and the content security policy
        // removes the attributes. The browser logs this as an error, which is expected.
        if (message.type() === "error" && !message.text().startsWith("Applying inline style"))
          faults.push(message.text());
      });
      await page.goto(`${agent.url}/${fragment}`);
      const pane = Object.entries(firstPanes).find(([mode]) => fragment.startsWith(mode))?.[1] ?? "Script";
      const region = page.getByRole("region", { name: pane, exact: true });
      await (options.locale === undefined ? region : page.locator("main .pane").first()).waitFor();
      return testPage(page, faults);
    },
    close: async () => {
      await browser.close();
      await agent.stop();
    },
  };
}

function testPage(page: Page, faults: readonly string[]): TestPage {
  const pane = (name: string) => page.getByRole("region", { name, exact: true });
  return {
    page,
    faults,
    script: page.getByRole("textbox", { name: /^Script / }),
    input: page.getByRole("textbox", { name: "Input", exact: true }),
    result: pane("Result"),
    rows: pane("Result").locator("tbody tr[aria-selected]"),
    detail: pane("The selected point"),
    write: async (editor, text, tab = page) => {
      await editor.click();
      await tab.keyboard.press("ControlOrMeta+A");
      await tab.keyboard.press("Delete");
      await tab.keyboard.insertText(text);
    },
    run: () => page.getByRole("button", { name: /^Run/ }).click(),
    quiet: async () => {
      await page.getByRole("button", { name: "Settings" }).click();
      await page.getByLabel("Run after each change").uncheck();
      await page.keyboard.press("Escape");
    },
    close: () => page.context().close(),
  };
}

/**
 * Starts the playground for the tests of a file. After each test, closes the pages that the test opened, and fails the
 * test when one of them logged an error.
 */
export function playgroundOfTests(...options: Parameters<typeof startPlayground>): Pick<Playground, "url" | "open"> {
  let playground: Playground;
  let opened: TestPage[] = [];
  beforeAll(async () => {
    playground = await startPlayground(...options);
  });
  afterEach(async () => {
    const faults = opened.flatMap((each) => each.faults);
    await Promise.all(opened.map((each) => each.close()));
    opened = [];
    expect(faults).toEqual([]);
  });
  afterAll(() => playground.close());
  return {
    get url() {
      return playground.url;
    },
    open: async (...options) => {
      const page = await playground.open(...options);
      opened.push(page);
      return page;
    },
  };
}
