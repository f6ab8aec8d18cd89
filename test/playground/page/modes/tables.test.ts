// Reference tables in the page: a script gets fields from a table of the project, the user changes the files, and
// the draft, the zip and the tests of the project use the files.

import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Locator } from "playwright";
import { describe, expect, it } from "vitest";
import { emptyProject, type Project } from "../../../../playground/src/state/project.ts";
import { projectOfZip } from "../../../../playground/src/state/project-zip/project-files.ts";
import { shareFragment } from "../../../../playground/src/state/share.ts";
import { playgroundOfTests, type TestPage } from "../support/running-page.ts";

const playground = playgroundOfTests();

const hosts =
  '[{"table_name":"hosts","column_name":["ip","room"],"column_type":["string","int"],"row_data":[["10.0.0.7",12]]}]';

const project: Project = {
  ...emptyProject,
  title: "With tables",
  scripts: [{ name: "main.p", text: 'grok(_, "%{IP:ip}")\nquery_refer_table("hosts", "ip", ip)' }],
  tables: [{ name: "hosts.json", text: hosts }],
  input: "10.0.0.7 up\n10.0.0.8 up\n",
};

const open = (part: Partial<Project> = {}) => playground.open({}, `#${shareFragment({ ...project, ...part })}`);

function parts({ page }: TestPage) {
  const pane = page.getByRole("region", { name: "Reference tables" });
  return {
    pane,
    toggle: page.getByRole("button", { name: /^Tables/ }),
    tabs: pane.getByRole("tab"),
    text: pane.getByRole("textbox", { name: /^Tables of / }),
    toast: page.locator(".toast"),
    /** Chooses files with the button of this name, which opens a file chooser. */
    choose: async (name: string, ...files: readonly (readonly [name: string, text: string])[]) => {
      const paths = files.map(([file]) => path.join(tmpdir(), `${process.pid}-${file}`));
      for (const [at, [, text]] of files.entries()) await writeFile(paths[at]!, text);
      const choosing = page.waitForEvent("filechooser");
      await pane.getByRole("button", { name }).click();
      await (await choosing).setFiles(paths);
    },
  };
}

/**
 * Returns the texts of the cells of the first row. The time of the point is one of them, so cells are compared whole.
 */
async function cellsOf(rows: Locator): Promise<string[]> {
  return (await rows.first().innerText()).split("\t").map((cell) => cell.trim());
}

describe("a reference table", () => {
  it("adds fields to the points when the user starts with the example table", async () => {
    const opened = await open({ tables: [], scripts: [{ name: "main.p", text: "" }], input: "443\n99\n" });
    const { page, script, rows, result, write } = opened;
    const { pane, toggle, tabs } = parts(opened);
    await write(script, 'grok(_, "%{INT:port:int}")\nquery_refer_table("services", "port", port)');
    await script.locator(".cm-lintRange-warning").waitFor();
    await toggle.click();
    await pane.getByRole("button", { name: "Start with an example table" }).click();
    await pane.getByText("3 rows").waitFor();
    expect(await tabs.allInnerTexts()).toEqual(["services.json"]);
    await expect.poll(() => script.locator(".cm-lintRange-warning").count()).toBe(0);
    await page.getByRole("tab", { name: "Line protocol" }).click();
    await expect.poll(() => result.locator(".cm-content").innerText()).toContain('service="https"');
    await page.getByRole("tab", { name: "Table", exact: true }).click();
    await expect.poll(() => rows.count()).toBe(2);
    await rows.first().click();
    expect(await opened.detail.innerText()).toMatch(/encrypted[\s\S]*true/);
    // The user can copy a call of `query_refer_table` from the pane. This call must work in a script.
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await pane.getByRole("button", { name: "Copy call of services" }).click();
    const call = await page.evaluate(() => navigator.clipboard.readText());
    expect(call).toBe('query_refer_table("services", "port", port)');
  });

  it("is edited, and an error is shown at its place and in the run", async () => {
    const opened = await open();
    const { page, rows, write } = opened;
    const { pane, toggle, text, tabs, toast } = parts(opened);
    await expect.poll(() => cellsOf(rows)).toContain("12");
    await toggle.click();
    await write(text, hosts.replace(",12]", ",13]"));
    await expect.poll(() => cellsOf(rows)).toContain("13");
    await write(text, hosts.replace(",12]", ',"twelve"]'));
    const fault = pane.getByRole("alert").getByRole("button");
    await fault.waitFor();
    expect(await fault.innerText()).toBe('table: hosts, row: 0, col: 1, cast error: cannot convert "twelve" to int');
    await expect.poll(() => text.locator(".cm-lintRange-error").innerText()).toBe('"twelve"');
    expect(await tabs.first().innerText()).toContain("has an error");
    await page.getByText("Reference tables of hosts.json are not used").waitFor();
    await fault.click();
    await expect.poll(() => page.evaluate(() => document.activeElement?.className ?? "")).toContain("editor");
    expect(await toast.count()).toBe(0);
  });

  it("is added from files, renamed, replaced, removed and brought back", async () => {
    const opened = await open();
    const { page, rows } = opened;
    const { pane, toggle, text, tabs, toast, choose } = parts(opened);
    await toggle.click();
    await choose("Add files", ["rooms.json", "[]"], ["more.json", "[ ]"]);
    await expect.poll(() => tabs.count()).toBe(3);
    await pane.getByRole("button", { name: "Rename" }).click();
    await pane.getByLabel(/^New name of/).fill("rooms");
    await page.keyboard.press("Enter");
    await expect.poll(async () => (await tabs.allInnerTexts()).slice(0, 2)).toEqual(["hosts.json", "rooms.json"]);

    await tabs.first().click();
    await expect.poll(() => cellsOf(rows)).toContain("12");
    await choose("Replace", ["new.json", hosts.replace(",12]", ",14]")]);
    await expect.poll(() => cellsOf(rows)).toContain("14");
    await expect.poll(() => text.innerText()).toContain("14");
    await toast.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => cellsOf(rows)).toContain("12");

    await pane.getByRole("button", { name: "Remove" }).click();
    await expect.poll(() => cellsOf(rows)).not.toContain("12");
    await toast.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => cellsOf(rows)).toContain("12");
    await pane.getByRole("button", { name: "Back to the input" }).click();
    await expect.poll(() => opened.input.isVisible()).toBe(true);
  });

  it("is kept in the draft and in the zip, and is used by the tests of the project", async () => {
    const opened = await open();
    const { page, rows, write } = opened;
    const { toggle, text } = parts(opened);
    await toggle.click();
    await write(text, hosts.replace(",12]", ",15]"));
    await page.getByText("draft saved").waitFor();
    await page.reload();
    await expect.poll(() => cellsOf(rows)).toContain("15");
    await rows.first().click();
    await page.getByRole("button", { name: "Keep as test" }).click();
    await page.getByRole("tab", { name: /^Tests/ }).click();
    await page.getByText("1 test, all pass").waitFor();
    await toggle.click();
    await write(text, hosts);
    await page.getByText("1 test, 1 fails").waitFor();
    await page.getByRole("button", { name: "Drafts" }).click();
    const saving = page.waitForEvent("download");
    await page
      .getByRole("button", { name: /^Save as zip/ })
      .first()
      .click();
    const zip = projectOfZip(new Uint8Array(await readFile(await (await saving).path())));
    expect([zip.project.tables, zip.leftOut]).toEqual([project.tables, []]);
  });
});
