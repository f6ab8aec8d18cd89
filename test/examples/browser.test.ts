// Tests the examples for browsers. Vite builds them, and the test uses them in Chromium as a person would.

import path from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright";
import { build } from "vite";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { bundleForBrowsers } from "../runtimes/bundle.ts";
import { launchChromium, serveSite } from "../runtimes/run.ts";
import { accessLog } from "./access-log.ts";
import { newProject, type Project } from "./project.ts";

let project: Project;
let browser: Browser | undefined;
beforeAll(async () => {
  project = newProject();
  browser = await launchChromium(process.env.CHROMIUM_PATH ?? "/usr/bin/chromium");
});
afterAll(async () => {
  await browser?.close();
  project.remove();
});

const problems: string[] = [];
let close: (() => Promise<void>) | undefined;
afterEach(async () => {
  await close?.();
  expect(problems.splice(0)).toEqual([]);
});

async function open(folder: string): Promise<Page> {
  const site = await serveSite(folder);
  const page = await browser!.newPage();
  close = async () => {
    await page.close();
    await site.stop();
  };
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => problems.push(message.text()));
  await page.goto(site.url);
  return page;
}

describe("browser-page", () => {
  let site: string;
  beforeAll(async () => {
    site = await bundleForBrowsers(project.folder, "browser-page/index.html");
  });

  it("parses log lines while the user types, and shows script errors", async () => {
    const page = await open(site);
    const cells = (): Promise<string[][]> =>
      page.locator("tr").evaluateAll((rows) => rows.map((row) => Array.from(row.children, (cell) => cell.textContent)));
    await page.locator("tbody tr").first().waitFor();
    expect(await cells()).toEqual([
      ["client", "method", "path", "seconds", "status"],
      ["10.0.0.7", "GET", "/index.html", "0.25", "unknown"],
      ["10.0.0.9", "POST", "/login", "1.5", "unknown"],
    ]);

    await page.getByLabel("Log lines").fill("10.0.0.1 PUT /a 3\nno request");
    expect(await cells()).toEqual([
      ["client", "method", "path", "seconds", "status", "message"],
      ["10.0.0.1", "PUT", "/a", "3", "unknown", ""],
      ["", "", "", "", "unknown", "no request"],
    ]);

    await page.getByLabel("Script").fill("add_key(answer, 42");
    expect(await page.getByRole("alert").textContent()).toMatch(/^page\.p:1:/);
    expect(await cells()).toEqual([[]]);

    await page.getByLabel("Script").fill("for ;; {}");
    expect(await page.getByRole("alert").textContent()).toContain("script exceeded");

    await page.getByLabel("Script").fill("add_key(answer, 42)");
    expect(await page.getByRole("alert").textContent()).toBe("");
    expect((await cells())[1]).toEqual(["42", "10.0.0.1 PUT /a 3", "unknown"]);
  });
});

describe("web-worker", () => {
  let site: string;
  beforeAll(async () => {
    site = await bundleForBrowsers(project.folder, "web-worker/index.html");
  });

  const upload = async (page: Page, text: string) => {
    // The page enables its file input only when it can process a file. So the test waits for the enabled input.
    await page.locator("input:enabled").waitFor();
    await page
      .getByLabel("Access log")
      .setInputFiles({ name: "access.log", mimeType: "text/plain", buffer: Buffer.from(text) });
  };

  it("converts a file to points and offers the points as a download", async () => {
    const page = await open(site);
    await upload(page, `${accessLog(20_000)}not a request\n`);
    const link = page.getByRole("link", { name: "points.lp" });
    await link.waitFor();
    expect(await page.getByRole("status").textContent()).toBe("20001 points: points.lp");
    expect(await page.locator("progress").evaluate((element) => (element as HTMLProgressElement).value)).toBe(1);
    const text = await link.evaluate(async (a) => (await fetch((a as HTMLAnchorElement).href)).text());
    const lines = text.trimEnd().split("\n");
    expect(lines.length).toBe(20_001);
    expect(lines.at(-1)).toMatch(/^nginx message="not a request",status="unknown" \d+$/);
    expect(lines[1]).toBe(
      'nginx client="10.0.1.1",method="GET",path="/index.html",status="unknown",status_code=404i,user="-" 1763719201000000000',
    );
  });

  it("stops when the user clicks Stop", async () => {
    const page = await open(site);
    const stop = page.getByRole("button", { name: "Stop" });
    // Code in the page clicks the button "Stop" as soon as it is enabled. If the test itself clicked, the click might
    // come only after the work has ended.
    await stop.evaluate((button) => {
      const change = new MutationObserver(() => {
        change.disconnect();
        (button as HTMLButtonElement).click();
      });
      change.observe(button, { attributes: true, attributeFilter: ["disabled"] });
    });
    await upload(page, accessLog(100_000));
    await page.getByText("stopped").waitFor();
    expect(await page.getByRole("status").textContent()).toBe("stopped");
    expect(await stop.isDisabled()).toBe(true);
    await upload(page, accessLog(10));
    await page.getByRole("link", { name: "points.lp" }).waitFor();
    expect(await page.getByRole("status").textContent()).toBe("10 points: points.lp");
  });
});

describe("service-worker", () => {
  it("answers log lines with their fields, also when the server is offline", async () => {
    const root = project.file("service-worker");
    await build({ root, logLevel: "error" });
    const site = await serveSite(path.join(root, "dist"));
    const page = await browser!.newPage();
    page.on("pageerror", (error) => problems.push(String(error)));
    await page.goto(site.url);
    const send = page.getByRole("button", { name: "Send" });
    const answer = async (lines: string): Promise<unknown> => {
      await page.getByLabel("Log lines").fill(lines);
      await page.locator("#answer").evaluate((element) => (element.textContent = ""));
      await send.click();
      await page.locator("#answer:not(:empty)").waitFor();
      return JSON.parse((await page.getByRole("status").textContent()) ?? "");
    };
    await page.locator("#send:enabled").waitFor();
    const fields = { client: "10.0.0.7", method: "GET", path: "/a", seconds: 0.25, status: "unknown" };
    expect(await answer("10.0.0.7 GET /a 0.25\nno request")).toEqual([
      fields,
      { message: "no request", status: "unknown" },
    ]);
    await site.stop();
    expect(await answer("10.0.0.7 GET /a 0.25")).toEqual([fields]);
    await page.close();
  });
});

describe("file-page", () => {
  it("counts the clients of a log file in a page that is opened from disk", async () => {
    const root = project.file("file-page");
    await build({ root, logLevel: "error" });
    const page = await browser!.newPage();
    page.on("pageerror", (error) => problems.push(String(error)));
    page.on("console", (message) => problems.push(message.text()));
    await page.goto(pathToFileURL(path.join(root, "index.html")).href);
    await page.locator("input:enabled").waitFor();
    const text = "10.0.0.7 GET /a\n10.0.0.9 GET /b\n10.0.0.7 GET /c\n-\n";
    await page
      .getByLabel("Access log")
      .setInputFiles({ name: "access.log", mimeType: "text/plain", buffer: Buffer.from(text) });
    await page.locator("#counts:not(:empty)").waitFor();
    expect((await page.getByRole("status").textContent())?.split("\n").map((line) => line.trim())).toEqual([
      "2  10.0.0.7",
      "1  10.0.0.9",
      "1  no client",
    ]);
    await page.close();
  });
});
