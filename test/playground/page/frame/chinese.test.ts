// Tests the Chinese page in Chromium: how the page chooses the language, and that no mode shows an English
// sentence.

import type { Locator, Page } from "playwright";
import { beforeAll, describe, expect, it } from "vitest";
import { emptyProject } from "../../../../playground/src/state/project.ts";
import { shareFragment } from "../../../../playground/src/state/share.ts";
import { texts } from "../../../../playground/src/text/zh/frame.ts";
import { texts as workerTexts } from "../../../../playground/src/text/zh/worker.ts";
import { makeDashboard, sendLogs, startWithPlatform } from "../support/platform-page.ts";
import { playgroundOfTests } from "../support/running-page.ts";

const playground = playgroundOfTests(startWithPlatform);
const chinese = { locale: "zh-CN" } as const;

/**
 * Returns the Chinese translation of a text in the header or in the bar of modes. When the catalogue has no
 * translation, returns the English text; the test of all texts then reports that the translation is missing.
 */
const zh = (text: string) => texts[text] ?? text;

const languageOf = (page: Page) => page.evaluate(() => document.documentElement.lang);
const current = (page: Page) => page.locator("nav [aria-current=page]").innerText();

/** Chooses a language in the settings. The page shows the names of the settings in its present language. */
async function choose(page: Page, settings: string, language: "system" | "en" | "zh"): Promise<void> {
  await page.getByRole("button", { name: settings, exact: true }).click();
  await page.getByLabel("Language · 语言").selectOption(language);
  await page.keyboard.press("Escape");
}

describe("the language of the page", () => {
  it("is the browser's until another one is chosen, and the choice is kept", async () => {
    const { page } = await playground.open(chinese);
    expect([await languageOf(page), await current(page)]).toEqual(["zh-CN", "流水线"]);
    expect(await page.title()).toBe("流水线 · Millrace 演练场");

    await choose(page, zh("Settings"), "en");
    await expect.poll(() => current(page)).toBe("Pipeline");
    expect([await languageOf(page), await page.title()]).toEqual(["en", "Pipeline · Millrace playground"]);
    await page.reload();
    await page.getByRole("region", { name: "Script", exact: true }).waitFor();
    expect([await languageOf(page), await current(page)]).toEqual(["en", "Pipeline"]);

    // A user can choose the language of the page in every mode.
    for (const digit of [2, 3, 4, 5, 6, 7, 8, 1]) {
      await page.keyboard.press(`Alt+Shift+${digit}`);
      await page.getByRole("button", { name: "Settings", exact: true }).click();
      await page.getByLabel("Language · 语言").waitFor();
      await page.keyboard.press("Escape");
    }
    await choose(page, "Settings", "system");
    await expect.poll(() => current(page)).toBe("流水线");
    await page.reload();
    await expect.poll(() => current(page)).toBe("流水线");
    expect(await languageOf(page)).toBe("zh-CN");
  });

  it.each([
    [["de-DE", "zh-TW"], "zh-CN"],
    [["de-DE", "en-GB", "zh-CN"], "en"],
    [["zh-Hans-CN", "en"], "zh-CN"],
    [["de-DE", "fr"], "en"],
  ])("for a browser with %j is %s", async (names, expected) => {
    const before = `Object.defineProperty(navigator, "languages", { get: () => ${JSON.stringify(names)} });`;
    const { page } = await playground.open({ locale: names[0]! }, "", before);
    expect(await languageOf(page)).toBe(expected);
  });

  it("also applies to texts from the workers, from their next answer on", async () => {
    const convert = { ...emptyProject.convert, form: "pb", body: "0a 0" } as const;
    const { page } = await playground.open(chinese, `#/convert/${shareFragment({ ...emptyProject, convert })}`);
    const english = "the hex text ends in the middle of a byte";
    await page.getByText(workerTexts[english]!).first().waitFor();

    await page.goto(`${playground.url}/#/pipeline`);
    await choose(page, zh("Settings"), "en");
    await page.goto(`${playground.url}/#/convert`);
    const body = page.getByRole("textbox", { name: "Body to convert" });
    await body.click();
    await page.keyboard.press("Control+A");
    await page.keyboard.type("0a 1");
    await page.getByText(english).first().waitFor();
  });
});

/** Names and samples that stay in English when the page is in Chinese. */
const allowed = [
  ...["custom object", "New York"],
  // Titles of examples, which are not translated: when an example is opened, its title becomes the name of a project.
  ...["Apache error log", "Java stack traces", "Key events", "MySQL slow log", "Nginx access log"],
  ...["Redis log", "Tracing spans", "Kubernetes JSON", "this line was cut in the mid", "An example", "all others"],
  // Names of the dashboards that come with the server, which are not translated.
  ...["Apache HTTP server", "JSON logs", "Logins over SSH"],
  // Reasons for a route in the sharding mode. They are texts of the library, which the page does not translate.
  ...["category and filter fit", "not needed"],
];

/**
 * Parts of the page that show data, samples or code, which are not translated. `.about` is the library's description of
 * a pattern.
 */
const data = "code, pre, kbd, samp, td, textarea, [lang=en], .mono, .about:is(.head *)";

/**
 * Returns the visible texts, labels, titles and placeholders of the page that have two or more English words in a row.
 * Reads the labels and the placeholder of an editor, but not its content.
 */
function englishTexts(page: Page): Promise<string[]> {
  return page.evaluate(
    ({ names, skipped }) => {
      const found = new Set<string>();
      const note = (kind: string, text: string | null) => {
        const rest = names.reduce((all, name) => all.replaceAll(name, ""), text ?? "");
        // A text with one of these characters is a log line, a query or a rule. Such a text is data, which is not
        // translated.
        if (/[=/{}[\]"`|]|::/.test(rest)) return;
        if (/[A-Za-z]{2,} [A-Za-z]{2,}/.test(rest)) found.add(`${kind}: ${text!.trim().slice(0, 160)}`);
      };
      const read = (root: Document | ShadowRoot, inEditor: boolean) => {
        for (const element of root.querySelectorAll<HTMLElement>("*")) {
          if (element.shadowRoot !== null) read(element.shadowRoot, true);
          const isShown = element.checkVisibility({ visibilityProperty: true }) || element.matches("option");
          if (!isShown || element.matches("style, script") || element.closest(skipped) !== null) continue;
          for (const name of ["aria-label", "title", "placeholder"]) note(name, element.getAttribute(name));
          if (inEditor && !element.matches(".cm-placeholder")) continue;
          for (const node of element.childNodes) if (node.nodeType === Node.TEXT_NODE) note("text", node.textContent);
        }
      };
      read(document, false);
      note("title of the page", document.title);
      return [...found];
    },
    { names: allowed, skipped: data },
  );
}

/** Waits until the texts of the page have not changed for a while, because parts of it are loaded late. */
async function settle(page: Page): Promise<void> {
  let before = "";
  await expect
    .poll(async () => {
      const text = await page.locator("body").innerText();
      const isSame = text === before;
      before = text;
      return isSame;
    })
    .toBe(true);
}

async function each(found: Locator, visit: (one: Locator) => Promise<void>): Promise<void> {
  for (const one of await found.all()) if (await one.isVisible()) await visit(one);
}

/**
 * Returns the English texts that a mode shows: when it is opened, then with its first example (if it offers examples),
 * and then in each of its tabs, menus and panels.
 */
async function englishOf(page: Page): Promise<string[]> {
  const found = new Set<string>();
  const look = async (where: string) => {
    await settle(page);
    for (const text of await englishTexts(page)) found.add(`${where}: ${text}`);
  };
  await look("as it opens");
  const shown = page.locator("main .mode:not([hidden])");
  const example = shown.locator(".start li button").first();
  if (await example.isVisible()) {
    await example.click();
    await look("with an example");
  }
  await each(shown.getByRole("tab"), async (tab) => {
    await tab.click();
    await look(`tab ${await tab.innerText()}`);
  });
  const menus = page.locator(".popover > button[aria-expanded=false]:not([aria-disabled=true])");
  // The selector finds only closed menus. So the test first notes the ids of the panels of all menus, and then finds
  // each menu by the id of its panel, even when the menu is open.
  const panels = await menus.evaluateAll((all) => all.map((menu) => menu.getAttribute("aria-controls")!));
  for (const panel of panels)
    await each(page.locator(`[aria-controls="${panel}"]`), async (button) => {
      await button.click();
      await look(`menu ${(await button.getAttribute("aria-label")) ?? (await button.innerText())}`);
      await page.keyboard.press("Escape");
    });
  return [...found];
}

describe("in Chinese", () => {
  beforeAll(async () => {
    await sendLogs(playground.url);
    await makeDashboard(playground.url, "流量", [
      { name: "请求", type: "sequence", query: "L::nginx:(count(*))[::auto]" },
    ]);
  }, 120_000);

  it.each(["Pipeline", "Grok", "Convert", "Sharding", "Query", "Explore", "Dashboards", "Connect"])(
    "the mode %s shows no English sentence",
    async (title) => {
      const { page } = await playground.open(chinese, `#/${title.toLowerCase()}`);
      expect(await page.title()).toBe(`${zh(title)} · Millrace 演练场`);
      expect(await page.locator(".purpose").innerText()).toMatch(/^[\p{sc=Han}\p{L}\p{P} ]+。$/u);
      expect(await englishOf(page)).toEqual([]);
    },
  );

  it("the help shows no English sentence", async () => {
    const { page } = await playground.open(chinese);
    await page.keyboard.press("F1");
    await page.getByRole("dialog").waitFor();
    await settle(page);
    expect(await englishTexts(page)).toEqual([]);
  });
});
