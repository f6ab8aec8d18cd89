// Queries without a token over HTTP: `millrace start` answers them only for clients on the same machine.

import { networkInterfaces } from "node:os";
import { expect, it } from "vitest";
import { send } from "../../support/running-agent.ts";
import { addressOf, folder, type Running, run } from "../../support/running-platform.ts";

/**
 * An IPv4 address of this machine other than loopback. The agent treats a client at this address like a client on
 * another machine. Undefined when this machine has no such address.
 */
const outside = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .find((each) => !each.internal && each.family === "IPv4")?.address;

const started = (listen: string): Promise<Running> =>
  run({
    command: "start",
    dataDir: folder(),
    args: ["--listen", "127.0.0.1:0", "--gateway-listen", "none", "--platform-listen", listen],
    service: ["platform", "agent"],
  });

async function asked(url: string, headers: Readonly<Record<string, string>> = {}): Promise<[number, unknown]> {
  const body = JSON.stringify({ queries: [{ query: "show_measurement()" }] });
  const { status, text } = await send(`${url}/v1/query/raw`, { headers, body });
  const { error_code: code, content } = JSON.parse(text) as { error_code?: string; content?: [{ series: unknown[] }] };
  return [status, code ?? content![0].series.length];
}

it("queries without a token are answered for the local workspace, but only to local clients", async () => {
  const running = await started("127.0.0.1:0");
  const { url } = running;
  const port = new URL(url).port;
  const line = await send(`${url}/v1/write/metric?token=${running.token}`, { body: "cpu v=1" });
  expect(line.status).toBe(200);
  const { text } = await send(`${url}/v1/query/raw`, {
    body: JSON.stringify({ queries: [{ query: "show_measurement()" }] }),
  });
  expect(text).toContain('"values":[["cpu"]]');
  expect(await asked(url, { host: `localhost:${port}` })).toEqual([200, 1]);
  expect(await asked(url, { origin: url })).toEqual([200, 1]);
  const refused = [403, "platform.emptyToken"];
  expect(await asked(url, { host: "evil.example" })).toEqual(refused);
  expect(await asked(url, { origin: "https://evil.example" })).toEqual(refused);
  expect(await asked(url, { "x-forwarded-for": "127.0.0.1" })).toEqual(refused);
  expect(await asked(url, { "x-real-ip": "8.8.8.8" })).toEqual(refused);
  expect(await asked(url, { "x-token": "tkn_of_nobody_12345" })).toEqual([403, "platform.invalidToken"]);
  // Only queries may come without a token. A write needs one, because the token names the workspace.
  expect((await send(`${url}/v1/write/metric`, { body: "cpu v=1" })).status).toBe(403);
  expect(running.out()).toContain("queries from this machine need none");
});

it("queries without a token are refused when the platform listens beyond this machine", async () => {
  const running = await started("0.0.0.0:0");
  const port = new URL(running.url).port;
  const hosts = outside === undefined ? ["127.0.0.1"] : ["127.0.0.1", outside];
  for (const host of hosts) expect(await asked(`http://${host}:${port}`)).toEqual([403, "platform.emptyToken"]);
  expect(await asked(`http://127.0.0.1:${port}`, { "x-token": running.token })).toEqual([200, 1]);
});

it("queries without a token are refused by `millrace platform` alone", async () => {
  const dataDir = folder();
  const running = await run({ command: "platform", dataDir, args: ["--listen", "127.0.0.1:0"], service: ["platform"] });
  expect(await asked(addressOf("platform", running.out()))).toEqual([403, "platform.emptyToken"]);
  expect(running.out()).toContain(`the header X-Token with the text of ${dataDir}`);
});
