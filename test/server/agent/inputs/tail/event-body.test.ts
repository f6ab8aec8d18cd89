import { expect, it } from "vitest";
import { bodyHead, EventBody } from "../../../../../server/agent/inputs/tail/event-body.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (body: Uint8Array) => new TextDecoder().decode(body);

it.each([
  ["web", "plain", 'web message="plain"\n'],
  ['we b,="x', 'say "a\\b"', 'we\\ b\\,\\=\\"x message="say \\"a\\\\b\\""\n'],
  ["web\\", "ends with \\", 'web message="ends with \\\\"\n'],
])("writes %s: %s", (measurement, message, expected) => {
  const body = new EventBody();
  body.begin(bodyHead(measurement));
  body.add(bytes(message));
  expect(text(body.body())).toBe(expected);
});

it("returns any part of the body, although its memory is longer than the body", () => {
  const body = new EventBody();
  const messages = ["a", "b".repeat(100_000), "c"];
  body.begin(bodyHead("m"));
  for (const message of messages) body.add(bytes(message));
  const lines = messages.map((message) => `m message="${message}"\n`);
  expect(text(body.body())).toBe(lines.join(""));
  for (let at = 0; at < 3; at++) expect(text(body.body(at, at + 1))).toBe(lines[at]);
  expect(text(body.body(1, 3))).toBe(lines.slice(1).join(""));
  expect(body.body().buffer.byteLength).toBeGreaterThan(body.body().length);
  body.begin(bodyHead("n"));
  body.add(bytes("x"));
  expect([body.events, text(body.body())]).toEqual([1, 'n message="x"\n']);
});
