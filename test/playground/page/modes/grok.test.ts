// The grok mode as a person uses it, in a browser.

import type { BrowserContextOptions, Locator, Page } from "playwright";
import { describe, expect, it } from "vitest";
import { playgroundOfTests, type TestPage } from "../support/running-page.ts";

const playground = playgroundOfTests();

interface GrokPage extends TestPage {
  readonly expression: Locator;
  readonly lines: Locator;
  readonly details: Locator;
  /** The element with the status of the mode, for example how many lines match. */
  readonly status: Locator;
  tab(name: string | RegExp): Promise<void>;
  /** Returns the parts of the lines that are highlighted in the colour of the given capture. */
  marks(capture: string): Promise<string[]>;
  /** Moves the cursor to a line; lines are numbered from 1. */
  goTo(line: number): Promise<void>;
}

async function openPage(options: BrowserContextOptions = {}): Promise<GrokPage> {
  const opened = await playground.open(options, "#/grok");
  const { page } = opened;
  // The page shows its editors before it has loaded the project, and then replaces their text. So the test waits
  // until the page shows the name of the project.
  await expect.poll(() => page.getByLabel("Name of this draft").inputValue()).toBe("Nginx access log");
  const lines = page.getByRole("textbox", { name: "Lines to match" });
  return {
    ...opened,
    expression: page.getByRole("textbox", { name: /^(?:Grok|Regular) expression$/ }),
    lines,
    details: page.getByRole("region", { name: "Details", exact: true }),
    status: page.locator("footer .state:visible"),
    tab: (name) => page.getByRole("tab", { name, exact: true }).click(),
    marks: (capture) => lines.locator(`.capture[title="${capture}"]`).allInnerTexts(),
    goTo: async (line) => {
      await lines.click();
      await page.keyboard.press("ControlOrMeta+Home");
      for (let at = 1; at < line; at++) await page.keyboard.press("ArrowDown");
    },
  };
}

/** Returns for each row of a table the texts of its cells. */
const rowsOf = async (table: Locator) =>
  (await table.locator("tbody tr").all()).length === 0
    ? []
    : table
        .locator("tbody tr")
        .evaluateAll((rows) =>
          rows.map((row) => [...row.querySelectorAll("th, td")].map((cell) => (cell.textContent ?? "").trim())),
        );

const access = [
  '10.12.0.7 - ada "GET / HTTP/1.1" 200 5120',
  '10.12.0.9 - - "GET /app.css HTTP/1.1" 304 -',
  '203.0.113.42 - bob "POST /api/orders HTTP/2.0" 201 348',
  '198.51.100.9 - - "-" 400 0',
].join("\n");
const accessExpression =
  '^%{IPORHOST:client} - %{NOTSPACE:user} "%{WORD:method} %{NOTSPACE:path} HTTP/%{NUMBER:http}" %{INT:status:int} %{INT:bytes:int}$';

describe("an expression", () => {
  it("has one colour for each capture in expression, lines and table, and marks the pointed capture", async () => {
    const { page, expression, lines, details, write, status, marks } = await openPage();
    await write(lines, access);
    await write(expression, accessExpression);
    await expect.poll(() => status.innerText()).toBe("2 of 4 lines match");
    await expect.poll(() => marks("client")).toEqual(["10.12.0.7", "203.0.113.42"]);
    expect(await marks("path")).toEqual(["/", "/api/orders"]);

    const table = details.getByRole("table", { name: "What line 1 captures" });
    await page.keyboard.press("Alt+2");
    await page.keyboard.press("ControlOrMeta+Home");
    await expect
      .poll(() => rowsOf(table))
      .toEqual([
        ["client", "10.12.0.7", "str"],
        ["user", "ada", "str"],
        ["method", "GET", "str"],
        ["path", "/", "str"],
        ["http", "1.1", "str"],
        ["status", "200", "int"],
        ["bytes", "5120", "int"],
      ]);
    const background = (locator: Locator) => locator.evaluate((element) => getComputedStyle(element).backgroundColor);
    const inExpression = expression.locator('.capture[title="path"]');
    const inLines = lines.locator('.capture[title="path"]');
    const inTable = table.getByRole("button", { name: "path" });
    const colour = await background(inTable);
    expect(colour).not.toBe("rgba(0, 0, 0, 0)");
    expect([await background(inExpression.first()), await background(inLines.first())]).toEqual([colour, colour]);
    expect(await background(table.getByRole("button", { name: "client" }))).not.toBe(colour);

    const pointed = async () => [
      await expression.locator(".pointed").allInnerTexts(),
      await lines.locator(".pointed").allInnerTexts(),
      (await table.locator("tr.on").allInnerTexts()).map((text) => text.split(/\s/)[0]),
    ];
    await inTable.hover();
    await expect.poll(pointed).toEqual([["%{NOTSPACE:path}"], ["/", "/api/orders"], ["path"]]);
    await lines.locator('.capture[title="method"]').first().hover();
    await expect.poll(pointed).toEqual([["%{WORD:method}"], ["GET", "POST"], ["method"]]);
    await expression.locator('.capture[title="status"]').first().hover();
    await expect.poll(pointed).toEqual([["%{INT:status:int}"], ["200", "201"], ["status"]]);
    await table.getByRole("button", { name: "bytes" }).focus();
    await expect.poll(pointed).toEqual([["%{INT:bytes:int}"], ["5120", "348"], ["bytes"]]);
  });

  it("with an error shows the place and a hint, and the lines stay", async () => {
    const { page, expression, lines, write, status } = await openPage();
    await write(lines, "10.0.0.7 x");
    await write(expression, "%{IPP:client} (x");
    await expect.poll(() => expression.locator(".cm-lintRange-error").allInnerTexts()).toEqual(["%{IPP:client}"]);
    await expect
      .poll(() => page.getByRole("alert").filter({ hasText: "IPP" }).innerText())
      .toBe("no pattern found for %{IPP}. Did you mean IP?");
    expect(await status.innerText()).toBe("The expression has an error: nothing is matched");
    await expression.click();
    await write(expression, "%{IP:client} (x");
    await expect.poll(() => expression.locator(".cm-lintRange-error").allInnerTexts()).toEqual(["("]);
    await page.keyboard.insertText(")");
    await expect.poll(() => status.innerText()).toBe("1 of 1 line match");
    expect(await lines.innerText()).toBe("10.0.0.7 x");
  });

  it("completes names of patterns, and stays on one line when the user presses Enter", async () => {
    const { page, expression, write, tab } = await openPage();
    await tab("Own patterns");
    await write(page.getByRole("textbox", { name: "Own patterns" }), "PLATE [A-Z]+");
    await page.getByText("1 pattern, no errors").waitFor();
    await expression.click();
    await page.keyboard.type("%{PLA");
    await page.getByRole("option", { name: /PLATE/ }).first().waitFor();
    // The list of completions accepts keys only a moment after it has opened, so the test presses Enter several times.
    // Without an open list, Enter has no effect in this editor.
    await expect
      .poll(async () => {
        await page.keyboard.press("Enter");
        return expression.innerText();
      })
      .toBe("%{PLATE");
    await page.keyboard.type("}");
    await page.keyboard.press("Enter");
    await page.keyboard.type("x");
    await expect.poll(() => expression.innerText()).toBe("%{PLATE}x");
  });
});

describe("a line that does not match", () => {
  it("shows where the match stopped, what was expected, and a change that makes the line match", async () => {
    const { page, expression, lines, details, write, status, goTo } = await openPage();
    await write(lines, access);
    await write(expression, accessExpression);
    await expect.poll(() => status.innerText()).toBe("2 of 4 lines match");
    await goTo(2);
    await expect
      .poll(() => details.locator(".say").innerText())
      .toContain('Line 2 does not match: expected a whole number, found "-".');
    // The editor of the lines shows which part of the line matched, and where the match stopped.
    await expect
      .poll(() => lines.locator(".cm-line").nth(1).locator(".reached").allInnerTexts())
      .toEqual(['10.12.0.9 - - "GET /app.css HTTP/1.1" 304 ']);
    expect(await lines.locator(".cm-line").nth(1).locator(".stop").count()).toBe(1);
    // The editor of the expression shows the element that failed to match.
    await expect.poll(() => expression.locator(".failed").allInnerTexts()).toEqual(["%{INT:bytes:int}"]);
    const facts = await details.locator("dl").innerText();
    expect(facts.replace(/\s+/g, " ")).toBe(
      "Failed %{INT:bytes:int} for bytes Expected a whole number Found - at column 43",
    );
    const apply = details.getByRole("button", { name: /^Apply change 1:/ });
    await apply.press("Enter");
    await expect.poll(() => expression.innerText()).toContain("(?:%{INT:bytes:int}|-)$");
    await expect.poll(() => status.innerText()).toBe("3 of 4 lines match");
    await expect.poll(() => details.locator(".say").innerText()).toContain("Line 2 matches");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => expression.innerText()).toBe(accessExpression);
  });

  it("is counted, can be shown alone, and is reached with F8", async () => {
    const { page, expression, lines, write, status, details } = await openPage();
    await write(lines, access);
    await write(expression, accessExpression);
    await expect.poll(() => status.innerText()).toBe("2 of 4 lines match");
    const filter = (name: RegExp) => page.getByRole("button", { name });
    await expect.poll(() => filter(/^Unmatched/).innerText()).toMatch(/Unmatched\s*2/);
    expect(await page.locator(".state-unmatched").count()).toBe(2);
    await filter(/^Unmatched/).click();
    const shown = async () => (await lines.locator(".cm-line").allInnerTexts()).map((text) => text.slice(0, 9));
    await expect.poll(shown).toEqual(["10.12.0.9", "198.51.10"]);
    expect(await lines.locator(".hidden-lines").allInnerTexts()).toEqual(["1 line hidden", "1 line hidden"]);
    await filter(/^Matched/).click();
    await expect.poll(shown).toEqual(["10.12.0.7", "203.0.113"]);
    await filter(/^All/).click();
    const line = async () => (await details.locator(".say").innerText()).split(":")[0];
    for (const expected of ["Line 2 does not match", "Line 4 does not match", "Line 2 does not match"]) {
      await page.keyboard.press("F8");
      await expect.poll(line).toBe(expected);
    }
    await filter(/^Unmatched/).click();
    await write(expression, "^%{IP:client}");
    await expect.poll(() => status.innerText()).toBe("4 of 4 lines match");
    await expect.poll(shown).toHaveLength(4);
    await expect.poll(() => page.locator(".figures:visible").innerText()).toMatch(/^\d+(?:\.\d)? (?:ns|µs|ms) a line$/);
  });
});

describe("a suggested expression", () => {
  it("matches all lines, and is changed piece by piece by clicking on a part of a line", async () => {
    const { page, expression, lines, details, write, status, marks } = await openPage();
    await write(lines, "level=info took 12 ms by ada\nlevel=warn took 7 ms by bob");
    await page.getByRole("button", { name: "Suggest" }).click();
    await expect.poll(() => status.innerText()).toBe("2 of 2 lines match");
    await expect
      .poll(() => expression.innerText())
      .toBe("^level=%{LOGLEVEL:level} took %{INT:duration:int} ms by %{WORD:word}$");
    await expect.poll(() => marks("duration")).toEqual(["12", "7"]);
    expect(await page.locator(".toasts").innerText()).toContain("An expression for 2 lines is suggested.");

    await lines.locator('.capture[title="duration"]').first().click();
    const kind = details.getByRole("combobox", { name: "What 12 is" });
    await expect.poll(() => kind.evaluate((element) => element === document.activeElement || null)).toBe(true);
    await kind.selectOption({ label: "NUMBER: a number" });
    await expect.poll(() => expression.innerText()).toContain("%{NUMBER:duration:float}");
    const field = details.getByRole("textbox", { name: "Field of ada" });
    await field.fill("user");
    await field.press("Enter");
    await expect.poll(() => expression.innerText()).toContain("by %{WORD:user}$");
    await field.fill("duration");
    await field.press("Enter");
    await expect.poll(() => details.getByRole("alert").innerText()).toBe("Another piece is named duration already.");
    await field.fill("");
    await field.press("Enter");
    await expect.poll(() => expression.innerText()).toContain("by %{WORD}$");
    // The pieces are the parts of a suggested expression. The page also shows them in a line that the user adds after
    // the suggestion.
    await lines.click();
    await page.keyboard.press("ControlOrMeta+End");
    await page.keyboard.insertText("\nlevel=error took 900 ms by eve");
    await expect.poll(() => status.innerText()).toBe("3 of 3 lines match");
    await lines.locator('.capture[title="duration"]').nth(2).click();
    await details.getByRole("combobox", { name: "What 900 is" }).waitFor();
    // A suggested expression consists of pieces, which a tab of the page shows. An expression that the user writes has
    // no pieces.
    await write(expression, "%{INT:n}");
    await expect.poll(() => page.getByRole("tab", { name: "Pieces" }).count()).toBe(0);
  });
});

describe("patterns", () => {
  it("of the library are searched, explained and inserted at the cursor", async () => {
    const { page, expression, details, tab } = await openPage();
    await tab("Library");
    await page.getByRole("searchbox", { name: "Search the patterns" }).fill("mac address");
    const names = () => details.getByRole("listitem").locator(".name").allInnerTexts();
    await expect.poll(names).toEqual(["MAC"]);
    await details.getByRole("button", { name: /^MAC / }).press("Enter");
    await expect.poll(() => details.locator("dl").innerText()).toContain("(?:%{CISCOMAC}|%{WINDOWSMAC}|%{COMMONMAC})");
    expect(await details.locator("dl").innerText()).toContain("00:1b:44:11:3a:b7");
    await expect
      .poll(() => details.getByRole("group", { name: "Expansion of MAC" }).innerText())
      .toContain("(?:(?:[A-Fa-f0-9]{4}");
    await details.getByRole("button", { name: "Insert MAC" }).press("Enter");
    await expect.poll(() => expression.innerText()).toBe("%{MAC:mac}");
    // The name of the field is selected, so that typing replaces it.
    await page.keyboard.type("address");
    await expect.poll(() => expression.innerText()).toBe("%{MAC:address}");
    await details.getByRole("button", { name: "%{CISCOMAC}" }).click();
    await expect.poll(() => details.locator("dl").innerText()).toContain("001b.4411.3ab7");
  });

  it("of the project work in the expression, have errors at their place, and stay in the draft", async () => {
    const { page, expression, lines, write, status, tab, details } = await openPage();
    const own = page.getByRole("textbox", { name: "Own patterns" });
    await tab("Own patterns");
    await write(own, "PLATE [A-Z]+-\\d+\nCAR %{PLATE:plate} at %{INTT:speed}");
    await expect.poll(() => own.locator(".cm-lintRange-error").allInnerTexts()).toEqual(["%{INTT:speed}"]);
    const note = details.getByRole("listitem").getByRole("button");
    await expect
      .poll(() => note.innerText())
      .toMatch(/line 2, column 23\s+no pattern found for %\{INTT\}. Did you mean INT\?/);
    await note.click();
    await page.keyboard.press("Delete");
    await write(own, "PLATE [A-Z]+-\\d+\nCAR %{PLATE:plate} at %{INT:speed}");
    await page.getByText("2 patterns, no errors").waitFor();
    await write(lines, "AB-12 at 50");
    await write(expression, "%{CAR}");
    await expect.poll(() => status.innerText()).toBe("1 of 1 line match");
    await tab("Line 1");
    await expect
      .poll(() => rowsOf(details.getByRole("table")))
      .toEqual([
        ["plate", "AB-12", "str"],
        ["speed", "50", "str"],
      ]);
    await tab("Library");
    await expect.poll(() => details.getByRole("listitem").first().innerText()).toContain("PLATE");
    await page.waitForTimeout(600);
    await page.reload();
    await expect.poll(() => status.innerText()).toBe("1 of 1 line match");
    expect(await expression.innerText()).toBe("%{CAR}");
  });

  it("are imported from files in Logstash syntax, and unsupported definitions are reported", async () => {
    const { page, tab } = await openPage();
    await tab("Own patterns");
    const text = "# web\nCODE [A-Z]++\nWHO %{IP:[source][address]} %{CODE:code}\nBACK (a)\\1\n";
    await page
      .getByLabel("Pattern files to import")
      .setInputFiles({ name: "web.grok", mimeType: "text/plain", buffer: Buffer.from(text) });
    const own = page.getByRole("textbox", { name: "Own patterns" });
    await expect
      .poll(() => own.innerText())
      .toContain("CODE [A-Z]+\nWHO %{IP:source.address} %{CODE:code}\n# BACK (a)\\1");
    await expect
      .poll(() => page.locator(".toasts").innerText())
      .toContain("2 patterns of web.grok imported. 1 definition cannot be used and became comments: line 4, BACK");
    await page.getByText("2 patterns, no errors").waitFor();
  });
});

describe("a call of grok", () => {
  it("goes into the script of the pipeline with the patterns that it needs, and can be undone", async () => {
    const { page, expression, lines, write, status, script, tab, rows } = await openPage();
    await write(lines, "AB-12 fast");
    await tab("Own patterns");
    await write(page.getByRole("textbox", { name: "Own patterns" }), "PLATE [A-Z]+-\\d+");
    await write(expression, "^%{PLATE:plate} %{WORD:how}$");
    await expect.poll(() => status.innerText()).toBe("1 of 1 line match");
    await page.getByRole("button", { name: "Use in script" }).click();
    await script.waitFor();
    await expect.poll(() => new URL(page.url()).hash).toBe("#/pipeline");
    await expect.poll(() => page.locator(".toasts").innerText()).toContain("nginx.p calls grok in line 7 now.");
    await expect
      .poll(() => script.locator(".cm-activeLine").innerText())
      .toBe('grok(_, "^%{PLATE:plate} %{WORD:how}$")');
    expect(await script.innerText()).toContain('add_pattern("PLATE", """[A-Z]+-\\d+""")');
    await expect.poll(() => rows.count()).toBe(12);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => script.innerText()).not.toContain("PLATE");
  });
});

describe("a regular expression", () => {
  it("shows its groups in match, and each line after the replacement in replace", async () => {
    const { page, expression, lines, write, status, details, marks, tab, goTo } = await openPage();
    await page.getByRole("button", { name: "match", exact: true }).click();
    await write(lines, "a=1 b=2\nnothing");
    await write(expression, "(?P<key>\\w)=(\\d)");
    await expect.poll(() => status.innerText()).toBe("1 of 2 lines match");
    await goTo(1);
    await expect
      .poll(() => rowsOf(details.getByRole("table")))
      .toEqual([
        ["key", "a", "str"],
        ["2", "1", "str"],
      ]);
    await expect.poll(() => marks("key")).toEqual(["a"]);
    await page.getByRole("button", { name: "replace", exact: true }).click();
    await page.getByRole("textbox", { name: "Replace with" }).fill("$2 of ${key}");
    await expect.poll(() => marks("key")).toEqual(["a", "b"]);
    await expect.poll(() => details.getByLabel("Line after replace").innerText()).toBe("1 of a 2 of b");
    await tab("All lines");
    await expect
      .poll(async () => (await rowsOf(details.getByRole("table"))).map(([, after]) => after))
      .toEqual(["1 of a 2 of b", "nothing"]);
    await page.getByRole("button", { name: "Use in script" }).click();
    await expect
      .poll(() => page.locator(".cm-activeLine").first().innerText())
      .toBe('replace(_, """(?P<key>\\w)=(\\d)""", "$2 of ${key}")');
  });
});

describe("all lines", () => {
  it("are shown in a table that follows the filter, and a row opens its line", async () => {
    const { page, expression, lines, write, status, details, tab } = await openPage();
    await write(lines, access);
    await write(expression, "^%{IPORHOST:client} - %{NOTSPACE:user} .* %{INT:bytes:int}$");
    await expect.poll(() => status.innerText()).toBe("3 of 4 lines match");
    await tab("All lines");
    const table = details.getByRole("table");
    await expect
      .poll(() => rowsOf(table))
      .toEqual([
        ["✓1 matches", "10.12.0.7", "ada", "5120"],
        ["✗2 does not match", "–", "–", "–"],
        ["✓3 matches", "203.0.113.42", "bob", "348"],
        ["✓4 matches", "198.51.100.9", "-", "0"],
      ]);
    await page.getByRole("button", { name: /^Unmatched/ }).click();
    await expect.poll(() => rowsOf(table)).toEqual([["✗2 does not match", "–", "–", "–"]]);
    await page.getByRole("button", { name: /^All/ }).click();
    await table.getByRole("button", { name: "2 does not match" }).click();
    await tab("Line 2");
    await expect.poll(() => details.locator(".say").innerText()).toContain("Line 2 does not match");
  });

  it("are matched while the user types, and 20,000 lines do not block the page", async () => {
    const { page, expression, write, status } = await openPage();
    const many = Array.from({ length: 20_000 }, (_, at) => `10.0.${at % 250}.7 took ${at} ms`).join("\n");
    await page
      .getByLabel("File of lines", { exact: true })
      .setInputFiles({ name: "many.log", mimeType: "text/plain", buffer: Buffer.from(many) });
    await expect.poll(() => status.innerText()).toBe("20,000 lines, no expression yet");
    await write(expression, "^%{IP:client} took %{INT:ms:int} ms");
    await expect.poll(() => status.innerText()).toMatch(/^20,000 of 20,000 lines match|were matched$/);
    await page.keyboard.type("x");
    await expect.poll(() => expression.innerText()).toBe("^%{IP:client} took %{INT:ms:int} msx");
    await expect.poll(() => status.innerText()).toMatch(/^0 of /);
  });
});

describe("the empty grok mode", () => {
  it("starts from the clipboard, an example, a file, or the lines of the pipeline", async () => {
    const { page, details, lines, status, expression } = await openPage({
      permissions: ["clipboard-read", "clipboard-write"],
    });
    expect(await details.locator("h3").allInnerTexts()).toEqual(["Paste log lines", "Open an example", "Drop a file"]);
    await details.getByRole("button", { name: "Take the 12 lines of the Pipeline mode" }).click();
    await expect.poll(() => status.innerText()).toBe("12 lines, no expression yet");
    await lines.click();
    await page.keyboard.press("ControlOrMeta+A");
    await page.keyboard.press("Delete");
    await page.evaluate(() => navigator.clipboard.writeText("pasted 1\n"));
    await details.getByRole("button", { name: "Paste" }).click();
    await expect.poll(() => lines.innerText()).toBe("pasted 1");
    await lines.click();
    await page.keyboard.press("ControlOrMeta+A");
    await page.keyboard.press("Delete");
    await details.getByRole("button", { name: /^An access log with gaps/ }).click();
    await expect.poll(() => status.innerText()).toBe("3 of 5 lines match");
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.items.add(new File(["dropped 1\r\ndropped 2\r\n"], "a.log"));
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    });
    await expect.poll(() => lines.innerText()).toBe("dropped 1\ndropped 2");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => status.innerText()).toBe("3 of 5 lines match");
    expect(await expression.innerText()).toContain("%{IPORHOST:client}");
  });

  it("opens an example from the menu, which the small expression pane does not cover", async () => {
    const { page, status } = await openPage();
    await page
      .getByRole("region", { name: "Expression", exact: true })
      .getByRole("button", { name: "Examples" })
      .click();
    await page
      .getByRole("button", { name: /^Hide card numbers/ })
      .and(page.locator("[data-item]"))
      .click();
    await expect.poll(() => status.innerText()).toBe("2 of 3 lines match");
  });
});

describe("the grok mode", () => {
  const nameless = (page: Page) =>
    page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>("a, button, input, select, [role]")]
        .filter((each) => !["tablist", "status", "alert"].includes(each.getAttribute("role") ?? ""))
        .filter((each) => each.closest("[hidden]") === null)
        .filter((each) => {
          const ids = each.getAttribute("aria-labelledby");
          const label = ids === null ? each.getAttribute("aria-label") : document.getElementById(ids)?.textContent;
          const labels = (each as HTMLInputElement).labels;
          return (label ?? labels?.[0]?.textContent ?? each.textContent ?? "").trim() === "";
        })
        .map((each) => each.outerHTML.slice(0, 200)),
    );

  it("names every control, and works by the keyboard alone", async () => {
    const { page, status, expression, details } = await openPage();
    expect(await nameless(page)).toEqual([]);
    await page.keyboard.press("Alt+2");
    await page.keyboard.insertText("level=info n=1\nlevel=warn n=x");
    await page.getByRole("button", { name: "Suggest" }).press("Enter");
    await expect.poll(() => status.innerText()).toBe("2 of 2 lines match");
    expect(await nameless(page)).toEqual([]);
    await page.keyboard.press("Alt+1");
    await page.keyboard.press("ControlOrMeta+A");
    await page.keyboard.insertText("level=%{WORD:level} n=%{INT:n:int}");
    await expect.poll(() => status.innerText()).toBe("1 of 2 lines match");
    await page.keyboard.press("F8");
    await expect.poll(() => details.locator(".say[aria-live=polite]").innerText()).toContain("Line 2 does not match");
    expect(await nameless(page)).toEqual([]);
    await page.keyboard.press("Alt+3");
    const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim());
    await expect.poll(focused).toBe("Line 2");
    for (const name of ["All lines", "Library", "Own patterns", "Line 2"]) {
      await page.keyboard.press("ArrowRight");
      await expect.poll(focused).toBe(name);
      expect(await nameless(page)).toEqual([]);
    }
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await expect.poll(focused).toBe("Apply");
    await page.keyboard.press("Enter");
    await expect.poll(() => status.innerText()).toBe("2 of 2 lines match");
    expect(await expression.innerText()).not.toBe("level=%{WORD:level} n=%{INT:n:int}");
  });

  it("fits pages of every width, empty and full", async () => {
    const { page, details, tab } = await openPage();
    const beyond = () =>
      page.evaluate(() =>
        [...document.querySelectorAll<HTMLElement>("header *, nav *, main, section, section > *, footer, .bar > *")]
          .filter((each) => !each.classList.contains("unseen") && each.closest(".tabs, [hidden]") === null)
          .filter((each) => each.getBoundingClientRect().right > innerWidth + 0.5)
          .map((each) => each.outerHTML.slice(0, 200)),
      );
    for (const isFull of [false, true]) {
      for (const width of [360, 390, 768, 1024, 1440]) {
        await page.setViewportSize({ width, height: 740 });
        for (const pane of width > 860 ? [null] : ["lines", "details"]) {
          if (pane !== null) await page.getByRole("button", { name: pane, exact: true }).click();
          for (const name of pane === "lines" ? [] : ["All lines", "Library", "Own patterns", /^Line/]) {
            await tab(name);
            await expect.poll(async () => [width, pane, name, await beyond()]).toEqual([width, pane, name, []]);
          }
          expect([width, pane, await beyond()]).toEqual([width, pane, []]);
        }
      }
      if (!isFull) await details.getByRole("button", { name: /^An access log with gaps/ }).click();
    }
  });
});
