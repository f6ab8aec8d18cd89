// The convert mode as a person uses it, in a browser.

import { readFileSync } from "node:fs";
import type { BrowserContextOptions, Locator, Page } from "playwright";
import { describe, expect, it } from "vitest";
import { playgroundOfTests, type TestPage } from "../support/running-page.ts";

const playground = playgroundOfTests();

interface ConvertPage extends TestPage {
  readonly body: Locator;
  readonly forms: Locator;
  readonly findings: Locator;
  /** The text in the status bar, such as "3 points of JSON · nothing corrected". */
  readonly status: Locator;
  card(form: string): Locator;
  tab(name: string): Promise<void>;
}

async function openPage(options: BrowserContextOptions = {}): Promise<ConvertPage> {
  const opened = await playground.open(options, "#/convert");
  const { page } = opened;
  return {
    ...opened,
    body: page.getByRole("textbox", { name: "Body to convert" }),
    forms: page.getByRole("region", { name: "Forms", exact: true }),
    findings: page.getByRole("region", { name: "Findings", exact: true }),
    status: page.locator("footer .state"),
    card: (form) => page.getByRole("article", { name: `As ${form}` }),
    tab: (name) => page.getByRole("tab", { name, exact: true }).click(),
  };
}

const textOf = (card: Locator) => card.locator(".cm-content").innerText();
const line = "cpu,host=web-1 load=0.71,cores=8i 1763719200000000000";

describe("a body", () => {
  it("is shown in all other forms or in one chosen form, with the sizes of all forms", async () => {
    const { body, write, status, card, tab, forms, page } = await openPage();
    await write(body, line);
    await expect.poll(() => status.innerText()).toBe("1 point of Line protocol · 1 correction");
    await page.getByLabel("category", { exact: true }).selectOption("metric");
    await expect.poll(() => status.innerText()).toBe("1 point of Line protocol · nothing corrected");
    await expect.poll(() => forms.getByRole("article").count()).toBe(3);
    expect(JSON.parse(await textOf(card("JSON")))).toEqual([
      { measurement: "cpu", tags: { host: "web-1" }, fields: { cores: 8, load: 0.71 }, time: 1763719200000000000 },
    ]);
    expect(await textOf(card("PBJSON"))).toContain('"i": "8"');
    expect(await card("Protobuf").getByRole("option").allInnerTexts()).toContainEqual(
      expect.stringMatching(/^key\s+"load"\s+string/),
    );
    await tab("Line protocol");
    await expect.poll(() => forms.getByRole("article").count()).toBe(1);
    expect(await textOf(card("Line protocol"))).toBe("cpu,host=web-1 cores=8i,load=0.71 1763719200000000000");
    const sizes = await page.getByRole("table", { name: "Sizes" }).getByRole("row").allInnerTexts();
    expect(sizes.map((row) => row.replace(/\s+/g, " ").trim())).toEqual([
      "Form Plain Gzip",
      expect.stringMatching(new RegExp(`^Body, as it came ${line.length} B \\d+ B$`)),
      expect.stringMatching(/^Line protocol 53 B \d+ B$/),
      expect.stringMatching(/^JSON \d+ B \d+ B$/),
      expect.stringMatching(/^PBJSON \d+ B \d+ B$/),
      expect.stringMatching(/^Protobuf \d+ B \d+ B$/),
    ]);
  });

  it("starts in three ways: pasted, from an example, from a file", async () => {
    const { page, body, forms, status, card } = await openPage({ permissions: ["clipboard-read", "clipboard-write"] });
    await page.evaluate(() => navigator.clipboard.writeText("pasted v=1i 1763719200"));
    await forms.getByRole("button", { name: "Paste" }).click();
    await expect.poll(() => body.innerText()).toBe("pasted v=1i 1763719200");
    await body.click();
    await page.keyboard.press("ControlOrMeta+A");
    await page.keyboard.press("Delete");
    await forms.getByRole("button", { name: /^A binary body/ }).click();
    await expect.poll(() => status.innerText()).toContain("1 point of Protobuf");
    await expect.poll(() => textOf(card("Line protocol"))).toContain("cpu,host=web-1 cores=8i,load=0.71");
    const bytes = Buffer.from("0a100a016d12050a01662801189cd685c006", "hex");
    await page.getByLabel("File to convert").setInputFiles({ name: "b.pb", mimeType: "", buffer: bytes });
    await expect.poll(() => body.innerText()).toBe("0a 10 0a 01 6d 12 05 0a 01 66 28 01 18 9c d6 85 c0 06");
    await expect.poll(() => textOf(card("Line protocol"))).toBe("m f=true 1744923420000000000");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => body.innerText()).toContain("77 65 62 2d 31");
  });

  it("can be dropped as a file; a file that is too large is refused, and the body stays", async () => {
    const { page, body, status } = await openPage();
    const drop = (name: string, size: number, text: string) =>
      page.evaluate(
        ([fileName, length, start]) => {
          const data = new DataTransfer();
          data.items.add(new File([start.padEnd(length)], fileName));
          document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
        },
        [name, size, text] as const,
      );
    await drop("a.json", 0, '[{"measurement":"m","fields":{"f":1}}]');
    await expect.poll(() => status.innerText()).toContain("1 point of JSON");
    await drop("large.lp", 2_000_000, "m f=1");
    await expect.poll(() => page.locator(".toast").innerText()).toContain("large.lp has 2.0 MB");
    expect(await body.innerText()).toContain('"measurement"');
  });
});

describe("a wrong body", () => {
  it("is marked at the wrong byte with line, column and reason, until the user corrects it", async () => {
    const { page, body, write, status, findings, forms } = await openPage();
    await write(body, "cpu load=0.5 1763719200\n  cpü,host=b load=high 1763719200\ncpu,host= load=1");
    await expect.poll(() => status.innerText()).toBe("2 errors: nothing was converted");
    await expect.poll(() => body.locator(".cm-lintRange-error").allInnerTexts()).toEqual(["high", "="]);
    const faults = findings.getByRole("listitem");
    await expect
      .poll(async () => (await faults.allInnerTexts()).map((text) => text.replace(/\s+/g, " ").trim()))
      .toEqual(["line 2, column 19 · byte 43 invalid boolean", "line 3, column 9 · byte 67 missing tag value"]);
    expect(await forms.innerText()).toContain("one error refuses the whole body");
    await faults.first().getByRole("button").click();
    await page.keyboard.press("Control+Delete");
    await page.keyboard.insertText("2");
    await expect.poll(() => status.innerText()).toBe("1 error: nothing was converted");
    await faults.first().getByRole("button").press("Enter");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.insertText("a");
    await expect.poll(() => status.innerText()).toContain("3 points of Line protocol");
  });

  it("in JSON or in hex is marked at the wrong byte, too", async () => {
    const { body, write, findings, page } = await openPage();
    await write(body, '[{"measurement":"m","fields":{"f":1}},\n {"measurement":5}]');
    await expect.poll(() => body.locator(".cm-lintRange-error").allInnerTexts()).toEqual(["5"]);
    await expect.poll(() => findings.innerText()).toContain("point 1: measurement must be a string, got a number");
    await page.getByLabel("form", { exact: true }).selectOption("pb");
    await write(body, "0a 00 08 05");
    await expect.poll(() => findings.innerText()).toContain("line 1, column 7 · byte 2");
    await expect.poll(() => body.locator(".cm-lintRange-error").allInnerTexts()).toEqual(["08 05"]);
  });
});

describe("a correction", () => {
  it("is listed with its reason, and follows the rules of the category", async () => {
    const { page, body, write, findings } = await openPage();
    await write(body, 'nginx,source=x http.status=200i,message="GET /" 1763719200');
    const shown = async () => (await findings.getByRole("listitem").allInnerTexts()).map((text) => text.split("\n"));
    await expect.poll(shown).toEqual([
      [
        "point 1 · nginx",
        "invalid field key `http.status': found `.'",
        "Points of logging have no dots in keys; each becomes an underscore. dot_in_key",
      ],
      [
        "point 1 · nginx",
        'tag key "source" disabled',
        "The store has a column of this name for logging, so the key is dropped. tag_disabled",
      ],
      [
        "point 1 · nginx",
        'add required key-value "status": "unknown"',
        "A point of logging always has this key; it came without it. add_required_kv",
      ],
    ]);
    await page.getByLabel("category", { exact: true }).selectOption("metric");
    await expect
      .poll(async () => (await shown()).map(([, , why]) => why))
      .toEqual(["A metric has no text fields and no NaN; the field is dropped. invalid_field_value_type"]);
  });
});

describe("protobuf", () => {
  it("marks the bytes of a field and the field of a byte, with the pointer and with arrow keys", async () => {
    const { page, body, write, card, tab } = await openPage();
    await page.getByLabel("category", { exact: true }).selectOption("metric");
    await write(body, line);
    await tab("Protobuf");
    const marked = async () => (await card("Protobuf").locator("[data-byte].on").allInnerTexts()).join(" ");
    const field = (name: RegExp) => card("Protobuf").getByRole("option").filter({ hasText: name }).first();
    await field(/"load"/).hover();
    await expect.poll(marked).toBe("0a 04 6c 6f 61 64");
    await card("Protobuf").locator("[data-byte]").nth(5).hover();
    await expect.poll(() => field(/"cpu"/).getAttribute("aria-selected")).toBe("true");
    await expect.poll(marked).toBe("0a 03 63 70 75");
    await card("Protobuf").getByRole("listbox").press("Home");
    await expect.poll(() => card("Protobuf").locator("[data-byte].on").count()).toBe(62);
    await page.keyboard.press("ArrowDown");
    await expect.poll(marked).toBe("0a 03 63 70 75");
  });
});

describe("an output", () => {
  it("can be saved as bytes, copied, and used as the new body", async () => {
    const { page, body, write, card, status } = await openPage({ permissions: ["clipboard-read", "clipboard-write"] });
    await page.getByLabel("category", { exact: true }).selectOption("metric");
    await write(body, line);
    await expect.poll(() => status.innerText()).toContain("1 point");
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save Protobuf" }).click();
    const download = await saved;
    expect(download.suggestedFilename()).toMatch(/\.pb$/);
    const hex = readFileSync(await download.path()).toString("hex");
    expect(hex).toMatch(/^0a3c0a03637075/);
    const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
    await card("Protobuf").getByRole("button", { name: "Hex" }).click();
    await expect.poll(async () => (await clipboard()).replace(/\s/g, "")).toBe(hex);
    await card("Protobuf").getByRole("button", { name: "Base64" }).click();
    await expect.poll(clipboard).toBe(Buffer.from(hex, "hex").toString("base64"));
    await page.getByRole("button", { name: "Copy JSON", exact: true }).click();
    await expect.poll(clipboard).toMatch(/^\[\{"measurement":"cpu",/);
    await page.getByRole("button", { name: "Use PBJSON as body" }).click();
    await expect.poll(() => status.innerText()).toContain("1 point of PBJSON");
    await expect.poll(() => body.innerText()).toMatch(/^\[\{"name":"cpu"/);
  });
});

describe("the convert mode", () => {
  const nameless = (page: Page) =>
    page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>("a, button, input, select, [role]")]
        .filter((each) => !["tablist", "status"].includes(each.getAttribute("role") ?? ""))
        .filter((each) => {
          const ids = each.getAttribute("aria-labelledby");
          const label = ids === null ? each.getAttribute("aria-label") : document.getElementById(ids)?.textContent;
          return (label ?? each.closest("label")?.textContent ?? each.textContent ?? "").trim() === "";
        })
        .map((each) => each.outerHTML.slice(0, 200)),
    );

  it("names every control, and works by the keyboard alone", async () => {
    const { page, status, body, card } = await openPage();
    expect(await nameless(page)).toEqual([]);
    await page.keyboard.press("Alt+1");
    await page.keyboard.insertText("cpu load=1i 1763719200");
    await expect.poll(() => status.innerText()).toContain("1 point");
    expect(await nameless(page)).toEqual([]);
    await page.keyboard.press("Alt+2");
    for (const form of ["Line protocol", "JSON"]) {
      await page.keyboard.press("ArrowRight");
      await card(form).waitFor();
    }
    // The Tab key moves the focus from the selected tab to the panel below the tab, and then to the buttons for the
    // converted body.
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
    for (const name of [null, "Copy JSON", "Save JSON", "Use JSON as body"]) {
      await page.keyboard.press("Tab");
      await expect.poll(focused).toBe(name);
    }
    await page.keyboard.press("Enter");
    await expect.poll(() => body.innerText()).toContain('"measurement"');
    await expect.poll(() => page.locator(".toasts[aria-live=polite]").innerText()).toContain("The body is JSON now.");
  });

  it("fits pages of every width, empty and full", async () => {
    const { page, forms } = await openPage();
    const beyond = () =>
      page.evaluate(() =>
        [
          ...document.querySelectorAll<HTMLElement>(
            "header *, nav *, main, section, section > *, footer, article *, .bar > *",
          ),
        ]
          .filter((each) => !each.classList.contains("unseen") && each.closest(".tabs") === null)
          .filter((each) => each.getBoundingClientRect().right > innerWidth + 0.5)
          .map((each) => each.outerHTML.slice(0, 200)),
      );
    for (const isFull of [false, true]) {
      for (const width of [360, 390, 768, 1024, 1440]) {
        await page.setViewportSize({ width, height: 740 });
        for (const pane of width > 860 ? [null] : ["body", "forms"]) {
          if (pane !== null) await page.getByRole("button", { name: pane, exact: true }).click();
          await expect.poll(async () => [width, pane, await beyond()]).toEqual([width, pane, []]);
        }
      }
      if (!isFull) await forms.getByRole("button", { name: /^Logs that get corrected/ }).click();
    }
  });
});
