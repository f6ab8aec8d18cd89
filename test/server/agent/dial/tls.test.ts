// Dial tests over TLS: certificates of server and client, and the request with which a WebSocket test connects
// (docs/reference/agent.md#dial-tests).

import type { IncomingHttpHeaders } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocketServer } from "ws";
import { selfSigned } from "../../support/certificates.ts";
import { type AgentProcess, startAgent } from "../../support/running-agent.ts";

const own = selfSigned("target", "127.0.0.1");
const client = selfSigned("client", "192.0.2.1");

let agent: AgentProcess;
let port: number;
const upgrades: IncomingHttpHeaders[] = [];
const server = createServer(
  { ...own, requestCert: true, rejectUnauthorized: false, ca: client.cert },
  (request, response) => response.end((request.socket as TLSSocket).authorized ? "known" : "unknown"),
);
const websockets = new WebSocketServer({ server });
websockets.on("connection", (socket, { headers, url }) => {
  upgrades.push(headers);
  if (url !== "/silent") socket.on("message", (data) => socket.send(`echo ${data}`));
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
  agent = await startAgent({ config: "[dialtesting]\ndisable_internal_network_task = false" });
});
afterAll(async () => {
  await agent.stop();
  for (const socket of websockets.clients) socket.terminate();
  server.closeAllConnections();
  server.close();
});

async function dial(task_type: string, task: object) {
  const { status, text } = await agent.send("/v1/dialtesting/debug", { body: JSON.stringify({ task_type, task }) });
  expect(status).toBe(200);
  return JSON.parse(text).content;
}

describe("the certificates of an HTTP test", () => {
  const known = { ca: own.cert };
  const anyServer = { ignore_server_certificate_error: true };

  it.each<[name: string, options: object, host: string, body: string, reason: unknown]>([
    ["a server that nobody vouches for", {}, "127.0.0.1", "", "self-signed certificate"],
    ["one that does not matter", anyServer, "127.0.0.1", "unknown", ""],
    ["one that its authority vouches for", known, "127.0.0.1", "unknown", ""],
    ["one that another authority vouches for", { ca: client.cert }, "127.0.0.1", "", "self-signed certificate"],
    ["one of another name", known, "localhost", "", expect.stringContaining("does not match certificate's altnames")],
    [
      "a client that shows its own",
      { ...known, certificate: client.cert, private_key: client.key },
      "127.0.0.1",
      "known",
      "",
    ],
    [
      "a client that shows one of nobody",
      { ...known, certificate: own.cert, private_key: own.key },
      "127.0.0.1",
      "unknown",
      "",
    ],
    [
      "a key of another certificate",
      { ...known, certificate: client.cert, private_key: own.key },
      "127.0.0.1",
      "",
      expect.stringContaining("key values mismatch"),
    ],
    [
      "what is no certificate",
      { ...anyServer, certificate: "x", private_key: client.key },
      "127.0.0.1",
      "",
      expect.stringMatching(/PEM|start line/i),
    ],
  ])("%s", async (_name, options, host, body, reason) => {
    const { status, error_msg, fields } = await dial("http", {
      url: `https://${host}:${port}/`,
      advance_options: { certificate: options },
      success_when: [{ body: [{ is: body }] }],
    });
    expect([status, error_msg]).toEqual([reason === "" ? "success" : "fail", reason]);
    expect(fields.status_code).toBe(reason === "" ? 200 : 0);
    if (reason === "") expect(fields.response_ssl).toBeGreaterThan(0);
  });
});

describe("a WebSocket test", () => {
  const socket = (advance_options: object, at = "/") => ({
    url: `wss://127.0.0.1:${port}${at}`,
    message: "hi",
    advance_options,
    success_when: [{ response_message: [{ is: "echo hi" }] }],
  });

  it("accepts any server certificate, and sends headers and authorization", async () => {
    const headers = { "X-A": "1", Host: "other.example", "Sec-WebSocket-Key": "own", Upgrade: "h2c" };
    const auth = { username: "u", password: "p" };
    const { status, error_msg } = await dial("websocket", socket({ request_options: { headers }, auth }));
    expect([status, error_msg]).toEqual(["success", ""]);
    const sent = upgrades.at(-1)!;
    expect(sent).toMatchObject({
      "x-a": "1",
      host: "other.example",
      upgrade: "websocket",
      authorization: `Basic ${Buffer.from("u:p").toString("base64")}`,
      "user-agent": expect.stringMatching(/^agent-\w+-\w+\/\d+\.\d+\.\d+\/./),
    });
    expect(sent["sec-websocket-key"]).not.toBe("own");
    await dial("websocket", socket({ auth: { username: "", password: "" } }));
    expect(upgrades.at(-1)).not.toHaveProperty("authorization");
  });

  it("ends at its timeout", async () => {
    const { status, error_msg } = await dial("websocket", socket({ request_options: { timeout: "100ms" } }, "/silent"));
    expect([status, error_msg]).toEqual(["fail", "timeout after 100ms"]);
  });

  it("is refused when a header contains a line break", async () => {
    const task = socket({ request_options: { headers: { "X-A": "1\r\nX-Evil: 1" } } });
    const { status, text } = await agent.send("/v1/dialtesting/debug", {
      body: JSON.stringify({ task_type: "websocket", task }),
    });
    expect([status, JSON.parse(text).message]).toEqual([400, 'task check failed: invalid header "X-A"']);
  });
});
