import { expect, it } from "vitest";
import { keyBytes, LineBody } from "../../../../../server/agent/inputs/delivery/line-body.ts";

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

it.each([
  ["web", "web"],
  ['a b,c="d', 'a\\ b\\,c\\=\\"d'],
  ["ends with \\\\", "ends\\ with\\ "],
  ["two\nlines", "two\\ lines"],
])("writes the key %j", (name, written) => {
  expect(text(keyBytes(name))).toBe(written);
});

it("writes lines from parts, and grows its memory", () => {
  const body = new LineBody();
  const long = "x".repeat(200_000);
  for (const value of ['say "a\\b"', long, `${long}"`]) {
    body.startLine();
    body.putAscii('m a="');
    body.putEscaped(Buffer.from(value));
    body.putByte(0x22);
    body.put(Buffer.from(",b=1 77"), 0, 4);
    body.endLine();
  }
  expect(text(body.body())).toBe(`m a="say \\"a\\\\b\\"",b=1\nm a="${long}",b=1\nm a="${long}\\"",b=1\n`);
  expect(text(body.body(0, 1))).toBe('m a="say \\"a\\\\b\\"",b=1\n');
  expect(body.body().buffer.byteLength).toBeGreaterThan(body.byteLength);
});

it("returns how many lines fit into a number of bytes, at least one", () => {
  const body = new LineBody();
  for (let at = 0; at < 10; at++) {
    body.startLine();
    body.putAscii("123456789");
    body.endLine();
  }
  const within = (from: number, most: number) => body.linesWithin(from, most);
  expect([within(0, 1000), within(0, 100), within(0, 99), within(0, 10), within(0, 5)]).toEqual([10, 10, 9, 1, 1]);
  expect([within(7, 25), within(9, 1)]).toEqual([2, 1]);
});

it("frees the memory of a burst", () => {
  const body = new LineBody();
  const fill = (bytes: number) => {
    body.startLine();
    body.put(new Uint8Array(bytes));
    body.endLine();
  };
  fill(10_000_000);
  expect(body.body().buffer.byteLength).toBeGreaterThan(10_000_000);
  body.clear();
  fill(10);
  body.clear();
  fill(10);
  expect(body.body().buffer.byteLength).toBeLessThan(1_000_000);
});
