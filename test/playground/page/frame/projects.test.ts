// Projects in the page: saving one as a zip and opening it again, the list of drafts, and what the page offers when a
// project is too large for a link.

import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { strToU8, unzipSync, zipSync } from "fflate";
import type { Download, Page } from "playwright";
import { describe, expect, it } from "vitest";
import { emptyProject, type Project } from "../../../../playground/src/state/project.ts";
import { projectOfZip, zipOfProject } from "../../../../playground/src/state/project-zip/project-files.ts";
import { playgroundOfTests, type TestPage } from "../support/running-page.ts";

const playground = playgroundOfTests();

const project: Project = {
  ...emptyProject,
  title: "Two scripts",
  scripts: [
    { name: "main.p", text: "add_key(a, 1)" },
    { name: "other.p", text: "drop()" },
  ],
  input: "one\ntwo\n",
  query: { text: "", saved: [{ name: "All", text: "L::*" }] },
};

const zip = zipOfProject(project, new Date("2026-01-02T03:04:05"));

/** Drops a file on the page. */
async function drop(page: Page, name: string, bytes: Uint8Array): Promise<void> {
  const data = await page.evaluateHandle(
    ([fileName, base64]) => {
      const transfer = new DataTransfer();
      const content = Uint8Array.from(atob(base64!), (each) => each.charCodeAt(0));
      transfer.items.add(new File([content], fileName!));
      return transfer;
    },
    [name, Buffer.from(bytes).toString("base64")],
  );
  await page.dispatchEvent("main", "drop", { dataTransfer: data });
}

async function bytesOf(download: Download): Promise<Uint8Array> {
  return new Uint8Array(await readFile(await download.path()));
}

async function openDrafts(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Drafts" }).click();
  await page.getByText("Drafts are kept in this browser").waitFor();
}

const titles = (page: Page) => page.locator(".panel .drafts .title").allInnerTexts();
const titleOf = ({ page }: TestPage) => page.getByLabel("Name of this draft").inputValue();
const toast = ({ page }: TestPage) => page.locator(".toast").innerText();

describe("a project as zip", () => {
  it("is saved with its files, and opens as a new draft from the menu", async () => {
    const opened = await playground.open();
    const { page, script, rows, write } = opened;
    await expect.poll(() => rows.count()).toBe(12);
    await page.getByLabel("Name of this draft").fill("My logs");
    await write(script, "add_key(mine, 1)");
    await openDrafts(page);
    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save as zip this project, as files" }).click();
    const download = await saving;
    expect(download.suggestedFilename()).toBe("my-logs.zip");
    await expect.poll(() => toast(opened)).toContain("Saved as my-logs.zip");
    const bytes = await bytesOf(download);
    const files = unzipSync(bytes);
    expect(new TextDecoder().decode(files["scripts/nginx.p"] ?? files["scripts/main.p"])).toBe("add_key(mine, 1)");

    const file = path.join(tmpdir(), `millrace-${process.pid}.zip`);
    await writeFile(file, bytes);
    const other = await playground.open();
    await openDrafts(other.page);
    const choosing = other.page.waitForEvent("filechooser");
    await other.page.getByRole("button", { name: /^Open a zip/ }).click();
    await (await choosing).setFiles(file);
    await expect.poll(() => other.script.innerText()).toBe("add_key(mine, 1)");
    expect(await titleOf(other)).toBe("My logs");
    await other.page.getByText("draft saved").waitFor();
    await openDrafts(other.page);
    expect(await titles(other.page)).toEqual(["My logs"]);
  });

  it("opens when it is dropped, and the draft before it stays", async () => {
    const opened = await playground.open();
    const { page, script, rows, write } = opened;
    await write(script, "add_key(before, 1)");
    await page.getByText("draft saved").waitFor();
    await drop(page, "two.ZIP", zip);
    await expect.poll(() => script.innerText()).toBe("add_key(a, 1)");
    await expect.poll(() => toast(opened)).toBe("Two scripts is open, from two.ZIP.");
    await expect.poll(() => rows.count()).toBe(2);
    await openDrafts(page);
    await expect.poll(() => titles(page)).toEqual(["Two scripts", "Nginx access log"]);
  });

  it("opens without an entry that cannot be read, and the page names this entry", async () => {
    const files = unzipSync(zip);
    files["scripts/other.p"] = Uint8Array.of(0xff);
    files["<b>.txt"] = strToU8("x");
    const opened = await playground.open();
    await drop(opened.page, "cut.zip", zipSync(files));
    await expect.poll(() => opened.script.innerText()).toBe("add_key(a, 1)");
    const said = await toast(opened);
    expect(said).toContain("Two scripts is open, from cut.zip. Not taken: scripts/other.p: it is not UTF-8 text");
    expect(said).toContain("<b>.txt: no part of the project names it");
    expect(said).toContain("All else is there.");
  });

  it.each<[name: string, bytes: Uint8Array, message: string]>([
    ["none.zip", strToU8("no zip"), "none.zip: The file is no zip, or its end is missing. Your project stays open."],
    ["other.zip", zipSync({ "a.txt": strToU8("x") }), "no readable project.json"],
    ["cut.zip", zip.subarray(0, zip.length - 30), "The file is no zip, or its end is missing."],
  ])("does not replace the open project when %s contains no project", async (name, bytes, message) => {
    const opened = await playground.open();
    await opened.write(opened.script, "add_key(mine, 1)");
    await drop(opened.page, name, bytes);
    await expect.poll(() => toast(opened)).toContain(message);
    expect(await opened.script.innerText()).toBe("add_key(mine, 1)");
  });
});

describe("a draft in the list", () => {
  it("has its date, and is renamed, duplicated and saved without being opened", async () => {
    const opened = await playground.open();
    const { page, script } = opened;
    await drop(page, "two.zip", zip);
    await page.getByText("draft saved").waitFor();
    await openDrafts(page);
    await page.getByRole("button", { name: /^New draft/ }).click();
    await expect.poll(() => script.innerText()).not.toContain("add_key");
    await openDrafts(page);
    const item = page.getByRole("button", { name: /^Two scripts/ });
    expect(await item.innerText()).toMatch(/\d{1,2} \w{3} \d{4}, \d\d:\d\d · 2 scripts · 8 B of input/);

    await page.getByRole("button", { name: "More for Two scripts" }).click();
    await page.getByRole("button", { name: "Rename", exact: true }).click();
    const field = page.getByLabel("New name of Two scripts");
    await field.fill("Renamed");
    await field.press("Escape");
    await expect.poll(() => titles(page)).toEqual(["Two scripts"]);
    await page.getByRole("button", { name: "Rename", exact: true }).click();
    await field.fill("Renamed");
    await field.press("Enter");
    await expect.poll(() => titles(page)).toEqual(["Renamed"]);
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("Rename");

    await page.getByRole("button", { name: "Duplicate" }).click();
    await expect.poll(() => titles(page)).toEqual(["Renamed (2)", "Renamed"]);
    await expect.poll(() => toast(opened)).toBe("Renamed (2) is among the drafts.");
    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save as zip", exact: true }).click();
    const saved = projectOfZip(await bytesOf(await saving));
    expect(saved).toEqual({ project: { ...project, title: "Renamed (2)" }, leftOut: [] });
    expect(await script.innerText()).not.toContain("add_key");
  });

  it("cannot be renamed while another tab has it open", async () => {
    const opened = await playground.open();
    const { page } = opened;
    await drop(page, "two.zip", zip);
    await page.getByText("draft saved").waitFor();
    const other = await page.context().newPage();
    await other.goto(`${playground.url}/`);
    await other.getByRole("region", { name: "Script", exact: true }).waitFor();
    await openDrafts(other);
    await other.getByRole("button", { name: "More for Two scripts" }).click();
    await other.getByRole("button", { name: "Rename", exact: true }).click();
    await other.getByLabel("New name of Two scripts").fill("Mine");
    await other.keyboard.press("Enter");
    await expect.poll(() => other.locator(".toast").innerText()).toContain("Another tab has it open");
    expect(await titles(other)).toEqual(["Two scripts"]);
  });
});

describe("a project that is too large for a link", () => {
  it("is offered as a zip that contains the whole project", async () => {
    const opened = await playground.open();
    const large = { ...project, input: `${"x".repeat(99)}\n`.repeat(22_000) };
    await drop(opened.page, "large.zip", zipOfProject(large, new Date()));
    await opened.page.getByText("draft saved").waitFor();
    await opened.page.getByRole("button", { name: "Share", exact: true }).click();
    await expect.poll(() => toast(opened)).toContain("This project is too large for a link, which holds 2 MB.");
    const saving = opened.page.waitForEvent("download");
    await opened.page.locator(".toast").getByRole("button", { name: "Save as zip" }).click();
    expect(projectOfZip(await bytesOf(await saving)).project).toEqual(large);
  });
});
