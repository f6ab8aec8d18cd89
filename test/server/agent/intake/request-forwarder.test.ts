// Tests how an intake process (a process that accepts writes beside the main process) answers while the main process
// does not answer, for example during a reload.

import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { openInnerListener } from "../../../../server/agent/intake/inner-listener.ts";
import { createRequestForwarder } from "../../../../server/agent/intake/request-forwarder.ts";
import { rawClient } from "../../support/processes.ts";

it.each([
  ["is gone", false],
  ["goes before it has answered", true],
])("a request is refused when the listener of the main process %s", async (_what, isThere) => {
  const main = createServer();
  const listener = await openInnerListener(main, false);
  onTestFinished(() => listener.close());
  if (!isThere) listener.close();
  const handOn = createRequestForwarder(listener.inner);
  const server = createServer(handOn.listener).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const client = rawClient(connect((server.address() as AddressInfo).port, "127.0.0.1"));
  const came = once(main, "request");
  const answer = client.ask("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  if (isThere) {
    await came;
    expect(handOn.underWay).toBe(1);
    listener.close();
  }
  expect(await answer).toMatch(/^HTTP\/1\.1 503 [\s\S]*\r\nretry-after: 2\r\n[\s\S]*"agent\.notReady"/i);
  await expect.poll(() => client.isOver).toBe(true);
  expect(handOn.underWay).toBe(0);
});
