// Uploads of an agent that is configured not to compress them. Points that the agent keeps compressed to save memory
// must be uploaded as plain lines.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RecordingGateway, startGateway } from "../../support/recording-gateway.ts";
import { type AgentProcess, startAgent } from "../../support/running-agent.ts";

describe("uploads without gzip", () => {
  let gateway: RecordingGateway;
  let agent: AgentProcess;

  beforeAll(async () => {
    gateway = await startGateway();
    agent = await startAgent({
      config: `[gateway]
urls = ["${gateway.url}?token=abc"]
gzip = false
[io]
flush_interval = "20ms"
`,
    });
  });

  afterAll(async () => {
    await agent.stop();
    await gateway.close();
  });

  it("contain each line of a large write once, and none is compressed", async () => {
    const count = 400_000;
    const body = Array.from({ length: count }, (_, at) => `m f=${at}i\n`).join("");
    expect((await agent.send("/v1/write/metric", { method: "POST", body })).status).toBe(200);
    await expect.poll(() => gateway.lines().length).toBe(count);
    expect(gateway.taken.map(({ headers }) => headers["content-encoding"])).not.toContain("gzip");
    // The agent adds a time to each line, so the lines become more than twice as long as the body. The agent compresses
    // points in memory when they take much more space than the body, so it keeps most of these points compressed.
    expect(gateway.lines().join("\n").length).toBeGreaterThan(2 * body.length);
    expect(body.length).toBeGreaterThan(4 * 1024 * 1024);
    const values = gateway.lines().map((line) => /^m(?:,\S*)? f=(\d+)i \d{19}$/.exec(line)?.[1]);
    expect(new Set(values).size).toBe(count);
    expect(values).not.toContain(undefined);
  });
});
