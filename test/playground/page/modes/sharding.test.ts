// The sharding mode in the page, as a person uses it: examples, typing, files, the keyboard, a narrow page.

import path from "node:path";
import process from "node:process";
import { afterAll, describe, expect, it } from "vitest";
import { startAgent } from "../../../server/support/running-agent.ts";
import { startGatewayProcess } from "../../../server/support/running-gateway.ts";
import { temporaryFolder } from "../../../server/support/running-platform.ts";
import { startPlayground, type TestPage } from "../support/running-page.ts";

const playground = await startPlayground();
const sinks = {
  rules: [
    { rules: ["{ service = 'shop-web' }"], url: `https://shop.example/?token=tkn_${"b".repeat(32)}`, info: "the shop" },
    { rules: ["*"], url: `https://others.example/?token=tkn_${"c".repeat(32)}` },
  ],
};
const tags = `# of the gateway
- category: logging
  fields:
    - service
    - { src: nowhere, dest: from, default: gateway }
`;
const folder = temporaryFolder();
const gateway = await startGatewayProcess({
  rules: sinks,
  dataDir: folder,
  files: { "tags.yaml": tags },
  config: `[sinker]\nmatch_mode = "first"\n[sinker.tags]\npath = ${JSON.stringify(path.join(folder, "tags.yaml"))}\n`,
});
const withGateway = await startPlayground(() => startAgent({ config: `[gateway]\nurls = ["${gateway.url}"]\n` }));
afterAll(async () => {
  await playground.close();
  await withGateway.close();
  await gateway.stop();
});

const open = (options = {}) => playground.open(options, "#/sharding");
const openWithGateway = () => withGateway.open({}, "#/sharding");

async function openExample({ page }: TestPage, number = 0): Promise<void> {
  await page.locator(".start li button").nth(number).click();
  await page.getByRole("list", { name: "Points" }).getByRole("button").first().waitFor();
}

const textsOf = async (test: TestPage, list: "Points" | "Targets") =>
  (await test.page.getByRole("list", { name: list }).getByRole("listitem").allInnerTexts()).map((text) =>
    text.replace(/\s+/g, " ").trim(),
  );

describe("the sharding mode", () => {
  it.each([
    [1440, 480],
    [390, 700],
  ])("shows all ways to begin on a low page of %i by %i", async (width, height) => {
    const { page } = await open();
    await page.setViewportSize({ width, height });
    const last = page.locator(".start .card").last();
    await last.evaluate((card) => card.scrollIntoView({ block: "end" }));
    const [card, pane] = await Promise.all([
      last.boundingBox(),
      page.getByRole("region", { name: "Routes" }).boundingBox(),
    ]);
    expect(card!.y + card!.height).toBeLessThanOrEqual(pane!.y + pane!.height);
  });

  it("shows for each point of an example its header, its targets, and the reasons", async () => {
    const test = await open();
    await openExample(test);
    expect(await textsOf(test, "Points")).toEqual([
      "1 nginx → alarms, shop level=high,team=pay",
      "2 nginx → shop level=normal,team=cart",
      "3 nginx → all others no header",
      "4 java → all others level=normal,team=unknown",
    ]);
    expect((await textsOf(test, "Targets")).map((text) => text.replace(/ https.*/, ""))).toEqual([
      "alarms 1 point",
      "shop 2 points",
      "all others default 2 points",
    ]);
    const reasons = test.page.getByRole("region", { name: "Reasons" });
    expect(await reasons.innerText()).toContain("status is `error', remapped");
    await test.page.getByRole("list", { name: "Points" }).getByRole("button").nth(2).click();
    await expect.poll(() => reasons.innerText()).toContain("the filter does not fit the point");
    expect(await test.page.locator("footer:visible .state").innerText()).toBe("4 points to 3 targets");
    expect(test.faults).toEqual([]);
    await test.close();
  });

  it("draws a line from each point to each of its targets", async () => {
    const test = await open();
    await openExample(test);
    expect(await test.page.locator(".lines path").count()).toBe(5);
    expect(await test.page.locator(".lines path.current").count()).toBe(2);
    await test.close();
  });

  it("moves between the points with the arrow keys", async () => {
    const test = await open();
    await openExample(test);
    const points = test.page.getByRole("list", { name: "Points" }).getByRole("button");
    await points.first().focus();
    await test.page.keyboard.press("ArrowDown");
    await test.page.keyboard.press("ArrowDown");
    expect(await points.nth(2).getAttribute("aria-pressed")).toBe("true");
    expect(await points.nth(2).evaluate((element) => element === document.activeElement)).toBe(true);
    await test.page.keyboard.press("ArrowUp");
    expect(await points.nth(1).getAttribute("aria-pressed")).toBe("true");
    await test.close();
  });

  it("checks the rules while they are typed, and goes to a problem on a click", async () => {
    const test = await open();
    await openExample(test);
    const sinks = test.page.getByRole("region", { name: "Sink rules" });
    await test.write(
      sinks.locator(".cm-content"),
      '{ "rules": [\n { "rules": ["{ a = "], "url": "https://a.example/?token=t" },\n { "rules": ["*"] } ] }',
    );
    const problems = sinks.getByRole("list", { name: /Problems/ });
    await expect.poll(() => problems.innerText()).toContain("rules[0].rules[0]");
    expect(await test.page.getByRole("list", { name: "Targets" }).innerText()).toContain(
      "The sink rules have an error",
    );
    await problems.getByRole("button").filter({ hasText: "rules[1]" }).first().click();
    await expect.poll(() => sinks.locator(".cm-activeLine").innerText()).toContain('"*"');
    await test.write(
      sinks.locator(".cm-content"),
      '{ "rules": [{ "rules": ["*"], "url": "https://a.example/?token=tkn_0123456789abcdef0123456789aaaaaa" }] }',
    );
    await expect
      .poll(() => textsOf(test, "Targets"))
      .toEqual(["a.example default 4 points https://a.example/?token=tkn_***aaaaa"]);
    expect(await problems.count()).toBe(0);
    await test.close();
  });

  it("says which points a strict gateway refuses", async () => {
    const test = await open();
    await openExample(test, 1);
    expect((await textsOf(test, "Points"))[3]).toBe("4 java → refused env=prod,service=billing");
    expect((await textsOf(test, "Targets"))[2]).toBe("Refused 1 point 406: no entry takes them");
    expect(await test.page.locator("footer:visible .state").innerText()).toBe(
      "4 points to 2 targets · 1 point refused",
    );
    await test.close();
  });

  it("updates the header while the user types other keys", async () => {
    const test = await open();
    await openExample(test, 1);
    await test.page.getByLabel("Global tags and customer keys").fill("team, source");
    await expect.poll(async () => (await textsOf(test, "Points"))[0]).toContain("team=pay,source=nginx");
    await test.page.getByLabel("header made by").selectOption("rules");
    await expect.poll(async () => (await textsOf(test, "Points"))[0]).toContain("no header");
    await test.close();
  });

  it("puts a chosen file into the editor for its content, and can undo it", async () => {
    const test = await open();
    await openExample(test);
    const before = await textsOf(test, "Points");
    const points = Buffer.from("cpu,team=cart f=1 1763719200000000000\n");
    await test.page
      .getByLabel("File with rules or points")
      .setInputFiles({ name: "points.lp", mimeType: "text/plain", buffer: points });
    await expect
      .poll(() => textsOf(test, "Points"))
      .toEqual(["1 cpu → shop level=normal,team=cart"].slice(0, 1).map(() => expect.stringContaining("1 cpu")));
    await test.page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => textsOf(test, "Points")).toEqual(before);
    await test.close();
  });

  it("refuses a file that is no text, and keeps the rules", async () => {
    const test = await open();
    await openExample(test);
    await test.page
      .getByLabel("File with rules or points")
      .setInputFiles({ name: "x.bin", mimeType: "application/octet-stream", buffer: Buffer.from([0xff, 0xfe, 0x80]) });
    await expect.poll(() => test.page.locator(".toast").innerText()).toBe("x.bin is not a text. Nothing was changed.");
    expect(await textsOf(test, "Points")).toHaveLength(4);
    await test.close();
  });

  it("keeps the rules in the draft across a reload", async () => {
    const test = await open();
    await openExample(test);
    await test.page.getByLabel("a write goes to").selectOption("first");
    await expect.poll(async () => (await textsOf(test, "Points"))[0]).toContain("→ alarms level");
    await test.page.reload();
    await expect.poll(async () => (await textsOf(test, "Points"))[0]).toContain("→ alarms level");
    await test.close();
  });

  it("shows one pane at a time on a phone, and no lines", async () => {
    const test = await open();
    await openExample(test);
    await test.page.setViewportSize({ width: 390, height: 844 });
    const [rules, routes] = ["Rules for tags", "Routes"].map((name) => test.page.getByRole("region", { name }));
    expect([await rules!.isVisible(), await routes!.isVisible()]).toEqual([false, true]);
    expect(await test.page.locator(".lines").isVisible()).toBe(false);
    const width = await test.page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(390);
    await test.page.getByRole("button", { name: "rules", exact: true }).click();
    expect([await rules!.isVisible(), await routes!.isVisible()]).toEqual([true, false]);
    await test.close();
  });

  it("loads the rules of the running gateway, keeps the points, and can undo it", async () => {
    const test = await openWithGateway();
    await openExample(test);
    await test.page.getByRole("button", { name: "Take the rules of the gateway" }).click();
    await expect
      .poll(() => test.page.locator(".toast").innerText())
      .toMatch(/^The sink rules and rules for tags of http:\S+ are in the editors\. Tokens in them are masked\./);
    await expect
      .poll(async () => (await textsOf(test, "Points"))[0])
      .toBe("1 nginx → the shop service=shop-web,from=gateway");
    expect((await textsOf(test, "Targets"))[0]).toContain("https://shop.example/?token=tkn_***bbbbb");
    expect(await test.page.getByLabel("a write goes to").inputValue()).toBe("first");
    const editor = test.page.getByRole("textbox", { name: "Rules for tags" });
    await expect.poll(() => editor.textContent()).toContain("# of the gateway");
    const folder = process.env.SHARDING_PICTURES;
    if (folder !== undefined) await test.page.screenshot({ path: `${folder}/gateway-rules.png` });
    await test.page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(async () => (await textsOf(test, "Points"))[0]).toContain("→ alarms, shop");
    await test.close();
  });

  it("reports that there is no gateway, and changes nothing", async () => {
    const test = await open();
    await test.page.getByRole("button", { name: "Take the rules of the gateway" }).click();
    await expect
      .poll(() => test.page.locator(".toast").innerText())
      .toContain("This agent knows no gateway: [gateway] urls is empty. Nothing was changed.");
    expect(await test.page.locator(".start").isVisible()).toBe(true);
    await test.close();
  });
});
