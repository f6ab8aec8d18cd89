// The main uses of the page in Firefox. Skipped when Firefox is not installed (on Debian: firefox-esr).

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AgentProcess, startAgent } from "../../server/support/running-agent.ts";
import { type FirefoxPage, firefoxPath, startFirefox } from "./firefox.ts";

const title =
  firefoxPath === null ? "in Firefox (skipped: none found; install firefox-esr or set FIREFOX_PATH)" : "in Firefox";

describe.skipIf(firefoxPath === null)(title, () => {
  let agent: AgentProcess;
  let page: FirefoxPage;

  beforeAll(async () => {
    agent = await startAgent();
    page = await startFirefox(firefoxPath!);
  });
  afterAll(async () => {
    await page?.close();
    await agent?.stop();
  });

  /** Opens a mode after clearing the browser's storage for the page. */
  async function open(mode: string, pane: string): Promise<void> {
    await page.open(`${agent.url}/`);
    await page.until(`shown("footer").some((each) => /edited|draft/.test(each.innerText))`);
    await page.value(`(async () => {
      for (const { name } of await indexedDB.databases()) indexedDB.deleteDatabase(name);
      localStorage.clear();
      sessionStorage.clear();
    })()`);
    // Opens an empty page first, because a change of the fragment alone does not load the page again.
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

  it("the grok mode explains why a line does not match, and a change helps", async () => {
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
    // Each wire format orders the fields differently, so the first field shows which format an editor holds.
    await page.until(`shown(".cm-content", '"measurement": "cpu"').length === 1`);
    await page.until(`shown(".cm-content", '"key": "load"').length === 1`);
    expect(await page.texts("[role=option]")).toContainEqual(expect.stringMatching(/^key\s+"load"\s+string/));
    await page.click("[role=tab]", "Line protocol");
    await page.until(`shown(".cm-content", "cpu,host=a cores=8i,load=0.5").length === 1`);
  });

  it("a draft is there after a reload directly behind the edit", async () => {
    await open("pipeline", "Script");
    await page.paste("Script nginx.p", "add_key(kept, 1)");
    await page.reload();
    await page.until(`shown(".cm-content", "Script nginx.p")[0]?.innerText === "add_key(kept, 1)"`);
  });

  it("a test of a row is green, red after a change of the script, and green again", async () => {
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
});
