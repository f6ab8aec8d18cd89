// The main uses of the page in Firefox. Skipped when Firefox is not installed (on Debian: firefox-esr).

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AgentProcess } from "../../server/support/running-agent.ts";
import { makeDashboard, sendLogs, sendMetrics, startWithPlatform } from "../page/support/platform-page.ts";
import { type FirefoxPage, firefoxPath, startFirefox } from "./firefox.ts";

const title =
  firefoxPath === null ? "in Firefox (skipped: none found; install firefox-esr or set FIREFOX_PATH)" : "in Firefox";

describe.skipIf(firefoxPath === null)(title, () => {
  let agent: Pick<AgentProcess, "url" | "stop">;
  let page: FirefoxPage;

  beforeAll(async () => {
    agent = await startWithPlatform();
    await sendLogs(agent.url);
    await sendMetrics(agent.url);
    page = await startFirefox(firefoxPath!);
  }, 120_000);
  afterAll(async () => {
    await page?.close();
    await agent?.stop();
  });

  /** Clears the browser's storage for the page, and then opens a mode of the page. */
  async function open(mode: string, pane: string): Promise<void> {
    await page.open(`${agent.url}/`);
    await page.until(`shown("footer").some((each) => /edited|draft/.test(each.innerText))`);
    await page.value(`(async () => {
      for (const { name } of await indexedDB.databases()) indexedDB.deleteDatabase(name);
      localStorage.clear();
      // Switches off the page's ability to work without a network. Otherwise the page may show a bar that offers a new
      // version, and this bar moves the other elements while the test uses them.
      localStorage.setItem("millrace-offline", "off");
      sessionStorage.clear();
    })()`);
    // Opens an empty page first. Without this step, an address that differs only in its fragment would not load the
    // page again.
    await page.open("about:blank");
    await page.open(`${agent.url}/#/${mode}`);
    await page.until(`shown('section[aria-label="${pane}"]').length > 0 && document.querySelector("[inert]") === null`);
  }

  const rows = () => page.texts("tbody tr[aria-selected]");

  it("a pasted log becomes points", async () => {
    await open("pipeline", "Script");
    await page.until(`shown("tbody tr[aria-selected]").length === 12`);
    await page.paste("Input", '10.0.0.7 - - [21/Nov/2025:10:00:00 +0000] "GET /a HTTP/1.1" 200 5 "-" "curl"\ntorn');
    await page.until(`shown("tbody tr[aria-selected]").length === 2`);
    expect(await rows()).toEqual([expect.stringMatching(/kept[\s\S]*GET/), expect.stringContaining("no match")]);
    expect(await page.texts('section[aria-label="The selected point"]')).toEqual([expect.stringContaining("curl")]);
  });

  it("the grok mode explains why a line does not match, and offers a change that makes it match", async () => {
    await open("grok", "Lines");
    await page.paste("Lines to match", "took 12 ms\ntook - ms");
    await page.paste("Grok expression", "^took %{INT:ms:int} ms$");
    await page.until(`shown("footer [role=status]", "1 of 2 lines match").length === 1`);
    await page.click("button", "Next unmatched");
    await page.until(`shown(".say", "Line 2 does not match: expected a whole number, found").length === 1`);
    await page.click("button", "Apply change 1");
    await page.until(`shown("footer [role=status]", "2 of 2 lines match").length === 1`);
  });

  it("the convert mode shows a body in four forms", async () => {
    await open("convert", "Body");
    await page.paste("Body to convert", "cpu,host=a load=0.5,cores=8i 1763719200");
    await page.until(`shown("article").length === 3`);
    expect(await page.texts("article h3")).toEqual(["JSON", "PBJSON", "Protobuf"]);
    // Each wire format writes the members of a point in a different order. So the first member in an editor shows
    // the wire format of the editor's text.
    await page.until(`shown(".cm-content", '"measurement": "cpu"').length === 1`);
    await page.until(`shown(".cm-content", '"key": "load"').length === 1`);
    expect(await page.texts("[role=option]")).toContainEqual(expect.stringMatching(/^key\s+"load"\s+string/));
    await page.click("[role=tab]", "Line protocol");
    await page.until(`shown(".cm-content", "cpu,host=a cores=8i,load=0.5").length === 1`);
  });

  it("a draft is kept when the page reloads directly after an edit", async () => {
    await open("pipeline", "Script");
    await page.paste("Script nginx.p", "add_key(kept, 1)");
    await page.reload();
    await page.until(`shown(".cm-content", "Script nginx.p")[0]?.innerText === "add_key(kept, 1)"`);
  });

  it("a kept test passes, fails after a change of the script, and passes again", async () => {
    await open("pipeline", "Script");
    await page.paste("Input", "GET 2");
    await page.paste("Script nginx.p", 'grok(_, "%{WORD:verb} %{INT:size:int}")');
    await page.until(`shown("tbody tr[aria-selected]").length === 1 && shown("th", "verb").length > 0`);
    await page.click("button", "Keep as test");
    await page.click("[role=tab]", "Tests");
    await page.until(`shown("section[aria-label=Tests] [role=status]", "1 test, all pass").length === 1`);
    await page.paste("Script nginx.p", 'grok(_, "%{WORD:verb} %{INT:size:int}")\nlowercase(verb)');
    await page.until(`shown("section[aria-label=Tests] [role=status]", "1 test, 1 fails").length === 1`);
    expect(await page.texts("section[aria-label=Tests] li")).toEqual([expect.stringContaining('fields.verb: "get"')]);
    await page.paste("Script nginx.p", 'grok(_, "%{WORD:verb} %{INT:size:int}")');
    await page.until(`shown("section[aria-label=Tests] [role=status]", "1 test, all pass").length === 1`);
  });

  it("a query is answered as table and chart, and filtered by a value", async () => {
    await open("query", "Query");
    await page.until(`shown("h3", "L::nginx").length === 1`);
    await page.paste("Query in DQL", "L::nginx:(count(*)) BY status");
    await page.until(`shown("footer .state", "5 rows over 10 points").length === 1`);
    expect(await page.texts("[role=grid] tbody tr")).toContainEqual(expect.stringMatching(/^warning\s+1$/));
    await page.click("[role=grid] td", "warning");
    await page.click("button", "Only this");
    await page.until(`shown("footer .state", "1 row over 10 points").length === 1`);
    expect(await page.texts(".cm-content")).toContainEqual("L::nginx:(count(*)) { status = 'warning' } BY status");
    await page.paste("Query in DQL", "L::nginx:(count(*)) [::1s] BY status");
    await page.click("[role=tab]", "Chart");
    await page.until(`shown("canvas").length === 1 && shown("ul[aria-label=Legend] li").length === 5`);
  });

  it("a query asks the platform", async () => {
    await open("query", "Query");
    await page.until(`shown("h3", "L::nginx").length === 1`);
    await page.choose("The points of", "the platform");
    await page.paste("Query in DQL", "L::nginx:(count(*)) BY host");
    await page.until(`shown("footer .state", "2 rows of the platform").length === 1`);
    expect(await page.texts("[role=grid] tbody tr")).toEqual([
      expect.stringMatching(/^web-0\s.*30$/),
      expect.stringMatching(/^web-1\s.*30$/),
    ]);
  });

  it("the explore mode leads from the categories to a chart of a field, and to its query", async () => {
    await open("explore", "View");
    await page.choose("The points of", "the platform");
    await page.until(`shown("section[aria-label=Data] h3").length === 2`);
    expect(await page.texts("section[aria-label=Data] h3")).toEqual([
      expect.stringMatching(/^Logs\s*1$/),
      expect.stringMatching(/^Metrics\s*1$/),
    ]);
    await page.until(`shown("section[aria-label=View] h2", "nginx").length === 1`);
    await page.until(`shown("[aria-label='Log lines'] .line", "GET /p1").length > 0`);

    await page.click("[data-source]", "cpu");
    await page.until(`shown("section[aria-label=View] h3", "mean of cores").length === 1`);
    await page.choose("Field", "usage");
    await page.choose("Function", "max");
    await page.choose("Group by", "host");
    await page.until(`shown("section[aria-label=View] h3", "max of usage by host").length === 1`);
    await page.until(`shown("canvas").length === 1 && shown("ul[aria-label=Legend] li").length === 2`);

    await page.click("button", "Open as DQL");
    await page.until(`shown(".cm-content", "Query in DQL")[0]?.innerText === "M::cpu:(max(usage)) [::auto] BY host"`);
    await page.until(`shown("footer .state", "rows of the platform").length === 1`);
    expect(await page.texts("[role=grid] tbody tr")).toContainEqual(expect.stringMatching(/^web-1\s.*\s70$/));
  });

  it("a dashboard is opened, and a moved chart is saved", async () => {
    const uuid = await makeDashboard(agent.url, "In Firefox", [
      { name: "Hosts", type: "toplist", query: "L::nginx:(count(*)) BY host" },
      { name: "Lines", type: "sequence", query: "L::nginx:(count(*)) [::auto] BY status" },
    ]);
    await open("dashboards", "Dashboards");
    await page.click("a", "In Firefox");
    await page.until(`shown("article", "web-0").length === 1 && shown("article canvas").length === 1`);
    expect(await page.value("location.hash")).toBe(`#/dashboards/${uuid}`);
    await page.click("button", "Edit");
    await page.value(`shown("button", "Resize Hosts")[0].focus()`);
    await page.press("arrowDown");
    await page.until(`shown("[role=status]", "Hosts: column 1, row 1, 12 wide, 10 high").length === 1`);
    await page.click("button", "Save");
    await page.until(`shown("button", "Edit").length === 1`);
    // After the click, the page shows the button "Edit" instead of the button "Save". The button "Edit" must have
    // the focus.
    await page.until(`document.activeElement.textContent === "Edit"`);
    await page.reload();
    await page.until(`shown("article", "web-0").length === 1`);
  });

  it("the sharding mode shows where points go, and why", async () => {
    await open("sharding", "Sink rules");
    await page.click(".start li button");
    await page.until(`shown("footer .state", "4 points to 3 targets").length === 1`);
    await page.click("ul[aria-label=Points] button", "java");
    await page.until(`shown("section[aria-label=Reasons]", "point 4, java").length === 1`);
    await page.paste("Sink rules", '{ "rules": [{ "rules": ["*"], "url": "https://a.example/?token=t" }] }');
    await page.until(`shown("footer .state", "4 points to 1 target").length === 1`);
  });

  it("the connect mode shows a script of the agent, and compares it with the page", async () => {
    await open("connect", "Scripts of the agent");
    await page.click("section button", "nginx.p");
    await page.until(`shown(".cm-content", "").some((each) => each.innerText.includes("add_pattern"))`);
    await page.click("[role=tab]", "Compare");
    await page.click("button", "Compare with this page");
    await page.until(`shown("[role=tabpanel]", "page and agent agree on all").length === 1`);
  });

  it("a page whose storage does not work reports the problem and keeps working", async () => {
    await page.before(
      "() => Object.defineProperty(globalThis, 'indexedDB', { get: () => { throw new DOMException('no', 'SecurityError'); } })",
    );
    await page.open("about:blank");
    await page.open(`${agent.url}/#/pipeline`);
    await page.until(`shown("[role=alert]", "does not let this page store anything").length === 1`);
    await page.paste("Script nginx.p", "add_key(works, 1)");
    await page.until(`shown("th", "works").length > 0`);
  });
});
