// The number of connections that a gateway opens to one target.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { startGatewayProcess } from "../support/running-gateway.ts";

const writes = 8;

it.each([
  [2, 2],
  [0, writes],
])("http_max_conn_perhost = %i: all writes are answered over %i connections", async (setting, expected) => {
  const held: (() => void)[] = [];
  let open = 0;
  let most = 0;
  const target = createServer((request, response) => {
    request.resume().on("end", () => held.push(() => response.end()));
  });
  target.on("connection", (socket) => {
    most = Math.max(most, ++open);
    socket.once("close", () => open--);
  });
  await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
  const { port } = target.address() as AddressInfo;
  const gateway = await startGatewayProcess({
    config: `[gateway_api]\nremote_host = "http://127.0.0.1:${port}"\nhttp_max_conn_perhost = ${setting}\n`,
  });
  onTestFinished(async () => {
    await gateway.stop();
    target.close();
    target.closeAllConnections();
  });
  const answers = Array.from({ length: writes }, (_, at) =>
    gateway.send("/v1/write/metric?token=tkn_a", { body: `m v=${at}i 1` }),
  );
  await expect.poll(() => held.length).toBe(expected);
  // Answers the requests one by one. Each answer frees a connection, over which the gateway then sends a write that was
  // waiting.
  for (let at = 0; at < writes; at++) {
    await expect.poll(() => held.length).toBeGreaterThan(at);
    held[at]!();
  }
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(writes).fill(200));
  expect(most).toBe(expected);
});
