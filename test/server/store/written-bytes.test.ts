// The number of bytes that a store writes for the points of a body. A setting limits this number in relation to the
// bytes that a client has sent. So the code that checks the limit must count exactly the bytes that are written.

import { expect, it, onTestFinished } from "vitest";
import { createMillrace } from "../../../lib/index.ts";
import { openedStore } from "./opened.ts";

it("corrected points are written without the warnings about the corrections", async () => {
  const mill = await createMillrace();
  const store = await openedStore({ mill });
  onTestFinished(() => store.close());
  const body = Buffer.from(`[${Array(1000).fill('{"fields":{"a":1}}').join()}]`);
  const decode = () => mill.decodePoints(body, { category: "logging", form: "json", now: 1_700_000_000_000_000_000n });
  const [warned, sent] = [decode(), decode()];
  expect(warned.warnings(0).map(({ type }) => type)).toContain("invalid_measurement");
  const withWarnings = mill.encodePoints(warned, "pb").length;
  const maxBytes = mill.encodePoints(decode(), "pb", { withoutWarnings: true }).length;
  expect(withWarnings).toBeGreaterThan(2 * maxBytes);
  expect(await store.ingest("w", "logging", "batch", sent, { maxBytes })).toMatchObject({ points: 1000 });
});
