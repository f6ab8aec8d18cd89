// The query mode over the points of a platform: agent and platform in one process, as `npm start` runs them.

import { expect, it } from "vitest";
import { send } from "../../../server/support/running-agent.ts";
import { launch, removeFolder, temporaryFolder } from "../../../server/support/running-platform.ts";
import { playgroundOfTests } from "../support/running-page.ts";

const playground = playgroundOfTests(async () => {
  const dataDir = temporaryFolder();
  const args = ["--listen", "127.0.0.1:0", "--gateway-listen", "none", "--platform-listen", "127.0.0.1:0"];
  const { url, kill } = await launch({ command: "start", dataDir, args, service: ["agent", "platform"] });
  const stop = async () => {
    await kill();
    removeFolder(dataDir);
  };
  return { url, stop };
});

const write = async (category: string, body: string) => {
  const { status, text } = await send(`${playground.url}/v1/write/${category}`, { method: "POST", body });
  expect([status, text]).toEqual([200, expect.any(String)]);
};

it("the query mode lists the platform's sources, answers queries, marks errors and shows new points", async () => {
  const now = Date.now();
  const time = (agoMs: number) => `${now - agoMs}000000`;
  await write("metric", `cpu,host=a usage=10,n=9007199254740993i ${time(60_000)}\ncpu,host=b usage=30 ${time(50_000)}`);
  await write("metric", `cpu,host=old usage=99 ${time(86_400_000)}`);
  await write("logging", `shop message="first",status="error" ${time(40_000)}`);
  const { page } = await playground.open({}, "#/query");
  const answer = page.getByRole("region", { name: "Answer" });
  const data = page.getByRole("region", { name: "Data" });
  const editor = page.getByRole("textbox", { name: "Query in DQL" });
  const query = async (text: string) => {
    // Focuses the editor without a click, because a click could hit the list of completions, which may be open below
    // the text.
    await editor.focus();
    await page.keyboard.press("ControlOrMeta+A");
    await page.keyboard.insertText(text);
  };
  const rows = () =>
    page
      .getByRole("grid")
      .locator("tbody tr")
      .evaluateAll((all) => all.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent ?? "")));

  await page.getByLabel("The points of").selectOption({ label: "the platform" });
  // Points wait in the agent's queue before the platform gets them. So the test repeats the query until the platform
  // has them.
  await expect
    .poll(async () => {
      await page.keyboard.press("ControlOrMeta+Enter");
      await page.waitForTimeout(500);
      return data.innerText();
    })
    .toMatch(/L::shop[\s\S]*M::cpu[\s\S]*host\s+tag[\s\S]*usage\s+float/);

  await query("M::cpu:(last(usage)) BY host");
  const last = async () => (await rows()).map((row) => [row[0], row.at(-1)]);
  await expect.poll(last).toEqual([
    ["a", "10"],
    ["b", "30"],
  ]);
  // A query that names no range uses the range of the page, here all times.
  await page.getByLabel("Time range of queries that name none").selectOption("all times");
  await expect.poll(last).toContainEqual(["old", "99"]);
  await query("M::cpu:(n) { host = 'a' }");
  await expect.poll(async () => (await rows())[0]?.at(-1)).toBe("9007199254740993");

  await query("M::cpu:(nosuch(usage))");
  await expect.poll(() => page.locator(".cm-lintRange-error").allInnerTexts()).toEqual(["nosuch"]);
  await query("L::shop:(message) LIMIT 50");
  await expect.poll(() => answer.innerText()).toContain("first");
  await page.getByRole("tab", { name: "Plan", exact: true }).click();
  await expect.poll(() => answer.innerText()).toContain("from:    logging shop");

  await page.getByRole("tab", { name: "Logs", exact: true }).click();
  await page.getByRole("button", { name: "Live" }).click();
  await write("logging", `shop message="second",status="error" ${time(0)}`);
  await expect.poll(() => answer.innerText()).toContain("second");
  await page.getByRole("button", { name: "Live" }).click();
  await expect.poll(() => page.getByRole("button", { name: "Live" }).getAttribute("aria-pressed")).toBe("false");
});

it("the query mode reports that the page's server has no platform", async () => {
  const { page } = await playground.open({}, "#/query");
  await page.route("**/v1/query/raw", (route) => route.fulfill({ status: 404, body: "404 page not found" }));
  await page.getByLabel("The points of").selectOption({ label: "the platform" });
  await expect
    .poll(() => page.getByRole("region", { name: "Data" }).innerText())
    .toContain("This page comes from a server without a platform");
});
