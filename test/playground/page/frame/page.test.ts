// The playground page as a person uses it, in a browser.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { playgroundOfTests } from "../support/running-page.ts";

const playground = playgroundOfTests();
const openPage = playground.open;
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "millrace-playground-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a first visit", () => {
  it("shows an example with its result, and can open another example", async () => {
    const { rows, detail, page, result } = await openPage();
    await expect.poll(() => rows.count()).toBe(12);
    expect(await rows.nth(2).innerText()).toMatch(/3\s+dropped\s+nginx/);
    await expect.poll(() => detail.locator("tr.added th").allInnerTexts()).toContain("status_code");
    await expect.poll(() => page.locator("footer").innerText()).toMatch(/12 points/);

    await page.getByRole("button", { name: "Examples" }).click();
    await page.getByRole("button", { name: /^Tracing spans/ }).click();
    await expect.poll(() => rows.count()).toBe(3);
    await expect.poll(() => page.getByLabel("Category").inputValue()).toBe("tracing");
    await page.getByRole("tab", { name: "Line protocol" }).click();
    await expect
      .poll(() => result.locator(".cm-content").innerText())
      .toContain("http.client,service=shop-api,slow=yes");
  });
});

describe("writing a script", () => {
  it("marks an error at its place, removes the mark after the correction, and formats the script", async () => {
    const { page, script, write, result } = await openPage();
    await write(script, 'grok(_, "%{IP:client}")\nuppercas(client)');
    const mark = page.locator(".cm-lintRange-error");
    await expect.poll(() => mark.allInnerTexts()).toEqual(["uppercas"]);
    await expect.poll(() => page.locator("footer").innerText()).toContain("1 error");
    await expect.poll(() => result.getByRole("alert").innerText()).toContain("nginx.p:2:1");
    await result.getByRole("alert").getByRole("button").click();
    // The click on the error has moved the cursor to the misspelled function, so Ctrl+Delete deletes its name.
    await page.keyboard.press("Control+Delete");
    await expect.poll(() => script.innerText()).toContain("\n(client)");
    await write(script, "uppercase(client)");
    await expect.poll(() => page.locator("footer").innerText()).toContain("No errors");
    await expect.poll(() => mark.count()).toBe(0);

    await write(script, "if a==1{\nadd_key(b,2)\n}");
    await page.getByRole("button", { name: "Format" }).click();
    await expect
      .poll(() => script.locator(".cm-line").allInnerTexts())
      .toEqual(["if a == 1 {", "    add_key(b, 2)", "}", "\n"]);
  });

  it("reports unknown functions, and functions that are off in the playground", async () => {
    const { page, script, write, result } = await openPage();
    const tooltip = async () => (await page.locator(".cm-tooltip").allInnerTexts()).join();
    const mark = page.locator(".cm-lintRange-error");
    await write(script, "no_such_function()");
    await mark.waitFor();
    await mark.hover();
    await expect.poll(tooltip).toContain("unsupported func");
    await write(script, 'if true { r = http_request("GET", "http://example.com/") }');
    await expect.poll(() => mark.allInnerTexts()).toEqual(["http_request"]);
    await expect.poll(() => result.getByRole("alert").innerText()).toContain("http_request is off in the playground");
  });

  it("shows the hint of an error below its message in the tooltip, the list and the result", async () => {
    const { page, script, write, result, faults } = await openPage();
    await write(script, 'grok(_, "%{IP:client}")\nuppercas(client)');
    const mark = page.locator(".cm-lintRange-error");
    await expect.poll(() => mark.allInnerTexts()).toEqual(["uppercas"]);
    await mark.hover();
    const shown = "unsupported func: `uppercas`\nhint: did you mean uppercase?";
    await expect.poll(() => page.locator(".cm-tooltip .cm-diagnosticText").innerText()).toBe(shown);
    await expect.poll(() => result.getByRole("alert").innerText()).toContain(shown);
    await script.press("Control+Shift+M");
    await expect.poll(() => page.locator(".cm-panel-lint .cm-diagnosticText").innerText()).toBe(shown);
    await write(script, "uppercase(client, 1, 2)");
    await expect.poll(() => result.getByRole("alert").innerText()).not.toContain("hint:");
    expect(faults).toEqual([]);
  });

  it("completes functions, keys and patterns, and explains functions", async () => {
    const { page, script, write, rows } = await openPage();
    await expect.poll(() => rows.count()).toBe(12);
    const options = page.locator(".cm-tooltip-autocomplete li .cm-completionLabel");
    await write(script, "");
    await page.keyboard.type("group_b");
    await expect.poll(() => options.first().innerText()).toBe("group_between");
    await expect.poll(() => page.locator(".cm-completionInfo").innerText()).toContain("group_between(key, between");
    await write(script, "");
    await page.keyboard.type("status_c");
    await expect.poll(() => options.allInnerTexts()).toContain("status_code");
    await write(script, "");
    await page.keyboard.type('grok(_, "%{IPOR');
    await expect.poll(() => options.first().innerText()).toBe("IPORHOST");
    await page.keyboard.press("Escape");
    await write(script, "uppercase(client)");
    await page.getByText("uppercase", { exact: true }).first().hover();
    await expect
      .poll(() => page.locator(".cm-tooltip-hover").innerText())
      .toContain("Turns the text of a key to upper case");
  });

  it("calls another script, and shows an error with its position in both scripts", async () => {
    const { page, script, write, detail, quiet, run } = await openPage();
    await quiet();
    await write(script, 'use("script-2.p")');
    await page.getByRole("button", { name: "Add a script" }).click();
    await write(script, "x = 0\ny = 5 / x");
    await run();
    await expect
      .poll(() => detail.getByRole("alert").innerText())
      .toMatch(/at script-2\.p:2:\d+\s+called from nginx\.p:1:1/);
    await detail.getByRole("alert").getByRole("button", { name: /nginx/ }).click();
    await expect.poll(() => script.getAttribute("aria-label")).toBe("Script nginx.p");
  });
});

describe("the countries of IP addresses", () => {
  const database = /geo-whois-asn-country-[\w-]+\.mmdb$/;

  it("are loaded only when a script calls geoip, directly or through another script", async () => {
    const { page, script, input, rows, detail, write, run } = await openPage();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await write(input, "1.1.1.1\n10.0.0.1\n");
    await write(script, "# geoip(ip)\nset_measurement('geoip')");
    await expect.poll(() => rows.count()).toBe(2);
    await run();
    await write(script, 'add_key(ip, _)\nuse("script-2.p")');
    await page.getByRole("button", { name: "Add a script" }).click();
    const ofPlaces = () => asked.filter((url) => database.test(url) || url.includes("country-reader"));
    expect(ofPlaces()).toEqual([]);
    await write(script, "geoip(ip)");
    await expect.poll(() => detail.innerText()).toMatch(/country\s+str\s+AU/);
    await expect.poll(ofPlaces).toHaveLength(2);
    await rows.nth(1).click();
    await expect.poll(() => detail.innerText()).toContain("10.0.0.1");
    expect(await detail.innerText()).not.toContain("country");
    await run();
    expect(ofPlaces()).toHaveLength(2);
  });

  it("are left out with a reason when the database cannot be fetched; the next run tries again", async () => {
    const { page, script, input, result, rows, detail, write, run, faults } = await openPage();
    await page.route(database, (route) => route.fulfill({ status: 404, body: "no" }));
    await write(input, "1.1.1.1\n");
    await write(script, 'add_key(ip, _)\ngeoip(ip)\nadd_key(after, "yes")');
    await expect
      .poll(() => result.getByRole("alert").innerText())
      .toContain("geoip wrote nothing: the country database could not be loaded (HTTP status 404)");
    await rows.first().click();
    await expect.poll(() => detail.innerText()).toMatch(/after\s+str\s+yes/);
    expect(await detail.innerText()).not.toContain("country");
    await page.unroute(database);
    await run();
    await expect.poll(() => detail.innerText()).toMatch(/country\s+str\s+AU/);
    expect(faults.every((fault) => fault.includes("404"))).toBe(true);
    (faults as string[]).length = 0;
  });
});

describe("the result of a failed run", () => {
  it("is marked as outdated when the input cannot be read, and has no speed", async () => {
    const { page, result, input, write, rows, quiet, run } = await openPage();
    await quiet();
    const view = result.locator("#result-view");
    const speed = page.getByLabel("Speed of the last run");
    expect(await speed.innerText()).toContain("12 points");
    await page.getByLabel("Form of the input").selectOption("messages");
    const start = page.getByLabel("starts with");
    await start.fill("(");
    await expect.poll(() => start.getAttribute("aria-invalid")).toBe("true");
    await run();
    await expect.poll(() => result.getByRole("alert").innerText()).toContain("no regular expression");
    expect(await view.getAttribute("class")).toContain("stale");
    expect(await speed.count()).toBe(0);
    await start.fill("^one");
    await expect.poll(() => start.getAttribute("aria-invalid")).toBe("false");
    await write(input, "one\ntwo");
    await run();
    await expect.poll(() => rows.count()).toBe(1);
    expect(await view.getAttribute("class")).not.toContain("stale");
  });

  it("has the number of points that failed, and no speed", async () => {
    const { page, script, write, rows } = await openPage();
    await expect.poll(() => rows.count()).toBe(12);
    await write(script, "x = 0\ny = 5 / x");
    await expect.poll(() => page.locator("footer").innerText()).toContain("12 of 12 points failed");
    expect(await page.locator("footer").innerText()).not.toContain("points/s");
  });
});

describe("running a script", () => {
  it("runs on Ctrl+Enter and shows what was added, changed, removed and dropped", async () => {
    const { page, script, input, write, rows, detail, quiet } = await openPage();
    await quiet();
    await write(input, "one 1\ntwo 2\n");
    await write(
      script,
      'grok(_, "%{WORD:name} %{INT:n:int}")\nif n == 2 { drop() }\nuppercase(name)\nset_tag(kind, "a")\ndrop_key(status)\npt_kvs_del("message")',
    );
    await page.keyboard.press("Control+Enter");
    await expect.poll(() => rows.count()).toBe(2);
    await expect.poll(() => rows.nth(1).getAttribute("class")).toContain("dropped");
    await expect.poll(() => detail.locator("tr.removed th").allInnerTexts()).toEqual(["message"]);
    const added = async () =>
      (await detail.locator("tr.added").allInnerTexts()).map((text) =>
        text.replace(/\s+/g, " ").replace("+ added ", ""),
      );
    await expect.poll(added).toEqual(["name str ONE", "n int 1", "kind tag a"]);
  });

  it("shows lines that cannot be read, and moves the cursor to them", async () => {
    const { page, input, write, rows, result } = await openPage();
    await page.getByLabel("Form of the input").selectOption("lp");
    await write(input, "ok v=1i 1\nbroken\nfine v=2i 2");
    await expect.poll(() => rows.count()).toBe(3);
    await result.getByRole("button", { name: /^Errors/ }).click();
    await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringContaining("broken")]);
    await page.getByRole("button", { name: "line 2" }).click();
    await expect.poll(() => input.locator(".cm-activeLine").innerText()).toBe("broken");
  });

  it("uses the clock and the time zone that the user has set", async () => {
    const { page, script, input, write, detail } = await openPage();
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByLabel("Clock").fill("2020-02-29T12:00:00Z");
    await page.getByLabel("Time zone").fill("Asia/Kolkata");
    await page.keyboard.press("Escape");
    await write(input, "2020-02-29 18:00:00");
    await write(script, "add_key(seen, timestamp())\nadd_key(time, _)\ndefault_time(time)");
    await expect.poll(() => detail.innerText()).toContain("1582977600000000000");
    await expect.poll(() => detail.innerText()).toContain("2020-02-29 12:30:00");
  });

  it("can be stopped when the script never ends, and then runs the next script", async () => {
    const { page, script, write, result, rows, quiet, run } = await openPage();
    await quiet();
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByLabel("Steps per point").fill("0");
    await page.keyboard.press("Escape");
    await write(script, "for ;; {\n}");
    await run();
    await page.getByRole("progressbar").waitFor();
    await page.getByRole("button", { name: /^Stop/ }).click();
    await expect
      .poll(() => result.getByRole("status").innerText())
      .toMatch(/Its worker was ended and a new one has started/);
    await write(script, "add_key(again, true)");
    await run();
    await result.getByRole("columnheader", { name: /^again/ }).waitFor();
    await expect.poll(() => rows.count()).toBe(12);
    await expect.poll(() => result.getByRole("status").count()).toBe(0);
  });

  it("ends at a time limit when the page has started the run itself", async () => {
    const { page, script, write, result } = await openPage();
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByLabel("Steps per point").fill("0");
    await page.keyboard.press("Escape");
    await write(script, "for ;; {\n}");
    await expect.poll(() => result.getByRole("status").innerText()).toMatch(/Press Run to give it/);
  });

  it("reports for each point that the script exceeded the limit of steps", async () => {
    const { script, input, write, rows, detail, quiet, run } = await openPage();
    await quiet();
    await write(input, "a\nb\n");
    await write(script, "for ;; {\n}");
    await run();
    await expect.poll(() => rows.count()).toBe(2);
    await expect.poll(() => detail.getByRole("alert").innerText()).toContain("script exceeded 10000000 steps");
  });
});

describe("opening a file", () => {
  const lines = 130_000;
  const line = (at: number) =>
    `10.0.${at % 250}.7 - - [21/Nov/2025:10:00:00 +0000] "GET /item/${at} HTTP/1.1" 200 ${at} "-" "agent/1.0 (some words to fill the line)" ${"x".repeat(40)}\n`;
  let big: string;

  beforeAll(() => {
    big = path.join(folder, "big.log");
    writeFileSync(big, Array.from({ length: lines }, (_, at) => line(at)).join(""));
  });

  it("runs over a big file in pieces, can be stopped, runs to the end, and saves the whole result", async () => {
    const { page, script, write, result, rows, quiet, run } = await openPage();
    await quiet();
    await write(script, "for i = 0; i < 50000; i += 1 {\n}");
    await page.getByLabel("File to read").setInputFiles(big);
    // When a file is opened, the page runs the script only over a sample of the file and stops after a short time. The
    // button "Run all" makes the page run the script over the whole file.
    await expect.poll(() => result.getByRole("status").innerText()).toMatch(/runs that start by themselves are short/);
    await result.getByRole("button", { name: "Run all" }).click();
    const bar = page.getByRole("progressbar");
    await bar.waitFor();
    await expect.poll(async () => Number(await bar.getAttribute("aria-valuenow"))).toBeGreaterThan(0);
    // The worker is busy with the run. Meanwhile the page must still draw frames.
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    await page.keyboard.press("Escape");
    await expect.poll(() => result.getByRole("status").innerText()).toMatch(/^Stopped after [\d,]+ points\.$/);
    const stopped = Number(/[\d,]+/.exec(await result.getByRole("status").innerText())![0].replaceAll(",", ""));
    expect(stopped).toBeGreaterThan(0);
    expect(stopped).toBeLessThan(lines);

    await write(script, 'grok(_, "%{IP:client}")\nif client == "10.0.1.7" { drop() }');
    await run();
    await expect.poll(() => result.getByRole("button", { name: /^All/ }).innerText()).toContain("130,000");
    await expect.poll(() => result.getByRole("button", { name: /^Dropped/ }).innerText()).toContain("520");
    await expect.poll(() => result.innerText()).toContain("the first 1,000 are shown");
    await expect.poll(() => rows.count()).toBeLessThan(100);

    await result.getByRole("button", { name: "Save" }).click();
    const download = page.waitForEvent("download");
    await result.locator("[data-item]", { hasText: "Line protocol" }).click();
    const saved = await (await download).createReadStream();
    let newlines = 0;
    for await (const chunk of saved) for (const byte of chunk as Buffer) if (byte === 10) newlines++;
    expect(newlines).toBe(lines - 520);
  });

  it("reads gzip, and the form from the file's name", async () => {
    const { page, rows, result, script, write, quiet } = await openPage();
    await quiet();
    await write(script, "");
    const file = path.join(folder, "points.lp.gz");
    writeFileSync(file, gzipSync("cpu load=0.5 1\ncpu load=0.6 2\n"));
    await page.getByLabel("File to read").setInputFiles(file);
    await expect.poll(() => rows.count()).toBe(2);
    await expect.poll(() => page.getByLabel("Form of the input").inputValue()).toBe("lp");
    await page.getByRole("button", { name: "Back to text" }).click();
    expect(await result.count()).toBe(1);
  });

  const drop = (page: Page, name: string, content: string | number[]) =>
    page.evaluate(
      ([fileName, given]) => {
        const data = new DataTransfer();
        data.items.add(new File([typeof given === "string" ? given : Uint8Array.from(given)], fileName));
        document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
      },
      [name, content] as const,
    );

  it("inserts a small dropped file as text, and can be undone", async () => {
    const { page, input } = await openPage();
    await drop(page, "small.log", "first line\nsecond line\n");
    await expect.poll(() => input.innerText()).toContain("second line");
    await input.click();
    await page.keyboard.press("ControlOrMeta+Z");
    await expect.poll(() => input.innerText()).toContain("GET /wp-login.php");
  });

  it("begins a new draft with a file of another form", async () => {
    const { page, script, input, write } = await openPage();
    await page.getByLabel("Name of this draft").fill("Of lines");
    await write(script, "add_key(kept, true)");
    await page.getByText("draft saved").waitFor();
    await drop(page, "points.pbjson", '[{"name":"cpu","fields":[{"key":"load","f":0.5}],"time":"1"}]');
    await expect.poll(() => input.innerText()).toContain('"load"');
    expect(await page.getByLabel("Form of the input").inputValue()).toBe("json");
    expect(await script.innerText()).toBe("add_key(kept, true)");
    await page.getByRole("button", { name: "Drafts" }).click();
    await page.getByRole("button", { name: /^Of lines \d/ }).click();
    await expect.poll(() => input.innerText()).toContain("GET /wp-login.php");
  });

  it("does not change the input text when the bytes of the file are not UTF-8", async () => {
    const { page, input } = await openPage();
    await drop(page, "latin.log", [0x63, 0x61, 0x66, 0xe9, 0x0a]);
    await page.getByRole("button", { name: "Back to text" }).waitFor();
    await page.getByRole("button", { name: "Back to text" }).click();
    expect(await input.innerText()).toContain("GET /wp-login.php");
  });
});

describe("keeping a project", () => {
  it("restores the whole state from a share link", async () => {
    const first = await openPage({ permissions: ["clipboard-read", "clipboard-write"] });
    await first.write(first.script, "add_key(shared, 1)");
    await first.page.getByLabel("Form of the input").selectOption("messages");
    await first.page.getByLabel("Category").selectOption("tracing");
    await first.write(first.input, "a message\n  with two lines\nand a second: é 你好");
    await first.page.getByRole("tab", { name: "PBJSON" }).click();
    await first.page.getByRole("button", { name: /Share/ }).click();
    await expect.poll(() => first.page.locator(".toast").innerText()).toContain("Link copied");
    const link = await first.page.evaluate(() => navigator.clipboard.readText());
    expect(link.startsWith(`${playground.url}/#`)).toBe(true);

    const second = await openPage({}, new URL(link).hash);
    await expect.poll(() => second.script.innerText()).toBe("add_key(shared, 1)");
    await expect.poll(() => second.input.innerText()).toBe("a message\n  with two lines\nand a second: é 你好");
    await expect.poll(() => second.page.getByLabel("Form of the input").inputValue()).toBe("messages");
    await expect.poll(() => second.page.getByLabel("Category").inputValue()).toBe("tracing");
    await expect
      .poll(() => second.page.getByRole("tab", { name: "PBJSON" }).getAttribute("aria-selected"))
      .toBe("true");
    await expect.poll(() => second.result.locator(".cm-content").innerText()).toContain('"shared"');
  });

  it("reports a damaged link, and starts as without a link", async () => {
    const { page, rows } = await openPage({}, "#p1.not-a-project");
    await expect.poll(() => page.locator(".toast").innerText()).toContain("damaged");
    await expect.poll(() => rows.count()).toBe(12);
  });

  it("keeps the draft over a reload, and lists it among the drafts", async () => {
    const { page, script, write } = await openPage();
    await write(script, "add_key(kept, true)");
    await page.getByLabel("Name of this draft").fill("My draft");
    await page.getByText("draft saved").waitFor();
    await page.reload();
    await expect.poll(() => script.innerText()).toBe("add_key(kept, true)");
    await page.getByRole("button", { name: "Drafts" }).click();
    await page.getByRole("button", { name: /^New draft/ }).click();
    await expect.poll(() => script.innerText()).not.toContain("kept");
    await page.getByRole("button", { name: "Drafts" }).click();
    await page.getByRole("button", { name: /^My draft/ }).click();
    await expect.poll(() => script.innerText()).toBe("add_key(kept, true)");

    // The test opens the page in a second tab. This tab continues with a copy of the draft that was changed last, so
    // that neither tab overwrites the draft of the other.
    await page.getByLabel("Name of this draft").fill("My first draft");
    await page.getByText("draft saved").waitFor();
    const other = await page.context().newPage();
    await other.goto(playground.url);
    const copy = other.getByRole("textbox", { name: /^Script / });
    await expect.poll(() => copy.innerText()).toBe("add_key(kept, true)");
    await write(copy, "add_key(copied, true)", other);
    await other.getByText("draft saved").waitFor();
    await page.reload();
    await expect.poll(() => script.innerText()).toBe("add_key(kept, true)");
  });
});

describe("a browser that denies storage", () => {
  it("shows a page that works without storage", async () => {
    const denied = () => {
      const throwing = {
        get: () => {
          throw new DOMException("denied", "SecurityError");
        },
      };
      for (const name of ["localStorage", "sessionStorage", "indexedDB"]) Object.defineProperty(window, name, throwing);
      LockManager.prototype.request = () => Promise.reject(new DOMException("denied", "SecurityError"));
    };
    const { page, rows } = await openPage({}, "", denied);
    await expect.poll(() => rows.count()).toBe(12);
    await page.getByRole("button", { name: "Colours: system" }).click();
    await page.getByRole("button", { name: "Colours: light" }).click();
    await page.getByRole("separator", { name: "Width of the editors" }).press("ArrowLeft");
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByLabel("Run after each change").uncheck();
    await page.keyboard.press("Escape");
    expect(await page.locator("footer").innerText()).toContain("drafts are not kept");
    await page.getByRole("button", { name: "Examples" }).click();
    await page.getByRole("button", { name: /^Tracing spans/ }).click();
    await expect.poll(() => page.getByLabel("Category").inputValue()).toBe("tracing");
  });
});

describe("the page", () => {
  it("marks the selected row for screen readers, shows scripts in tabs, and restores a removed script", async () => {
    const { page, rows, script, write } = await openPage();
    await expect.poll(() => rows.count()).toBe(12);
    const grid = page.getByRole("grid", { name: /^Points/ });
    await page.keyboard.press("Alt+3");
    await page.keyboard.press("ArrowDown");
    const active = () =>
      grid.evaluate((table) => {
        const row = document.getElementById(table.getAttribute("aria-activedescendant")!);
        return [
          table === document.activeElement,
          row?.getAttribute("aria-selected"),
          row?.getAttribute("aria-rowindex"),
        ];
      });
    await expect.poll(active).toEqual([true, "true", "3"]);

    await page.getByRole("button", { name: "Add a script" }).click();
    await write(script, "add_key(second, 2)");
    const tabs = page.getByRole("tablist", { name: "Scripts" });
    expect(await tabs.getByRole("button").count()).toBe(0);
    await page.getByRole("tabpanel", { name: "script-2.p" }).waitFor();
    await tabs.getByRole("tab", { name: "script-2.p" }).press("Delete");
    const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim());
    await expect.poll(focused).toBe("nginx.p");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(focused).toBe("script-2.p");
    await expect.poll(() => script.innerText()).toBe("add_key(second, 2)");
  });

  it("follows the system's colours until others are chosen, and keeps the choice", async () => {
    const { page } = await openPage({ colorScheme: "dark" });
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await background();
    await page.getByRole("button", { name: "Colours: system" }).click();
    await page.getByRole("button", { name: "Colours: light" }).waitFor();
    await expect.poll(background).not.toBe(dark);
    const light = await background();
    await page.reload();
    await page.getByRole("button", { name: "Colours: light" }).waitFor();
    await expect.poll(background).toBe(light);
  });

  it("is used with the keyboard alone, and every control has a name", async () => {
    const { page, rows, script, detail } = await openPage();
    await expect.poll(() => rows.count()).toBe(12);
    const nameless = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>("button, input, select, [role]")]
        .filter((each) => !["tablist", "tabpanel", "group"].includes(each.getAttribute("role") ?? ""))
        .filter((each) => {
          const label = each.getAttribute("aria-label") ?? each.closest("label")?.textContent ?? each.textContent ?? "";
          return label.trim() === "";
        })
        .map((each) => each.outerHTML),
    );
    expect(nameless).toEqual([]);

    await page.keyboard.press("Alt+1");
    await page.keyboard.press("Control+A");
    await page.keyboard.type("add_key(typed, 7)");
    await page.keyboard.press("Control+Enter");
    await expect.poll(() => detail.innerText()).toContain("typed");
    // In the editor Tab indents. The test presses Escape first, so that Tab leaves the editor.
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
    await expect.poll(() => script.innerText()).toBe("add_key(typed, 7)");
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("role"))).toBe("separator");
    await page.keyboard.press("Alt+3");
    await page.keyboard.press("End");
    await expect.poll(() => detail.innerText()).toContain("Point 12");
    await page.keyboard.press("ArrowUp");
    await expect.poll(() => detail.innerText()).toContain("Point 11");
    await page.keyboard.press("F1");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("Alt+2");
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.closest("section")?.getAttribute("aria-label")))
      .toBe("Input");
  });

  it("fits narrow pages", async () => {
    const { page } = await openPage({ viewport: { width: 390, height: 740 } });
    for (const [width, pane] of [360, 390, 768].flatMap((each) =>
      ["script", "input", "result"].map((name) => [each, name] as const),
    )) {
      await page.setViewportSize({ width, height: 740 });
      await page.getByRole("button", { name: pane, exact: true }).click();
      await page
        .getByRole("region", { name: pane.replace(/^./, (first) => first.toUpperCase()), exact: true })
        .waitFor();
      const beyond = () =>
        page.evaluate(() =>
          [...document.querySelectorAll<HTMLElement>("header *, nav *, main, section, section > *, footer, .bar > *")]
            .filter(
              (each) => !each.classList.contains("unseen") && each.getBoundingClientRect().right > innerWidth + 0.5,
            )
            .map((each) => each.outerHTML.slice(0, 200)),
        );
      await expect.poll(beyond).toEqual([]);
      await expect
        .poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth))
        .toBeLessThanOrEqual(0);
      for (const menu of ["Examples", "Drafts", "Settings", ...(pane === "result" ? ["Save"] : [])]) {
        await page.getByRole("button", { name: menu, exact: true }).click();
        await expect
          .poll(async () => {
            const box = await page.locator(".panel").boundingBox();
            return box !== null && [menu, width, box.x >= 12, box.x + box.width <= width - 12];
          })
          .toEqual([menu, width, true, true]);
        await page.keyboard.press("Escape");
      }
    }
    await page.setViewportSize({ width: 390, height: 740 });
    const headings = async () => (await page.getByRole("heading").allInnerTexts()).map((text) => text.trim());
    await expect.poll(headings).toEqual(["Millrace", "Result"]);
  });
});
