// Every answer under /api is wrapped in the JSON envelope, also when Node cannot parse the request or the path has an
// unusual spelling.

import { connect } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Envelope, type RunningPlatform, startPlatform } from "../running-platform.ts";

let platform: RunningPlatform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.stop());

/** Sends bytes over a new connection and returns everything that the server sends until it closes the connection. */
function raw(text: string): Promise<string> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(platform.url);
    let answer = "";
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(answer));
  });
}

const line = (text: string, more = "") =>
  raw(`${text} HTTP/1.1\r\nHost: localhost\r\nDF-API-KEY: ${platform.key}\r\n${more}Connection: close\r\n\r\n`);
const long = `X: ${"y".repeat(20_000)}\r\n`;

it.each([
  ["GET //api/v1/validate", "", 400, "RouterNotFound"],
  ["GET ///api", "", 400, "RouterNotFound"],
  ["GET /%61pi/v1/validate", "", 400, "RouterNotFound"],
  ["GET /./api/v1/validate", "", 400, "RouterNotFound"],
  ["GET /api/v1/%zz", "", 400, "RouterNotFound"],
  ["GET /api", "", 400, "RouterNotFound"],
  ["PUT /api/v1/validate", "", 405, "MethodNotAllowed"],
  ["TRACE /api/v1/validate", "", 405, "MethodNotAllowed"],
  ["PROPFIND /api/v1/validate", "", 405, "MethodNotAllowed"],
  ["MKCOL /api/v1/validate", "", 405, "MethodNotAllowed"],
  ["QUERY /api/v1/validate", "", 405, "MethodNotAllowed"],
  ["FETCH /api/v1/validate", "", 405, "MethodNotAllowed"],
  ["get /api/v1/validate", "", 405, "MethodNotAllowed"],
  ["GET /api/v1/validate", long, 431, "RequestTooLarge"],
  ["GET //api/v1/validate", long, 431, "RequestTooLarge"],
  ["GET /api/v1/validate", "broken header\r\n", 400, "InvalidParameter"],
  ["POST /api/v1/dashboard/create", "Content-Length: x\r\n", 400, "InvalidParameter"],
] as const)("%s %s", async (start, more, status, errorCode) => {
  const answer = await line(start, more);
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  const [head, body] = answer.split("\r\n\r\n") as [string, string];
  const envelope = JSON.parse(body.slice(body.indexOf("{"), body.lastIndexOf("}") + 1)) as Envelope;
  expect(envelope).toEqual({
    code: status,
    content: {},
    errorCode,
    message: expect.stringMatching(/./),
    success: false,
    traceId: expect.stringMatching(/^TRACE-/),
  });
  expect(head.toLowerCase()).toContain(`x-trace-id: ${envelope.traceId.toLowerCase()}`);
});

it.each([
  ["FETCH /v1/ping", "", 400],
  ["GET /v1/ping", long, 431],
  ["GET /apis", long, 431],
] as const)("%s %s is no request of the Open API", async (start, more, status) => {
  const answer = await line(start, more);
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(answer).toContain(`"statusCode":${status}`);
});
