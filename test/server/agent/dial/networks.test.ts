// The networks to which dial tests may connect. The tests replace the resolver of host names: it answers each lookup
// with the next of the given addresses, and repeats the last address when none is left.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { debugDial } from "../../../../server/agent/dial/dial.ts";
import { type Address, createNetwork } from "../../../../server/agent/dial/networks.ts";

/**
 * Returns a resolver of host names that answers each lookup with the next of the given addresses, and repeats the last
 * one.
 */
function names(...answers: string[]): (host: string) => Promise<Address[]> {
  return async () => [{ address: answers.length > 1 ? answers.shift()! : answers[0], family: 4 }];
}

async function target() {
  let connections = 0;
  const server = createServer((_request, response) => response.end("hi"));
  server.on("connection", () => connections++);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}

const options = (network: ReturnType<typeof createNetwork>, checksHosts: boolean) => ({
  network,
  checksHosts,
  userAgent: "test",
  longestMs: 10_000,
  signal: new AbortController().signal,
  runScript: () => Promise.reject(new Error("no script is expected")),
});

const task = (url: string) => ({ task_type: "http", task: { url, success_when: [{ body: [{ is: "hi" }] }] } });

it("connects to the address that was checked, and does not resolve the name again", async () => {
  const { port, connections } = await target();
  const network = createNetwork({ check: true, cidrs: ["10.0.0.0/8"], lookup: names("127.0.0.1") });
  const content = await debugDial(task(`http://name.test:${port}/`), options(network, true));
  expect([content.status, connections()]).toEqual(["success", 1]);
});

it("refuses a name that resolves to an internal address after the first check", async () => {
  const { port, connections } = await target();
  const network = createNetwork({ check: true, cidrs: [], lookup: names("93.184.215.14", "127.0.0.1") });
  const content = await debugDial(task(`http://name.test:${port}/`), options(network, true));
  expect(content.error_msg).toBe("dest host [name.test] is not allowed to be tested");
  expect(connections()).toBe(0);
});

it("refuses a name when one of its addresses is internal", async () => {
  const lookup = async (): Promise<Address[]> => [
    { address: "93.184.215.14", family: 4 },
    { address: "10.0.0.1", family: 4 },
  ];
  const network = createNetwork({ check: true, cidrs: [], lookup });
  await expect(debugDial(task("http://name.test/"), options(network, true))).rejects.toThrow(
    "is not allowed to be tested",
  );
});

it("accepts a single address in the list of forbidden networks", async () => {
  const network = createNetwork({ check: true, cidrs: ["10.0.0.5"] });
  await expect(network.resolve("10.0.0.5")).rejects.toThrow("is not allowed to be tested");
  expect(await network.resolve("10.0.0.6")).toEqual([{ address: "10.0.0.6", family: 4 }]);
});

it("refuses an IPv4 address in any of its IPv6 forms", async () => {
  const network = createNetwork({ check: true, cidrs: [] });
  for (const host of ["::127.0.0.1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "[::1]"])
    await expect(network.resolve(host), host).rejects.toThrow("is not allowed to be tested");
});
