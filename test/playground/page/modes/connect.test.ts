// The connect mode of the page, with the agent that serves the page: listing the scripts of the agent, opening and
// saving a script, restoring the earlier file of a script, comparing answers, live points.

import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type AddressInfo, createServer } from "node:net";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { startAgent } from "../../../server/support/running-agent.ts";
import { startPlayground, type TestPage } from "../support/running-page.ts";

/** Returns a port on this machine on which no process listens. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

const port = await freePort();
const other = await startAgent({
  config: `[http_api]\nallowed_cors_origins = ["http://127.0.0.1:${port}"]\n`,
  scripts: { "logging/theirs.p": "add_key(theirs, 1)\n" },
});
const strict = await startAgent({ config: "" });
const playground = await startPlayground(() =>
  startAgent({
    config: `[http_api]\nrequest_rate_limit = 0\nplayground_agents = ["${other.url}", "${strict.url}"]\n`,
    args: ["--listen", `127.0.0.1:${port}`],
    scripts: {
      "logging/app.p":
        'grok(_, "%{WORD:level} %{GREEDYDATA:text}")\nif level == "debug" { drop() }\nuppercase(level)\n',
      "logging/broken.p": `${"add_key(a, 1)\n".repeat(200)}add_kay(b, 2)\n`,
      "metric/cpu.p": "add_key(a, 1)\n",
    },
  }),
);
afterAll(() => Promise.all([playground.close(), other.stop(), strict.stop()]));

let opened: TestPage[] = [];
afterEach(async () => {
  const faults = opened.flatMap((each) => each.faults);
  await Promise.all(opened.map((each) => each.close()));
  opened = [];
  expect(faults).toEqual([]);
});

/** Opens the connect mode. The project in the page is the first example, which has a script nginx.p. */
async function open(options = {}): Promise<TestPage & { readonly tab: (name: string) => Promise<void> }> {
  const test = await playground.open(options, "#/connect");
  opened.push(test);
  await test.page.getByRole("button", { name: /^app\.p/ }).waitFor();
  const tabs = test.page.getByRole("tablist", { name: "What to see of the agent" });
  return { ...test, tab: (name) => tabs.getByRole("tab", { name }).click() };
}

const write = async (body: string, source = "app") => {
  const { status } = await fetch(`${playground.url}/v1/write/logging?source=${source}`, { method: "POST", body });
  expect(status).toBe(200);
};
const contentOf = async (name: string) => {
  const answer = await (await fetch(`${playground.url}/v1/pipeline/scripts`)).json();
  const { scripts } = (answer as { content: { scripts: { name: string; content: string }[] } }).content;
  return scripts.find((each) => each.name === name)?.content;
};
const panel = (page: Page) => page.getByRole("tabpanel");
const choose = (page: Page, name: string) => page.getByRole("button", { name: new RegExp(`^${name}`) }).click();

describe("the scripts of the agent", () => {
  it("are listed by category with origin and errors, local scripts first", async () => {
    const { page } = await open();
    const list = page.getByRole("list", { name: "logging" }).getByRole("listitem");
    const texts = (await list.allInnerTexts()).map((text) => text.replace(/\s+/g, " "));
    expect(texts.slice(0, 2)).toEqual([expect.stringMatching(/^app\.p .*local$/), "broken.p error local"]);
    expect(texts).toContain("nginx.p ready");
    expect(await page.getByRole("list", { name: "metric" }).innerText()).toContain("cpu.p");
    await expect
      .poll(() => page.locator("footer").getByRole("status").innerText())
      .toMatch(/version .* scripts · 1 with an error/);
  });

  it("show errors at their place, and a script with an error is selected first", async () => {
    const { page } = await open();
    await expect.poll(() => panel(page).innerText()).toContain("logging/broken.p");
    // The editor draws only the visible lines. The error is far below them, so its underline is not drawn yet.
    const marked = panel(page).locator(".cm-lintRange-error");
    expect(await marked.count()).toBe(0);
    await panel(page)
      .getByRole("button", { name: /line 201/ })
      .click();
    await expect.poll(() => marked.count()).toBe(1);
    expect(await marked.innerText()).toContain("add_kay");
  });

  it("are found by a part of their name", async () => {
    const { page } = await open();
    await page.getByLabel("Search the scripts").fill("NGIN");
    await expect
      .poll(() => page.getByRole("region", { name: "Scripts of the agent" }).getByRole("listitem").count())
      .toBe(1);
    await page.getByLabel("Search the scripts").fill("nothing");
    await page.getByText("No script has this name.").waitFor();
  });

  it("open in the pipeline mode as the script that runs, and this can be undone", async () => {
    const { page, script } = await open();
    await choose(page, "app.p");
    await page.getByRole("button", { name: "Open in Pipeline" }).click();
    await expect.poll(() => script.innerText()).toContain("uppercase(level)");
    expect(new URL(page.url()).hash).toBe("#/pipeline");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => script.innerText()).not.toContain("uppercase(level)");
  });

  it("stay listed while the agent does not answer, and the status reports each change", async () => {
    const test = await open();
    const { page } = test;
    await page.route("**/v1/pipeline/scripts", (route) => route.abort());
    await page.getByRole("button", { name: "Refresh" }).click();
    await expect
      .poll(() => page.locator("footer").getByRole("status").innerText())
      .toContain("The agent does not answer");
    expect(await page.getByRole("button", { name: /^app\.p/ }).isVisible()).toBe(true);
    await page.unroute("**/v1/pipeline/scripts");
    await page.getByRole("button", { name: "Refresh" }).click();
    await expect.poll(() => page.locator("footer").getByRole("status").innerText()).toContain("version");
    expect(test.faults.every((fault) => /Failed to load resource/.test(fault))).toBe(true);
    (test.faults as string[]).length = 0;
  });

  it("are missing on a page that no agent serves, and the page explains the reason", async () => {
    const test = await playground.open({}, "#/connect", () => {
      const fetched = globalThis.fetch;
      globalThis.fetch = (input, init) =>
        String(input).startsWith("/v1/")
          ? Promise.resolve(new Response("<html></html>", { headers: { "content-type": "text/html" } }))
          : fetched(input, init);
    });
    opened.push(test);
    await test.page.getByText("An agent serves this page with its scripts").waitFor();
  });
});

describe("saving a script", () => {
  it("shows the difference, writes the file, and can restore the earlier version", async () => {
    const { page, tab } = await open();
    await tab("Save");
    const save = page.getByRole("button", { name: "Save to the agent" });
    await panel(page).getByText("It compiles on the agent.").waitFor();
    await page.getByLabel("as", { exact: true }).fill("mine.p");
    await page.getByLabel("as", { exact: true }).press("Enter");
    await panel(page).getByText("It becomes a new file").waitFor();
    const difference = page.getByRole("group", { name: "Difference of logging/mine.p" });
    expect(await difference.locator(".removed").count()).toBe(0);
    await expect.poll(() => save.isEnabled()).toBe(true);
    await save.click();
    await panel(page).getByText("logging/mine.p is saved").waitFor();
    await expect.poll(() => contentOf("mine.p")).toContain("The combined log format of nginx");

    // Saves the script a second time. Before saving, the page must show only the changed lines as the difference.
    const { script, write: type } = opened.at(-1)!;
    await page.keyboard.press("Alt+Shift+1");
    await type(script, "add_key(second, 2)");
    await page.keyboard.press("Alt+Shift+7");
    await page.getByLabel("as", { exact: true }).fill("mine.p");
    await page.getByLabel("as", { exact: true }).press("Enter");
    await expect.poll(() => difference.locator(".added").allInnerTexts()).toEqual([expect.stringContaining("second")]);
    await expect.poll(() => save.isEnabled()).toBe(true);
    await save.click();
    await expect.poll(() => contentOf("mine.p")).toBe("add_key(second, 2)");

    await panel(page).getByRole("button", { name: "Go back to the version before" }).click();
    await panel(page).getByText("is the version before again").waitFor();
    await expect.poll(() => contentOf("mine.p")).toContain("The combined log format of nginx");
  });

  it("is refused for a script that does not compile, and the page shows the place of the error", async () => {
    const { page, tab, script, write: type } = await open();
    await page.keyboard.press("Alt+Shift+1");
    await type(script, "add_key(a, 1)\nno_such()");
    await page.keyboard.press("Alt+Shift+7");
    await tab("Save");
    await panel(page).getByText("Nothing is saved: 1 script has an error.").waitFor();
    expect(await page.getByRole("list", { name: "Errors" }).innerText()).toContain("nginx.p:2:1");
    expect(await page.getByRole("button", { name: "Save to the agent" }).isDisabled()).toBe(true);
  });

  it("under a name that leaves the folder is refused", async () => {
    const test = await open();
    const { page, tab } = test;
    await tab("Save");
    await page.getByLabel("as", { exact: true }).fill("../../escaped.p");
    await page.getByLabel("as", { exact: true }).press("Enter");
    await panel(page).getByText("the name of a script has only letters").waitFor();
    expect(await page.getByRole("button", { name: "Save to the agent" }).isDisabled()).toBe(true);
    expect(test.faults.every((fault) => /status of 400/.test(fault))).toBe(true);
    (test.faults as string[]).length = 0;
  });

  it("does not overwrite a version that someone else has saved meanwhile", async () => {
    const test = await open();
    const { page, tab } = test;
    await tab("Save");
    await page.getByLabel("as", { exact: true }).fill("cpu.p");
    await page.getByLabel("as", { exact: true }).press("Enter");
    await page.getByLabel("for points of").selectOption("metric");
    const save = page.getByRole("button", { name: "Save to the agent" });
    await expect.poll(() => save.isEnabled()).toBe(true);
    // The test blocks the requests by which the page learns that a script has changed on the agent. In real use the
    // page learns of a change only at its next request, some seconds later.
    await page.route("**/v1/pipeline/scripts", (route) =>
      route.request().method() === "GET" ? route.abort() : route.continue(),
    );
    const content = "add_key(theirs, 1)\n";
    await fetch(`${playground.url}/v1/pipeline/scripts`, {
      method: "POST",
      body: JSON.stringify({ category: "metric", name: "cpu.p", content }),
    });
    await save.click();
    await panel(page).getByText("metric/cpu.p was changed meanwhile").waitFor();
    expect(await contentOf("cpu.p")).toBe(content);
    (test.faults as string[]).length = 0;
  });
});

describe("comparing page and agent", () => {
  it("finds no difference for the points of the first example", async () => {
    const { page, tab } = await open();
    await tab("Compare");
    await page.getByRole("button", { name: "Compare with this page" }).click();
    await panel(page).getByText("12 points with nginx.p: page and agent agree on all.").waitFor();
  });

  it("shows each value that differs, as the page and as the agent computed it", async () => {
    const { page, tab, script, input, write: type } = await open();
    await page.keyboard.press("Alt+Shift+1");
    await type(input, "one\ntwo");
    await type(script, "add_key(when, timestamp())\nadd_key(same, 1.0)");
    await page.keyboard.press("Alt+Shift+7");
    await tab("Compare");
    await page.getByRole("button", { name: "Compare with this page" }).click();
    await panel(page).getByText("2 of 2 points with nginx.p differ.").waitFor();
    const rows = page.getByRole("group", { name: "Differences" }).locator("tbody tr");
    const cells = (await rows.allInnerTexts()).map((text) => text.split("\t").map((cell) => cell.trim()));
    const time = expect.stringMatching(/^\d{19} \(int\)$/);
    expect(cells).toEqual(["1 one", "2 two"].map((point) => [point, "when", time, time]));
    expect(cells.every(([, , own, agents]) => own !== agents)).toBe(true);
  });

  it("shows the reason when the script does not compile", async () => {
    const { page, tab, script, write: type } = await open();
    await page.keyboard.press("Alt+Shift+1");
    await type(script, "add_key(");
    await page.keyboard.press("Alt+Shift+7");
    await tab("Compare");
    await page.getByRole("button", { name: "Compare with this page" }).click();
    await expect.poll(() => panel(page).getByRole("status").innerText()).toMatch(/unexpected|expected|unclosed/i);
  });
});

describe("live points", () => {
  it("are shown with the changes by the script, and unfold to their values", async () => {
    const { page, tab } = await open();
    const asked = page.waitForRequest("**/v1/pipeline/live");
    await tab("Live points");
    await asked;
    await page.waitForTimeout(300);
    await write('app,host=h1 message="info a request"\napp,host=h1 message="debug a detail"');
    const points = page.getByRole("group", { name: "Live points" }).locator(".line");
    await expect.poll(() => points.filter({ hasText: "a detail" }).count()).toBe(1);
    const texts = (await points.allInnerTexts()).map((text) => text.replace(/\s+/g, " "));
    expect(texts[0]).toMatch(/logging app app\.p message=debug a detail .* dropped$/);
    expect(texts[1]).toContain("message=info a request");
    expect(texts[1]).toContain("+ level=INFO");
    await points.nth(1).click();
    const row = page.getByRole("row", { name: /^level/ });
    expect((await row.innerText()).replace(/\s+/g, " ")).toBe("level INFO string");
  });

  it("stop while the user holds them, and then continue with the points that came meanwhile", async () => {
    const { page, tab } = await open();
    await tab("Live points");
    await page.waitForTimeout(500);
    await write('app message="info first"');
    // The agent still has points of earlier tests, which the page shows, too.
    const points = page.getByRole("group", { name: "Live points" }).locator(".line");
    const first = points.filter({ hasText: "info first" });
    const second = points.filter({ hasText: "info second" });
    await expect.poll(() => first.count()).toBe(1);
    await page.getByRole("button", { name: "Hold" }).click();
    await write('app message="info second"');
    await page.getByRole("button", { name: "Go on (1 new)" }).waitFor();
    expect(await second.count()).toBe(0);
    await page.getByRole("button", { name: "Go on (1 new)" }).click();
    await expect.poll(() => second.count()).toBe(1);
    expect(await points.first().innerText()).toContain("info second");
  });

  it("are asked for only while they are shown", async () => {
    const { page, tab } = await open();
    await tab("Live points");
    await page.waitForTimeout(500);
    let asked = 0;
    page.on("request", (request) => {
      if (request.url().endsWith("/v1/pipeline/live")) asked++;
    });
    await tab("Script");
    await write('app message="info first"');
    await page.waitForTimeout(1500);
    expect(asked).toBe(0);
    await tab("Live points");
    await expect.poll(() => asked).toBeGreaterThan(0);
    await page.keyboard.press("Alt+Shift+3");
    await page.getByRole("region", { name: "Body", exact: true }).waitFor();
    const before = asked;
    await page.waitForTimeout(1500);
    expect(asked).toBe(before);
  });
});

describe("another agent", () => {
  it("is listed, compared and followed live when it allows the origin of the page", async () => {
    const { page, tab } = await open();
    await page.getByLabel("Agent", { exact: true }).selectOption(other.url);
    await page.getByRole("button", { name: /^theirs\.p/ }).waitFor();
    expect(await page.getByRole("button", { name: /^app\.p/ }).count()).toBe(0);
    await tab("Compare");
    await page.getByRole("button", { name: "Compare with this page" }).click();
    await panel(page).getByText("12 points with nginx.p: page and agent agree on all.").waitFor();
    await tab("Live points");
    await page.waitForTimeout(500);
    await other.send("/v1/write/logging?source=theirs", { body: 'x message="of the other agent"' });
    const points = page.getByRole("group", { name: "Live points" }).locator(".line");
    await expect.poll(() => points.allInnerTexts()).toEqual([expect.stringContaining("+ theirs=1")]);
    await page.getByLabel("Agent", { exact: true }).selectOption({ index: 0 });
    await page.getByRole("button", { name: /^app\.p/ }).waitFor();
  });

  it("that does not allow the page is not shown, and the page names the missing setting", async () => {
    const test = await open();
    const { page } = test;
    await page.getByLabel("Agent", { exact: true }).selectOption(strict.url);
    await panel(page).getByText("see http_api.allowed_cors_origins").waitFor();
    expect(test.faults.every((fault) => /CORS|Failed to load resource/.test(fault))).toBe(true);
    (test.faults as string[]).length = 0;
  });
});

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"];

/** Returns the WCAG rules that the page violates, each with the elements that violate it. */
async function broken(page: Page): Promise<string[]> {
  const { violations } = await page.evaluate(
    (only) =>
      (globalThis as unknown as { axe: typeof import("axe-core") }).axe.run(document, {
        runOnly: only,
        resultTypes: ["violations"],
      }) as Promise<AxeResults>,
    tags,
  );
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

it("the connect mode follows the rules of WCAG in each view, in both themes, wide and narrow", async () => {
  const { page, tab } = await open({ reducedMotion: "reduce" });
  await page.evaluate(axe);
  const found: Record<string, string[]> = {};
  const check = async (name: string) => {
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 800 });
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        const faults = await broken(page);
        if (faults.length > 0) found[`${name} ${width} ${colorScheme}`] = faults;
      }
    }
    await page.setViewportSize({ width: 1440, height: 800 });
  };
  await check("list");
  await choose(page, "broken.p");
  await check("script");
  await tab("Live points");
  await page.waitForTimeout(500);
  await write('app message="info of wcag"\napp message="debug of wcag"');
  const points = page.getByRole("group", { name: "Live points" }).locator(".line").filter({ hasText: "of wcag" });
  await expect.poll(() => points.count()).toBe(2);
  await points.nth(1).click();
  await check("live points");
  await tab("Save");
  await panel(page).getByText("It compiles on the agent.").waitFor();
  await check("save");
  await tab("Compare");
  await page.getByRole("button", { name: "Compare with this page" }).click();
  await panel(page).getByText("page and agent agree").waitFor();
  await check("compare");
  expect(found).toEqual({});
});

it("the connect mode works with the keyboard alone", async () => {
  const { page } = await open();
  await page.keyboard.press("Alt+1");
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("type"))).toBe("search");
  await page.keyboard.press("Alt+2");
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => page.getByRole("tab", { selected: true }).innerText()).toBe("Live points");
});
