// The requests that an intake process (a process that accepts writes beside the main process) handles itself, without
// passing them to the main process.

import type { IncomingMessage } from "node:http";
import { expect, it } from "vitest";
import { isOwnWrite } from "../../../../server/agent/intake/own-write.ts";

const state = { handedOn: ["rum", "tracing"], scripted: ["logging"] } satisfies Parameters<typeof isOwnWrite>[1];
const [lines, json] = [{}, { "content-type": "application/json" }];
const protobuf = { "content-type": "application/protobuf; proto=com.millrace.Point" };
const megabyte = 1024 * 1024;

function isOwn(line: string, headers: Readonly<Record<string, string>>, bytes?: number, byName = false): boolean {
  const [method, url] = line.split(" ");
  const all = { ...headers, ...(bytes === undefined ? {} : { "content-length": String(bytes) }) };
  return isOwnWrite({ method, url, headers: all } as unknown as IncomingMessage, state, byName);
}

it.each([
  ["POST /v1/write/metric", lines, 1],
  ["POST /v1/write/profiling", lines, 0],
  ["POST /v1/write/metric?precision=ms&echo=lp&strict=1", lines, 100],
  ["POST /v1/write/metric", lines, megabyte],
  ["POST /v1/write/metric", protobuf, megabyte],
  ["POST /v1/write/metric", json, 128 * 1024],
  ["POST /v1/write/metric", { "content-encoding": "gzip" }, 64 * 1024],
  ["POST /v1/write/metric?encoding=gzip", lines, 64 * 1024],
  ["POST /v1/write/metric?source=nginx", lines, 10],
  ["POST /v1/write/logging", lines, 10],
] as const)("takes %s %j of %d bytes", (line, headers, bytes) => {
  expect(isOwn(line, headers, bytes)).toBe(true);
});

it.each([
  ["another method", "GET /v1/write/metric", lines, 0],
  ["another method with a body", "PUT /v1/write/metric", lines, 10],
  ["another interface", "POST /v1/pipeline/debug", lines, 10],
  ["a category whose points filters look at", "POST /v1/write/tracing", lines, 10],
  ["a source that may have a script", "POST /v1/write/logging?source=nginx", lines, 10],
  ["a source in other letters", "POST /v1/write/logging?%73ource=nginx", lines, 10],
  ["RUM", "POST /v1/write/rum", lines, 10],
  ["a category that is none", "POST /v1/write/nope", lines, 10],
  ["another case", "POST /v1/write/Metric", lines, 10],
  ["a slash too many", "POST /v1/write/metric/", lines, 10],
  ["a path with an escape", "POST /v1/write/metri%63", lines, 10],
  ["the whole URL", "POST http://localhost/v1/write/metric", lines, 10],
  ["a body of unknown length", "POST /v1/write/metric", { "transfer-encoding": "chunked" }, undefined],
  ["many lines", "POST /v1/write/metric", lines, megabyte + 1],
  ["much protobuf", "POST /v1/write/metric", protobuf, megabyte + 1],
  ["much JSON", "POST /v1/write/metric", json, 128 * 1024 + 1],
  ["much that is compressed", "POST /v1/write/metric", { "content-encoding": "gzip" }, 64 * 1024 + 1],
  ["much that is compressed by the query", "POST /v1/write/metric?encoding=br", lines, 64 * 1024 + 1],
] as const)("hands on %s", (_what, line, headers, bytes) => {
  expect(isOwn(line, headers, bytes)).toBe(false);
});

it("hands on a write whose scripts are matched by name", () => {
  expect(isOwn("POST /v1/write/logging", lines, 10, true)).toBe(false);
  expect(isOwn("POST /v1/write/metric", lines, 10, true)).toBe(true);
});
