// The status page GET /monitor (docs/reference/agent.md#overview), and the parts of it that `millrace monitor` can
// select.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contentPolicy, htmlPage } from "../../../../server/telemetry/status/html-page.ts";
import { millrace } from "../../support/millrace.ts";
import { type AgentProcess, startAgent } from "../../support/running-agent.ts";

describe("the page of a running agent", () => {
  let agent: AgentProcess;
  beforeAll(async () => {
    agent = await startAgent();
  });
  afterAll(() => agent.stop());

  it("shows the throughput of the agent without JavaScript", async () => {
    await agent.send("/v1/write/metric", { body: "cpu v=1\ncpu v=2" });
    const { status, text, headers } = await agent.send("/monitor");
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(headers["content-security-policy"]).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(text).toContain("<h2>THROUGHPUT</h2>");
    expect(text).toContain("<td>metric</td><td>-</td><td>2</td><td>1</td>");
    expect(text).toContain('<meta http-equiv="refresh" content="2">');
    expect(text).not.toContain("<script");
  });

  it("shows each input by the name that its writes give: points, bytes, errors, time", async () => {
    const write = (body: string) => agent.send("/v1/write/metric?input=my-redis", { body });
    expect((await write("redis v=1\nredis v=2\nredis v=3")).status).toBe(200);
    expect((await write("no point")).status).toBe(400);
    expect((await write("")).status).toBe(400);
    expect((await agent.send("/v1/write/metric?input=only-mistakes", { body: "x" })).status).toBe(400);
    const rows = [
      { page: /<td>my-redis<\/td><td>[\d.-]+<\/td><td>3<\/td><td>29 B<\/td><td>2<\/td><td>\d+s ago<\/td>/ },
      { page: /<td>only-mistakes<\/td><td>-<\/td><td>0<\/td><td>0 B<\/td><td>1<\/td><td>-<\/td>/ },
    ];
    const { text } = await agent.send("/monitor");
    expect(text).toContain("<h2>INPUTS</h2>");
    for (const { page } of rows) expect(text).toMatch(page);
    const { out } = await millrace(["monitor", "--to", new URL(agent.url).host, "--once", "-M", "In"]);
    expect(out).toMatch(/^INPUTS\ninput +points\/s +points +bytes +errors +last write\n/);
    expect(out).toMatch(/^my-redis +- +3 +29 B +2 +\d+s ago$/m);
    expect(out).toMatch(/^only-mistakes +- +0 +0 B +1 +-$/m);
  });

  it("is refused to other machines, like /metrics", async () => {
    const { status, text } = await agent.send("/monitor", { headers: { "x-forwarded-for": "127.0.0.1" } });
    expect([status, JSON.parse(text).error_code]).toEqual([403, "agent.publicAccessDisabled"]);
  });

  it("is printed in selected parts by millrace monitor", async () => {
    const to = new URL(agent.url).host;
    const { out } = await millrace(["monitor", "--to", to, "--once", "-M", "IO,http"]);
    expect(out).toMatch(/^THROUGHPUT\n[\s\S]*\n\nHTTP\n/);
    expect(out).not.toContain("MILLRACE");
    const wrong = await millrace(["monitor", "--to", to, "--once", "--modules", "IO,nope"]);
    expect(wrong).toMatchObject({
      code: 1,
      err: expect.stringContaining("--modules: nope is none of basic (B), io_stats (IO)"),
    });
  });
});

it("escapes text that clients sent", () => {
  const page = htmlPage("<h>", [
    { module: "errors", title: "LAST ERRORS", lines: ["<img src=x onerror=\"1\"> & 'x'"], table: [["a"], ["<b>"]] },
  ]);
  expect(page).toContain("&lt;img src=x onerror=&quot;1&quot;&gt; &amp; &#39;x&#39;");
  expect(page).toContain("<title>&lt;h&gt; - Millrace agent</title>");
  expect(page).toContain("<td>&lt;b&gt;</td>");
  expect(contentPolicy).not.toContain("unsafe");
});
