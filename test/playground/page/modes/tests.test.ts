// Tests of scripts on the page: a row of the result is kept as a test, all tests run while the user edits the script,
// and the page reads and writes the test files of the command line.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { playgroundOfTests, type TestPage } from "../support/running-page.ts";

const playground = playgroundOfTests();
const openPage = playground.open;
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "millrace-tests-page-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function openTests(opened: TestPage): Promise<void> {
  await opened.page.getByRole("tab", { name: /^Tests/ }).click();
  await opened.page.getByRole("region", { name: "Tests", exact: true }).waitFor();
}

const pane = ({ page }: TestPage) => page.getByRole("region", { name: "Tests", exact: true });

describe("tests of a script", () => {
  it("are made from rows, run while the user types, show differences, and accept new results", async () => {
    const opened = await openPage();
    const { page, rows, script, input, write } = opened;
    await write(input, "GET 2\nPUT 3");
    await write(script, 'grok(_, "%{WORD:verb} %{INT:size:int}")');
    await expect.poll(() => rows.count()).toBe(2);
    const keep = page.getByRole("button", { name: "Keep as test" });
    await keep.click();
    await rows.nth(1).click();
    await keep.click();
    await openTests(opened);
    await expect.poll(() => pane(opened).getByRole("status").innerText()).toBe("2 tests, all pass");

    await write(script, 'grok(_, "%{WORD:verb} %{INT:size:int}")\nif size == 3 { lowercase(verb) }');
    await expect.poll(() => pane(opened).getByRole("status").innerText()).toBe("2 tests, 1 fails");
    await expect
      .poll(() => pane(opened).locator("li.fails").innerText())
      .toMatch(/PUT 3[\s\S]*- fields\.verb: "PUT" {3}\(expected\)\s+\+ fields\.verb: "put"/);
    await expect.poll(() => page.locator("footer").innerText()).toContain("1 test fails");
    expect(await page.getByRole("tab", { name: /^Tests/ }).innerText()).toContain("1 of 2 fail");
    await pane(opened)
      .getByRole("button", { name: /^Accept/ })
      .click();
    await expect.poll(() => pane(opened).getByRole("status").innerText()).toBe("2 tests, all pass");

    await pane(opened).getByRole("button", { name: "Remove the test GET 2" }).click();
    await expect.poll(() => pane(opened).getByRole("status").innerText()).toBe("1 test, all pass");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => pane(opened).getByRole("status").innerText()).toBe("2 tests, all pass");

    // The page stores the tests of a project in its draft. So the tests are still there after the page was loaded
    // again.
    await page.getByText("draft saved").waitFor();
    await page.reload();
    await openTests(opened);
    await expect.poll(() => pane(opened).getByRole("status").innerText()).toBe("2 tests, all pass");
  });

  it("are read from a file, edited as YAML, and exported as YAML", async () => {
    const opened = await openPage();
    const { page, script, write } = opened;
    await write(script, "add_key(a, 1)");
    await openTests(opened);
    expect(await pane(opened).innerText()).toContain("A test keeps an input");
    const file = path.join(folder, "some.test.yaml");
    const text = "# By hand.\ntests:\n  - name: by hand\n    input: x\n    expect:\n      fields: { a: 1 }\n";
    writeFileSync(file, text);
    await page.getByLabel("File of tests").setInputFiles(file);
    await expect.poll(() => pane(opened).getByRole("status").innerText()).toBe("1 test, all pass");

    await pane(opened).getByRole("button", { name: "Edit as YAML" }).click();
    const editor = page.getByRole("textbox", { name: "Tests as YAML" });
    await write(editor, text.replace("a: 1", "a: 2"));
    await expect.poll(() => pane(opened).getByRole("status").innerText()).toBe("1 test, 1 fails");
    await write(editor, "tests: [");
    await expect.poll(() => pane(opened).getByRole("alert").innerText()).not.toBe("");
    await write(editor, text.replace("by hand\n", "in the page\n"));
    await expect.poll(() => pane(opened).getByRole("status").innerText()).toBe("1 test, all pass");
    const download = page.waitForEvent("download");
    await pane(opened).getByRole("button", { name: "Export" }).click();
    const saved = await download;
    expect(saved.suggestedFilename()).toBe("nginx.test.yaml");
    expect(readFileSync(await saved.path(), "utf8")).toBe(text.replace("by hand\n", "in the page\n"));
  });
});
