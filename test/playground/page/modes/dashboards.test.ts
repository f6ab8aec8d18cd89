// The dashboards mode in the page, as a person uses it, with agent and platform in one process: the list of dashboards
// and the ways to add one, charts, time ranges, variables, editing with pointer and keyboard, errors, access with a
// key, accessibility.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page, Route } from "playwright";
import { beforeAll, describe, expect, it } from "vitest";
import { send } from "../../../server/support/running-agent.ts";
import { launch, removeFolder, temporaryFolder } from "../../../server/support/running-platform.ts";
import { playgroundOfTests, type TestPage } from "../support/running-page.ts";

const playground = playgroundOfTests(async () => {
  const dataDir = temporaryFolder();
  const { url, kill } = await launch({
    command: "start",
    dataDir,
    args: ["--listen", "127.0.0.1:0", "--gateway-listen", "none", "--platform-listen", "127.0.0.1:0"],
    service: ["agent", "platform"],
  });
  const stop = async () => {
    await kill();
    removeFolder(dataDir);
  };
  return { url, stop };
});

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const logs = 240;

const call = async (path: string, body?: unknown) => {
  const sent =
    body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  return JSON.parse((await send(`${playground.url}/openapi/v1${path}`, sent)).text) as { content: never };
};
const exported = async (uuid: string) => (await call(`/dashboard/${uuid}/export`)).content as Record<string, never>;

async function clear(): Promise<void> {
  const rows = (await call("/dashboard/list?pageSize=100")).content as { uuid: string }[];
  for (const { uuid } of rows) await call(`/dashboard/${uuid}/delete`, {});
}

interface Sketch {
  readonly name: string;
  readonly type: string;
  readonly q: string;
  readonly pos?: readonly [x: number, y: number, w: number, h: number];
  readonly settings?: object;
}

const placeOf = ([x, y, w, h]: NonNullable<Sketch["pos"]>, at: number) => ({ x, y, w, h, i: `c${at}` });
const chart = ({ name, type, q, pos, settings = {} }: Sketch, at: number) => ({
  ...{ name, type, pos: placeOf(pos ?? [0, 9 * at, 12, 9], at), group: { name: null } },
  ...{ queries: q === "" ? [] : [{ qtype: "dql", query: { q, own: [1] } }], extend: { settings, own: true } },
});

/** Makes a dashboard and returns its identifier. */
async function make(name: string, charts: readonly Sketch[], vars: readonly object[] = []): Promise<string> {
  const main = { type: "template", groups: [], vars, charts: charts.map(chart) };
  const { content } = await call("/dashboard/create", { name, templateInfo: { summary: "own", main } });
  return (content as { uuid: string }).uuid;
}

const open = (options = {}, uuid = "") => playground.open(options, `#/dashboards${uuid === "" ? "" : `/${uuid}`}`);
const card = (page: Page, name: string) => page.getByRole("article", { name, exact: true });
const said = (page: Page) => page.locator("footer:visible .state");

/**
 * Asserts that the browser logged at least one answer with the status `status`, which the test has caused, and nothing
 * else. Then clears the log.
 */
function expectRefusals({ faults }: TestPage, status: number): void {
  expect(faults.filter((each) => !each.includes(`status of ${status}`))).toEqual([]);
  expect(faults.length).toBeGreaterThan(0);
  (faults as string[]).length = 0;
}

/** Waits until all charts have the answers to their queries. */
async function settled(page: Page): Promise<void> {
  await page.getByRole("article").first().waitFor();
  await expect.poll(() => page.locator("article[aria-busy=true]").count()).toBe(0);
}

async function broken(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(
    () =>
      (globalThis as unknown as { axe: typeof import("axe-core") }).axe.run(document, {
        runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"],
        resultTypes: ["violations"],
      }) as Promise<AxeResults>,
  );
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

/** Asserts that the page is accessible in both themes, on a wide page and on a phone. */
async function expectAccessible({ page }: TestPage, name: string): Promise<void> {
  const found: Record<string, string[]> = {};
  for (const width of [1440, 390])
    for (const colorScheme of ["light", "dark"] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      const faults = await broken(page);
      if (faults.length > 0) found[`${width} ${colorScheme}`] = faults;
      const folder = process.env.DASHBOARD_PICTURES;
      if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}-${width}-${colorScheme}.png` });
    }
  await page.setViewportSize({ width: 1440, height: 900 });
  expect(found).toEqual({});
}

const everyKind: readonly Sketch[] = [
  { name: "Value", type: "singlestat", q: "L::nginx:(count(*))", pos: [0, 0, 6, 6], settings: { units: "lines" } },
  {
    name: "Lines",
    type: "sequence",
    q: "M::cpu:(avg(usage)) BY host",
    pos: [6, 0, 9, 9],
    settings: { chartType: "line", units: "%" },
  },
  {
    name: "Bars",
    type: "sequence",
    q: "L::nginx:(count(*)) [::auto]",
    pos: [15, 0, 9, 9],
    settings: { chartType: "bar" },
  },
  {
    name: "Stacked",
    type: "sequence",
    q: "L::nginx:(count(*)) [::5m] BY code",
    pos: [0, 9, 12, 9],
    settings: { chartType: "bar", showStack: true },
  },
  { name: "Top", type: "toplist", q: "L::nginx:(count(*) AS n) BY url", pos: [12, 9, 12, 9] },
  { name: "Table", type: "table", q: "L::nginx:(count(*) AS n) BY url, code", pos: [0, 18, 12, 9] },
  { name: "Logs", type: "log", q: "L::nginx:(status, message, url) LIMIT 50", pos: [12, 18, 12, 9] },
  { name: "Map", type: "worldmap", q: "L::nginx:(count(*)) BY country", pos: [0, 27, 12, 6] },
  { name: "Broken", type: "sequence", q: "L::nginx:(count(*", pos: [12, 27, 12, 6] },
];

beforeAll(async () => {
  const now = Date.now();
  const lines = Array.from({ length: logs }, (_, at) => {
    const ns = `${now - at * 12_000 - 60_000}000000`;
    const status = at % 8 === 0 ? "error" : "ok";
    return `nginx,host=web-${at % 2} status="${status}",message="GET /p${at % 5} ${at}",url="/p${at % 5}",code=${at % 8 === 0 ? 500 : 200}i ${ns}`;
  });
  const cpu = Array.from(
    { length: logs },
    (_, at) =>
      `cpu,host=web-${at % 2} usage=${40 + 20 * Math.sin(at / 9) + (at % 2) * 10} ${now - at * 12_000 - 60_000}000000`,
  );
  for (const [category, body] of [
    ["logging", lines],
    ["metric", cpu],
  ] as const)
    expect((await send(`${playground.url}/v1/write/${category}?precision=n`, { body: body.join("\n") })).status).toBe(
      200,
    );
  const count = { queries: [{ query: "L::nginx:(count(*))" }] };
  const ask = async () => (await send(`${playground.url}/v1/query/raw`, { body: JSON.stringify(count) })).text;
  while (!(await ask()).includes(String(logs))) await new Promise((resolve) => setTimeout(resolve, 100));
}, 60_000);

describe("the dashboards mode without a dashboard", () => {
  it("adds a ready dashboard with one click, and makes a new dashboard with a chart", async () => {
    await clear();
    const test = await open();
    const { page } = test;
    await page.getByRole("button", { name: "New dashboard" }).waitFor();
    await expectAccessible(test, "empty");
    await page.getByRole("button", { name: /^nginx/ }).click();
    await page.getByRole("heading", { name: "nginx", level: 2 }).waitFor();
    await settled(page);
    expect(await page.getByRole("article").count()).toBeGreaterThan(8);
    await page.getByRole("button", { name: "All dashboards" }).click();
    await page.getByRole("link", { name: /^nginx/ }).waitFor();

    await page.getByRole("button", { name: "New", exact: true }).click();
    const title = page.getByRole("textbox", { name: "Name of the dashboard" });
    await title.waitFor();
    await expect.poll(() => title.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.type("Mine");
    await page.keyboard.press("Tab");
    await page.getByRole("button", { name: "Add the first chart" }).click();
    await page.getByRole("textbox", { name: "Title" }).fill("Lines a minute");
    await page.getByRole("combobox", { name: "Kind" }).selectOption("bars");
    const editor = page.getByRole("textbox", { name: "Query in DQL" });
    await editor.click();
    await page.keyboard.insertText("L::nginx:(count(*)");
    await page
      .getByRole("dialog")
      .getByText(/parse error/)
      .first()
      .waitFor();
    await editor.click();
    await page.keyboard.press("ControlOrMeta+A");
    await page.keyboard.insertText("L::nginx:(count(*)) BY code");
    await page.getByRole("group", { name: "Preview" }).locator("canvas").waitFor();
    const words = editor.locator(".cm-line span");
    const colours = await words.evaluateAll((all) => all.map((element) => getComputedStyle(element).color));
    expect(new Set(colours).size).toBeGreaterThan(2);
    await expectAccessible(test, "form");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Mine", level: 2 }).waitFor();
    await page.getByRole("button", { name: "Edit" }).waitFor();
    expectRefusals(test, 400);
    const uuid = /[^/]*$/.exec(page.url())![0];
    expect(await exported(uuid)).toMatchObject({
      title: "Mine",
      main: {
        charts: [
          {
            name: "Lines a minute",
            type: "sequence",
            pos: { x: 0, y: 0, w: 12, h: 9 },
            extend: { settings: { chartType: "bar" } },
          },
        ],
      },
    });
  });

  it("imports an exported file unchanged, and exports the same content", async () => {
    await clear();
    const { page } = await open();
    const own = {
      ...{ title: "From a file", summary: "s", dashboardExtend: { a: [1] }, iconSet: { icon: "x", url: "" } },
      main: {
        ...{ type: "template", groups: [{ name: "g", extend: { b: 1 } }] },
        vars: [{ code: "v", type: "CUSTOM_LIST", odd: { c: null }, definition: { value: "a,b", odd: 1 } }],
        charts: everyKind.slice(0, 2).map(chart),
      },
    };
    await page
      .getByLabel("File with a dashboard")
      .setInputFiles({ name: "x.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(own)) });
    await page.getByRole("heading", { name: "From a file" }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("from-a-file.json");
    expect(JSON.parse(readFileSync((await download.path())!, "utf8"))).toMatchObject(own);

    await page.getByRole("button", { name: "All dashboards" }).click();
    await page
      .getByLabel("File with a dashboard")
      .setInputFiles({ name: "y.json", mimeType: "application/json", buffer: Buffer.from("{}") });
    await page.getByText("The file has no dashboard").waitFor();
  });
});

describe("the list of dashboards", () => {
  it("is searched by name, and Undo restores a removed dashboard", async () => {
    await clear();
    await make("Web servers", everyKind.slice(0, 8));
    await make("Databases", []);
    const test = await open();
    const { page } = test;
    const links = page.getByRole("list", { name: "Dashboards" }).getByRole("link");
    await expect.poll(() => links.count()).toBe(2);
    await expectAccessible(test, "list");
    await page.getByRole("searchbox").fill("web");
    await expect.poll(() => links.count()).toBe(1);
    await page.getByRole("searchbox").fill("nothing");
    await page.getByText("No dashboard has “nothing” in its name.").waitFor();
    await page.getByRole("searchbox").fill("");
    await page.getByRole("button", { name: "Remove the dashboard Web servers" }).click();
    await expect.poll(() => links.count()).toBe(1);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => links.count()).toBe(2);
    await page.getByRole("link", { name: /Web servers/ }).click();
    await expect.poll(() => page.getByRole("article").count()).toBe(8);
    await page.goBack();
    await expect.poll(() => links.count()).toBe(2);
  });
});

describe("a dashboard", () => {
  it("draws every kind of chart, and shows an error only in its own chart", async () => {
    const test = await open({ viewport: { width: 1440, height: 900 } }, await make("Every kind", everyKind));
    const { page } = test;
    await settled(page);
    const text = (name: string) => card(page, name).innerText();
    expect(await text("Value")).toContain(`${logs}`);
    expect(await card(page, "Lines").getByRole("list", { name: "Legend" }).innerText()).toMatch(/web-0\s+web-1/);
    for (const name of ["Lines", "Bars", "Stacked"]) await card(page, name).locator("canvas").waitFor();
    expect(await text("Top")).toMatch(/\/p\d\s+48/);
    expect(await card(page, "Table").getByRole("row").first().innerText()).toMatch(/url\s+code\s+n/);
    expect(await card(page, "Logs").getByRole("listitem").count()).toBe(50);
    expect(await text("Map")).toContain("does not draw charts of the type worldmap");
    expect(await card(page, "Broken").locator(".fault").innerText()).toMatch(/^\d+:\d+ parse error/);
    await card(page, "Logs").getByRole("button", { name: /GET/ }).first().click();
    expect(await card(page, "Logs").getByRole("definition").first().isVisible()).toBe(true);
    await expectAccessible(test, "full");
    expectRefusals(test, 400);
  });

  it("shows the values at the pointer and at the place of the arrow keys, and zooms", async () => {
    const { page } = await open({ viewport: { width: 1440, height: 900 } }, await make("Lines", everyKind.slice(1, 3)));
    await settled(page);
    const chartOf = (name: string) => card(page, name).getByRole("group", { name: /arrow keys/ });
    await card(page, "Lines").locator("canvas").waitFor();
    await chartOf("Lines").focus();
    await page.keyboard.press("End");
    await expect.poll(() => card(page, "Lines").getByRole("status").innerText()).toMatch(/: web-0 [\d.]+ %/);
    // The chart "Lines" shows the values at the time that its pointer marks. The other charts must show their values at
    // the same time.
    await expect.poll(() => card(page, "Bars").locator(".moment").innerText()).toMatch(/^\d{4}-/);
    await page.keyboard.press("Escape");
    await card(page, "Lines").getByRole("button", { name: /web-0/ }).click();
    expect(await card(page, "Lines").getByRole("button", { name: /web-0/ }).getAttribute("aria-pressed")).toBe("false");
    const box = (await card(page, "Lines").locator(".u-over").boundingBox())!;
    await page.mouse.move(box.x + box.width * 0.5, box.y + 20);
    await expect.poll(() => card(page, "Lines").locator("b").count()).toBe(1);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.8, box.y + 30, { steps: 4 });
    await page.mouse.up();
    await page.getByRole("button", { name: /–/ }).waitFor();
    await settled(page);
  });

  it("refreshes itself while it is visible, and queries again for another time range", async () => {
    const { page } = await open({}, await make("Fresh", everyKind.slice(0, 1)));
    await settled(page);
    let asked = 0;
    const ranges: number[] = [];
    page.on("request", (request) => {
      if (!request.url().endsWith("/v1/query/raw")) return;
      asked++;
      const [from, to] = JSON.parse(request.postData()!).queries[0].time_range as [number, number];
      ranges.push(Math.round((to - from) / 60_000));
    });
    await page.getByRole("button", { name: /^last hour/ }).click();
    await page.getByRole("button", { name: "last 24 hours" }).click();
    await expect.poll(() => ranges.at(-1)).toBe(24 * 60);
    await page.getByRole("combobox", { name: "Refresh" }).selectOption("5");
    const before = asked;
    await expect.poll(() => asked, { timeout: 15_000 }).toBeGreaterThan(before);
    await page.getByRole("link", { name: "Convert" }).click();
    await page.getByRole("region", { name: "Body" }).waitFor();
    const left = asked;
    await new Promise((resolve) => setTimeout(resolve, 6000));
    expect(asked).toBe(left);
    await page.getByRole("link", { name: "Dashboards" }).click();
    await expect.poll(() => asked).toBeGreaterThan(left);
    expect(page.url()).toMatch(/#\/dashboards\/dsbd_/);
  });

  it("puts the values of variables into its queries", async () => {
    const vars = [
      { code: "host", name: "Host", type: "QUERY", definition: { value: "L::nginx:(count(*)) BY host" } },
      { code: "code", name: "Code", type: "CUSTOM_LIST", isHiddenAsterisk: 1, definition: { value: "200,500" } },
    ];
    const q = "L::nginx:(count(*)) {host = '#{host}' and code = #{code}}";
    const { page } = await open({}, await make("Variables", [{ name: "Value", type: "singlestat", q }], vars));
    const value = card(page, "Value").locator("strong");
    await expect.poll(() => value.innerText()).toBe("210");
    await page.getByRole("combobox", { name: "Host" }).selectOption("web-0");
    await expect.poll(() => value.innerText()).toBe("90");
    await page.getByRole("combobox", { name: "Code" }).selectOption("500");
    await expect.poll(() => value.innerText()).toBe("30");
    await page.getByRole("button", { name: "Open Value as DQL" }).click();
    await expect
      .poll(() => page.getByRole("textbox", { name: "Query in DQL" }).innerText())
      .toBe("L::nginx:(count(*)) {host = 'web-0' and code = 500}");
  });
});

describe("editing a dashboard", () => {
  const placesOf = async (uuid: string) => {
    const { main } = (await exported(uuid)) as unknown as {
      main: { charts: { pos: { x: number; y: number; w: number; h: number } }[] };
    };
    return main.charts.map(({ pos: { x, y, w, h } }) => [x, y, w, h]);
  };
  const two: readonly Sketch[] = [
    { name: "One", type: "toplist", q: "L::nginx:(count(*)) BY url", pos: [0, 0, 12, 9] },
    { name: "Two", type: "toplist", q: "L::nginx:(count(*)) BY code", pos: [12, 0, 12, 9] },
  ];

  it("moves, resizes and removes charts with keys, undoes, and saves all else unchanged", async () => {
    const uuid = await make("Keys", two);
    const before = await exported(uuid);
    const test = await open({ viewport: { width: 1440, height: 900 } }, uuid);
    const { page } = test;
    await settled(page);
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByRole("button", { name: /^Resize One/ }).focus();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => page.getByText("One: column 1, row 1, 11 wide, 10 high").count()).toBe(1);
    await page.getByRole("button", { name: /^Move One/ }).focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowLeft");
    await page.getByRole("button", { name: "Remove Two" }).click();
    await expect.poll(() => page.getByRole("article").count()).toBe(1);
    await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => page.getByRole("article").count()).toBe(2);
    await expectAccessible(test, "editing");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Edit" }).waitFor();
    expect(await placesOf(uuid)).toEqual([
      [0, 0, 11, 10],
      [12, 0, 12, 9],
    ]);
    const after = (await exported(uuid)) as unknown as { main: { charts: { pos: unknown }[] } };
    const plain = (each: unknown) => JSON.stringify(each, (key, value) => (key === "pos" ? 0 : value));
    expect(plain(after)).toBe(plain(before));
    expect(await said(page).innerText()).toContain("2 charts");
  });

  it("moves and resizes by the pointer", async () => {
    const uuid = await make("Pointer", two);
    const { page } = await open({ viewport: { width: 1440, height: 900 } }, uuid);
    await settled(page);
    await page.getByRole("button", { name: "Edit" }).click();
    const drag = async (name: RegExp, dx: number, dy: number) => {
      const box = (await page.getByRole("button", { name }).boundingBox())!;
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x + dx / 2, y + dy / 2, { steps: 3 });
      await page.mouse.move(x + dx, y + dy, { steps: 3 });
      await page.mouse.up();
    };
    const wide = (await card(page, "One").boundingBox())!.width;
    await drag(/^Resize One/, -wide / 2, 64);
    await drag(/^Move Two/, -wide / 2, 0);
    await page.keyboard.press("ControlOrMeta+S");
    await page.getByRole("button", { name: "Edit" }).waitFor();
    expect(await placesOf(uuid)).toEqual([
      [0, 0, 6, 11],
      [6, 0, 12, 9],
    ]);
  });

  it("keeps unsaved changes, and reports that someone else changed the dashboard", async () => {
    const uuid = await make("Shared", two);
    const { page } = await open({}, uuid);
    await settled(page);
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByRole("button", { name: "Remove Two" }).click();
    await page.getByRole("link", { name: "Dashboards" }).click();
    await page.getByText("Save or discard your changes first.").waitFor();
    await call(`/dashboard/${uuid}/modify`, { desc: "by another" });
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Someone else changed this dashboard").waitFor();
    expect(await placesOf(uuid)).toHaveLength(2);
    await page.getByRole("button", { name: "Save mine over it" }).click();
    await expect.poll(async () => (await placesOf(uuid)).length).toBe(1);
  });
});

describe("editing of variables and groups", () => {
  const named = (name: string, x: number, y: number): Sketch => ({
    ...{ name, type: "singlestat", q: `L::nginx:(count(*) AS ${name})`, pos: [x, y, 12, 6] },
  });

  it("adds, changes, orders and removes variables, undoes, and saves all else unchanged", async () => {
    const vars = [
      {
        code: "host",
        name: "Host",
        type: "QUERY",
        own: { a: [1.5] },
        definition: { value: "L::nginx:(distinct(host))", own: 1 },
      },
      { code: "code", type: "CUSTOM_LIST", isHiddenAsterisk: 1, definition: { value: "200,500", defaultVal: "200" } },
    ];
    const q = "L::nginx:(count(*)) {host = '#{host}' and code = #{code}}";
    const uuid = await make("Edited variables", [{ name: "Value", type: "singlestat", q }], vars);
    const before = await exported(uuid);
    const test = await open({ viewport: { width: 1440, height: 900 } }, uuid);
    const { page } = test;
    const value = card(page, "Value").locator("strong");
    await expect.poll(() => value.innerText()).toBe("210");
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByRole("button", { name: "Variables" }).click();
    const form = page.getByRole("dialog", { name: "Variables" });
    const variable = (code: string) => form.getByRole("listitem", { name: `Variable ${code}`, exact: true });
    await expectAccessible(test, "variables");
    // The form changes the name of a variable that queries use. The page also changes the queries that use this name,
    // and refuses a name that another variable already has.
    await variable("host").getByLabel("Name in queries").fill("code");
    await variable("host").getByLabel("Name in queries").press("Tab");
    await form.getByText("Another variable is called code in queries.").waitFor();
    await variable("host").getByLabel("Name in queries").fill("server");
    await variable("host").getByLabel("Name in queries").press("Tab");
    await variable("code").getByLabel("Values, between commas").fill("500, 200");
    await variable("code").getByLabel("At first").fill("500");
    await variable("code").getByRole("button", { name: "Move code up" }).click();
    expect(await form.getByRole("listitem").evaluateAll((all) => all.map((each) => each.ariaLabel))).toEqual([
      "Variable code",
      "Variable server",
    ]);
    await form.getByRole("button", { name: "Add variable" }).click();
    await variable("variable").getByLabel("Query in DQL").fill("L::nginx:(distinct(url))");
    await variable("variable").getByLabel("Shown as").fill("Page");
    await variable("variable").getByLabel("offers all values").uncheck();
    await form.getByRole("button", { name: "Done" }).click();
    await expect.poll(() => value.innerText()).toBe("30");
    await expect.poll(() => page.getByRole("combobox", { name: "Page" }).locator("option").count()).toBe(5);
    await page.getByRole("combobox", { name: "Host" }).selectOption("web-0");
    await expect.poll(() => value.innerText()).toBe("30");
    await page.getByRole("button", { name: "Variables" }).click();
    await form.getByRole("button", { name: "Remove variable" }).click();
    await form.getByRole("button", { name: "Undo" }).click();
    await variable("variable").waitFor();
    await form.getByRole("button", { name: "Remove variable" }).click();
    await form.getByRole("button", { name: "Done" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Edit" }).waitFor();
    expect(await exported(uuid)).toEqual({
      ...before,
      main: {
        ...(before.main as object),
        vars: [
          { ...vars[1], definition: { value: "500, 200", defaultVal: "500" } },
          { ...vars[0], code: "server" },
        ],
        charts: [
          expect.objectContaining({
            queries: [{ qtype: "dql", query: { q: q.replace("#{host}", "#{server}"), own: [1] } }],
          }),
        ],
      },
    });
  });

  it("adds, renames, collapses and removes groups, and moves charts into them", async () => {
    const uuid = await make("Groups", [named("One", 0, 0), named("Two", 12, 0)]);
    const test = await open({ viewport: { width: 1440, height: 900 } }, uuid);
    const { page } = test;
    await settled(page);
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByRole("button", { name: "Add group" }).click();
    const name = page.getByRole("textbox", { name: /^Name of the group/ });
    await expect.poll(() => name.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.type("Traffic");
    await page.keyboard.press("Tab");
    await page.getByRole("button", { name: "Move Two to a group" }).click();
    await card(page, "Two").getByRole("button", { name: "Traffic", exact: true }).click();
    const heading = page.getByRole("heading", { name: "Traffic" });
    const below = async (chart: string) =>
      (await card(page, chart).boundingBox())!.y - (await heading.boundingBox())!.y;
    await expect.poll(() => below("Two")).toBeGreaterThan(0);
    expect(await below("One")).toBeLessThan(0);
    await settled(page);
    await expectAccessible(test, "groups");
    await heading.getByRole("button").click();
    await expect.poll(() => card(page, "Two").count()).toBe(0);
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    await card(page, "Two").waitFor();
    await heading.getByRole("button").click();
    await page.getByRole("button", { name: "Add group" }).click();
    await page.keyboard.type("Traffic");
    await page.keyboard.press("Tab");
    await page.getByText("Another group has this name.").waitFor();
    await page.getByRole("button", { name: "Move the group New group up" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Edit" }).waitFor();
    expect(await exported(uuid)).toMatchObject({
      main: {
        groups: ["New group", { name: "Traffic", extend: { collapsed: true } }],
        charts: [
          { name: "One", group: { name: null }, pos: { x: 0, y: 0, w: 12, h: 6 } },
          { name: "Two", group: { name: "Traffic" }, pos: { x: 0, y: 0, w: 12, h: 6, i: "c1" }, extend: { own: true } },
        ],
      },
    });
    // Outside the edit mode, opening a group lasts only until the user leaves the page; the dashboard is not changed.
    expect(await card(page, "Two").count()).toBe(0);
    await heading.getByRole("button").click();
    await card(page, "Two").waitFor();
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByRole("button", { name: "Remove the group Traffic, keep its charts" }).click();
    await page.getByRole("button", { name: "Remove the group New group, keep its charts" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Edit" }).waitFor();
    expect(await exported(uuid)).toMatchObject({
      main: { groups: [], charts: [{ pos: { y: 0 } }, { group: { name: null }, pos: { x: 0, y: 6 } }] },
    });
  });

  it("moves and resizes charts by buttons on a phone, where nothing is wider than the page", async () => {
    const uuid = await make("A dashboard with a name that is too long for the bar of a phone", [
      named("One", 0, 0),
      named("Two", 12, 0),
      named("Three", 0, 6),
    ]);
    const test = await open({ viewport: { width: 390, height: 844 } }, uuid);
    const { page } = test;
    await settled(page);
    const order = () => page.getByRole("article").evaluateAll((all) => all.map((each) => each.ariaLabel));
    const fits = async () => {
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
      // The bar above the charts has at most two rows. With two rows it is 73 pixels high; a third row would make it
      // higher than 80 pixels.
      expect((await page.locator(".pane:visible > .bar").boundingBox())!.height).toBeLessThan(80);
    };
    await fits();
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByRole("button", { name: "Add group" }).click();
    await fits();
    const tools = (name: string) => page.getByRole("group", { name: `Place of ${name}`, exact: true });
    expect(await tools("One").getByRole("button", { name: "Up" }).isDisabled()).toBe(true);
    await tools("Three").getByRole("button", { name: "Up" }).click();
    await expect.poll(order).toEqual(["One", "Three", "Two"]);
    await tools("One").getByRole("button", { name: "Down" }).click();
    await expect.poll(order).toEqual(["Three", "One", "Two"]);
    const high = async () => (await card(page, "One").boundingBox())!.height;
    const before = await high();
    await tools("One").getByRole("button", { name: "Taller" }).click();
    await expect.poll(high).toBeGreaterThan(before);
    await tools("One").getByRole("button", { name: "Narrower" }).click();
    await tools("One").getByText("11 of 24 wide, 7 high").waitFor();
    await tools("Two").getByRole("button", { name: "Wider" }).click();
    await tools("Two").getByText("13 of 24 wide, 6 high").waitFor();
    for (const name of ["One", "Two", "Three"])
      expect(await tools(name).evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true);
    await page.getByRole("button", { name: "Variables" }).click();
    await page.getByRole("button", { name: "Add variable" }).click();
    await fits();
    const form = page.getByRole("dialog", { name: "Variables" });
    expect(await form.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true);
    await form.getByRole("button", { name: "Done" }).click();
    await expectAccessible(test, "phone-edit");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Edit" }).waitFor();
    const { main } = (await exported(uuid)) as unknown as { main: { charts: { pos: { w: number; h: number } }[] } };
    expect(main.charts.map(({ pos: { w, h } }) => [w, h])).toEqual([
      [11, 7],
      [13, 6],
      [12, 6],
    ]);
  });

  it("reports a change by someone else that happens between the check and the save", async () => {
    const uuid = await make("Raced", [named("One", 0, 0)]);
    const test = await open({}, uuid);
    const { page } = test;
    await settled(page);
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByRole("button", { name: "Remove One" }).click();
    let raced = 0;
    await page.route("**/import", async (route: Route) => {
      if (raced++ === 0) await call(`/dashboard/${uuid}/modify`, { desc: "by another, just now" });
      return await route.continue();
    });
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Someone else changed this dashboard").waitFor();
    expect(((await exported(uuid)) as unknown as { main: { charts: unknown[] } }).main.charts).toHaveLength(1);
    await page.getByRole("button", { name: "Save mine over it" }).click();
    await page.getByRole("button", { name: "Edit" }).waitFor();
    expectRefusals(test, 412);
  });
});

describe("a page on another machine", () => {
  it("asks for a key and keeps it for the session", async () => {
    const test = await open();
    const { page } = test;
    let sent: string | undefined;
    // An agent gives clients on its own machine access without a key. The test replaces the agent's answers by those
    // that a client on another machine gets.
    await page.route("**/openapi/", (route: Route) => route.fulfill({ json: { available: true, needsKey: true } }));
    await page.route("**/openapi/v1/**", async (route: Route) => {
      sent = (await route.request().headerValue("df-api-key")) ?? undefined;
      if (sent !== "right")
        return await route.fulfill({
          status: 403,
          json: { success: false, errorCode: "Forbidden", message: "the key is not known" },
        });
      const { "df-api-key": _, ...headers } = await route.request().allHeaders();
      return await route.continue({ headers });
    });
    await page.reload();
    const key = page.getByLabel("API key", { exact: true });
    await key.fill("wrong");
    await page.getByRole("button", { name: "Open", exact: true }).click();
    await page.getByText("the key is not known").waitFor();
    expect(await page.evaluate(() => sessionStorage.getItem("millrace-open-api-key"))).toBeNull();
    await key.fill("right");
    await page.getByRole("button", { name: "Open", exact: true }).click();
    await page.getByRole("list", { name: "Dashboards" }).waitFor();
    expect(
      await page.evaluate(() => [
        sessionStorage.getItem("millrace-open-api-key"),
        JSON.stringify(localStorage).includes("right"),
      ]),
    ).toEqual(["right", false]);
    await page.reload();
    await page.getByRole("list", { name: "Dashboards" }).waitFor();
    expectRefusals(test, 403);
  });
});
